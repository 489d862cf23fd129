import { below } from '../path-prefix.ts';
import { isToken } from '../../http/syntax.ts';
import type { JournalEntry } from '../../telemetry/journal/entry.ts';
import type { FamilyRule, TopicCheck } from '../check.ts';
import { fail, failProven, notApplicable, pass, type Verdict } from '../verdict.ts';
import { outcomeOf, type FieldLine, type Transfer } from '../message.ts';
import { isFromOrigin, problemType, receivedOf, TAG, type Received } from '../origin.ts';
import type { EchoRequest, Session } from '../session.ts';

/** An HTTP/1.1 request that is written without validation. */
export interface RawRequest {
  /** Default: GET. */
  readonly method?: string;
  /** Default: a path below `/anything` with the tag. */
  readonly target?: string;
  /** Default: HTTP/1.1. */
  readonly version?: string;
  /** One Host field for each value. Default: the authority of the target. */
  readonly hosts?: readonly string[];
  /** Further field lines, after Host and the tag. */
  readonly lines?: readonly string[];
  readonly content?: string;
}

/** The bytes of a raw request. @param tag marks it in the journal */
export function rawRequest(
  { target: { authority, prefix } }: Session,
  tag: string,
  request: RawRequest = {},
): string {
  const { method = 'GET', target = `/anything/${tag}`, version = 'HTTP/1.1' } = request;
  const { hosts = [authority], lines = [], content = '' } = request;
  const head = [
    `${method} ${below(prefix, target)} ${version}`,
    ...hosts.map((host) => `Host: ${host}`),
    `${TAG}: ${tag}`,
    ...lines,
  ];
  return `${head.join('\r\n')}\r\n\r\n${content}`;
}

/** What a check of a malformed request expects. */
interface Refusal {
  /** `expected` of a finding. Default: `refused`. */
  readonly expected?: string | undefined;
  /** A status that counts as a refusal even if it is below 400 or comes from the origin. */
  readonly accepts?: number | undefined;
  /** Whether the request may also be forwarded. If the origin then refuses it, what it received is not known. */
  readonly mayForward?: boolean | undefined;
  /** Whether the target may wait for the rest of the request, as long as it forwards none of it as complete. */
  readonly mayWait?: boolean | undefined;
  /** Whether the target may begin to forward the request before it refuses it. */
  readonly mayBeCutOff?: boolean;
  /** Whether the origin received the request in a form that RFC 9110 allows. */
  readonly isSafe?: ((received: Received) => boolean) | undefined;
  /** `found` of a finding, from what the origin received. */
  readonly found?: (received: Received) => string;
  /** The field that makes the request malformed. A finding mentions it if the target dropped it. */
  readonly malformed?: FieldLine | undefined;
}

/** A check that a malformed request is refused, or forwarded in a safe form. @param change makes it malformed */
export function isRefused({
  request = {},
  expected = 'refused',
  isSafe,
  accepts,
  mayWait,
  change = (bytes) => bytes,
  ...rule
}: FamilyRule &
  Pick<Refusal, 'expected' | 'isSafe' | 'accepts' | 'mayWait'> & {
    readonly request?: RawRequest;
    readonly change?: (bytes: string) => string;
  }): TopicCheck {
  return {
    fronts: ['http/1.1'],
    needs: ['gateway'],
    ...rule,
    observes: 'refusal',
    async run(session) {
      const send = async (bytes: (tag: string) => string): Promise<Attempt> => {
        const tag = session.newTag();
        return { tag, transfer: await session.raw(bytes(tag), request.method) };
      };
      return judgeRefusal(
        session,
        () => send((tag) => change(rawRequest(session, tag, request))),
        () => send((tag) => rawRequest(session, tag, wellFormed(request))),
        {
          expected,
          isSafe,
          accepts,
          mayWait,
          mayBeCutOff: request.content !== undefined && request.content !== '',
          malformed: malformedFieldOf(request),
        },
      );
    },
  };
}

/** The field that makes the request malformed; undefined for framing fields, which the target writes anew. */
function malformedFieldOf({ lines: [line = ''] = [] }: RawRequest): FieldLine | undefined {
  if (line === '' || /^(?:content-length|transfer-encoding)\b/i.test(line)) return undefined;
  const [name = '', ...value] = line.split(':');
  return [name.trim(), value.join(':').trim()];
}

/** The well-formed request that remains of a malformed one. */
function wellFormed({ method = 'GET', lines = [] }: RawRequest): RawRequest {
  if (!isToken(method)) return {};
  if (method === 'GET') return { method };
  return lines.some((line) => /^transfer-encoding/i.test(line))
    ? { method, lines: ['Transfer-Encoding: chunked'], content: '2\r\nab\r\n0\r\n\r\n' }
    : { method, lines: ['Content-Length: 2'], content: 'ab' };
}

/** A request that was sent with a tag. */
export interface Attempt {
  readonly tag: string;
  readonly transfer: Transfer;
}

/**
 * Judges a malformed request. It passes if the target refuses it, by a status from 400 or by closing the connection,
 * and it does not reach the origin, or if it reaches the origin in a safe form.
 *
 * @param sendWellFormed sends the request without its malformed part. Only if that reaches the origin, the target has
 * refused the malformed part, or has not answered it, and not the rest
 */
export async function judgeRefusal(
  session: Session,
  sendMalformed: () => Promise<Attempt>,
  sendWellFormed: () => Promise<Attempt>,
  options: Refusal = {},
): Promise<Verdict> {
  return session.withRejections(async (rejections) => {
    const malformed = await sendMalformed();
    const verdict = await judgeAttempt(session, malformed, options);
    if (verdict.outcome !== 'pass' && !isUnanswered(malformed, options)) return verdict;
    const { tag, transfer } = await sendWellFormed();
    if (!receivedOf(transfer, tag)) {
      const kind = 'a well-formed request of this kind does not reach the origin';
      return notApplicable(`${kind}: ${outcomeOf(transfer)}`);
    }
    if (verdict.outcome !== 'pass') return verdict;
    // Rejected streams are not checked if the target may cut off: a stream that it resets at once looks rejected, too.
    if (options.mayBeCutOff !== true && (await rejections()).length > 0)
      return fail(
        options.expected ?? 'refused',
        'forwarded: the origin refused it',
        malformed.transfer,
      );
    session.observe('refusal');
    return verdict;
  });
}

/** Whether there was no response in time, where the target may not wait: it may answer no request at all. */
function isUnanswered({ transfer }: Attempt, { mayWait = false }: Refusal): boolean {
  return transfer.ending === 'timeout' && transfer.response === undefined && !mayWait;
}

async function judgeAttempt(
  session: Session,
  { tag, transfer }: Attempt,
  options: Refusal,
): Promise<Verdict> {
  const { expected = 'refused', isSafe = () => false, accepts, mayForward = false } = options;
  const { malformed, found = (received) => forwardedText(received, malformed) } = options;
  const { response, ending } = transfer;
  const echo = receivedOf(transfer, tag);
  if (echo && isSafe(echo)) return pass('forwarded in a safe form');
  if (echo) {
    if (session.met.has('journal')) await session.arrived(tag);
    return fail(expected, found(echo), transfer);
  }
  if (response && response.status === accepts) return pass(`answered with ${accepts}`);
  if (response && response.status < 400)
    return fail(expected, `${response.status} without an echo`, transfer);
  if (ending === 'timeout' && !(options.mayWait === true && session.met.has('journal')))
    return fail(expected, 'no response in time', transfer);
  const got = response ? String(response.status) : ending;
  if (isRefusedByOrigin(transfer) && mayForward)
    return notApplicable(`forwarded as what is not known: the origin answered ${got}`);
  if (isRefusedByOrigin(transfer))
    return fail(expected, `forwarded: only the origin refused it, with ${got}`, transfer);
  if (!session.met.has('journal'))
    return notApplicable(`refused with ${got}; without the journal it is not known by whom`);
  const entries = await session.arrived(tag);
  if (entries.some(({ response: sent }) => sent !== null && sent.status < 400))
    return failProven(
      expected,
      `the origin accepted the request; the client received ${got}`,
      transfer,
    );
  // What the origin refuses of a chunk that has not come whole, the target has not misread.
  if (ending === 'timeout') return pass('waits for the rest');
  if (entries.some(isWhole) && mayForward)
    return notApplicable(`forwarded as what is not known: the client received ${got}`);
  if (entries.some(isWhole))
    return failProven(
      expected,
      `forwarded: the origin refused it; the client received ${got}`,
      transfer,
    );
  return pass(response ? `refused with ${got}` : `refused: ${got}`);
}

/** Text: the request was forwarded, and whether without the field that makes it malformed. */
function forwardedText({ fields, version }: Received, malformed: FieldLine | undefined): string {
  const words = 'the request was forwarded to the origin';
  if (!malformed) return words;
  const [name, value] = malformed;
  const isMalformed = !isToken(name);
  const hasArrived = fields.some(
    ([each, arrived]) =>
      each.toLowerCase() === name.toLowerCase() || (isMalformed && arrived.includes(value)),
  );
  if (hasArrived) return words;
  // Node's HTTP/2 library drops malformed fields, so their absence does not show who dropped them.
  return version === 'HTTP/2.0'
    ? `${words}, whose echo lacks the field`
    : `${words} without the field`;
}

/** Whether the origin refused the request with a problem document. A gateway may have removed its mark. */
export function isRefusedByOrigin(transfer: Transfer): boolean {
  const { response } = transfer;
  if (!response || response.status < 400) return false;
  return isFromOrigin(transfer) || problemType(response) !== undefined;
}

/** Whether the origin received a complete request, or refused it: not one that the target cut off. */
function isWhole({
  outcome,
  response,
  content,
  half_closed: isCutOff = false,
}: JournalEntry): boolean {
  if (outcome === 'rejected' || content.complete) return true;
  return outcome === 'sent' && response !== null && !isCutOff;
}

/** A check that a request which is unusual, but not clearly malformed, is refused or forwarded. */
export function isRefusedOrForwarded({
  unusual,
  ordinary,
  expected,
  isSafe,
  accepts,
  mayForward,
  ...rule
}: FamilyRule &
  Pick<Refusal, 'expected' | 'isSafe' | 'accepts' | 'mayForward'> & {
    readonly unusual: EchoRequest;
    readonly ordinary: EchoRequest;
  }): TopicCheck {
  const mayBeCutOff = unusual.content !== undefined;
  return {
    ...rule,
    observes: 'refusal',
    run: (session) =>
      judgeRefusal(
        session,
        () => session.echo(unusual),
        () => session.echo(ordinary),
        { expected, isSafe, accepts, mayForward, mayBeCutOff },
      ),
  };
}
