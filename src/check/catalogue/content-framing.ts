import { topic, type FamilyRule, type TopicCheck } from '../check.ts';
import { outcomeOf, valueOf, type RequestMessage } from '../message.ts';
import type { Echo, Session } from '../session.ts';
import { differs, fail, notApplicable, pass, type Verdict } from '../verdict.ts';
import { counted } from '../words.ts';
import { KiB } from './bounds.ts';
import { FrontConnection } from './front-connection.ts';
import { judgeNext, withoutEcho } from './received.ts';

const FRAMING = { section: 'RFC 9112 6.3', level: 'must', risk: 'data-loss' } as const;

type Framing = NonNullable<RequestMessage['framing']>;

/** Describes how a message without content arrives. */
function framingText({ received }: Echo): string {
  const length = valueOf(received?.fields ?? [], 'content-length');
  const coding = valueOf(received?.fields ?? [], 'transfer-encoding');
  if (length !== undefined) return `forwarded with Content-Length: ${length}`;
  return coding === undefined ? 'forwarded' : `forwarded with Transfer-Encoding: ${coding}`;
}

/** Sends another request on the connection, unless the target has ended it. */
async function sendNext(
  session: Session,
  client: Awaited<ReturnType<Session['open']>>,
  { transfer }: Echo,
): Promise<Verdict> {
  return transfer.ending === 'complete'
    ? judgeNext(await session.echoOn(client), transfer)
    : pass();
}

/** Sends GET with content, and another request after it. */
async function judgeGet(session: Session, framing: Framing): Promise<Verdict> {
  const isPooled = session.met.has('http1-origin');
  const client = await (isPooled ? new FrontConnection(session).emptyPool() : session.open());
  // If it is taken for the next request, that is refused since it lacks Host, and the journal has this tag.
  const tag = session.newTag();
  const content = `GET /anything/${tag} HTTP/1.1\r\nX-Wirebin-Journal: ${tag}\r\n\r\n`;
  const echo = await session.echoOn(client, { content, framing });
  const { received, transfer } = echo;
  const how = framing === 'length' ? 'with Content-Length' : 'without Content-Length';
  const arrived = received?.content.toString() ?? '';
  if (received && arrived !== '' && arrived !== content) {
    const found = `${arrived.length} of ${counted(content.length, 'byte')} arrive`;
    return fail(`all of the content ${how} arrives unchanged, or none of it`, found, transfer);
  }
  if (!transfer.response && transfer.ending === 'timeout')
    return fail(`a response to GET with content ${how}`, withoutEcho(echo), transfer);
  const next = await sendNext(session, client, echo);
  if (next.outcome !== 'pass') return next;
  if (session.met.has('journal') && (await session.arrived(tag)).length > 0)
    return fail(
      `content ${how} is treated as content`,
      'the origin receives it as a request',
      transfer,
    );
  if (!received) return pass(`refused ${how}: ${outcomeOf(transfer)}`);
  return arrived === ''
    ? differs(`the content ${how} is dropped`, transfer)
    : pass(`forwarded ${how}`);
}

/** More than an HTTP/2 frame holds by default, or a chunk of this check. */
const UPLOAD = Buffer.alloc(40 * KiB, 'content of unknown length, ');

/** A check that content of unknown length arrives whole, with the given type and trailers. */
function arrivesWithoutLength({
  type,
  trailers,
  ...rule
}: FamilyRule & {
  readonly type?: string;
  readonly trailers?: RequestMessage['trailers'];
}): TopicCheck {
  return {
    section: 'RFC 9110 6.4',
    ...rule,
    async run(session) {
      const upload = (content: Buffer): Promise<Echo> =>
        session.echo({
          method: 'POST',
          content,
          framing: 'chunked',
          ...(type !== undefined && { fields: [['Content-Type', type]] }),
          ...(trailers && { trailers }),
        });
      const echo = await upload(UPLOAD);
      const { received, transfer } = echo;
      const status = transfer.response?.status;
      if (status === 411) return differs('411: a length is required (RFC 9110 15.5.12)', transfer);
      if (!received && trailers && !(await upload(Buffer.from('content'))).received)
        return notApplicable(`no request with trailers is served: ${outcomeOf(transfer)}`);
      if (!received) return fail('the content arrives', withoutEcho(echo), transfer);
      if (received.content.equals(UPLOAD)) return pass();
      const found = `${received.content.length} of ${counted(UPLOAD.length, 'byte')} arrive`;
      return fail('the content arrives unchanged', found, transfer);
    },
  };
}

const OCTETS = 'application/octet-stream';
const TRAILERS = [['X-Check-Trailer', 'after the content']] as const;

/** Content that is delimited in a rare but valid way (RFC 9112 6.3, RFC 9113 8.1). */
export const contentFramingChecks = topic(FRAMING, [
  {
    id: 'content/upload-none',
    rule: 'POST with neither Content-Length nor Transfer-Encoding is forwarded without content, and the next request is served.',
    risk: 'interop',
    async run(session) {
      const client = await session.open();
      const echo = await session.echoOn(client, { method: 'POST' });
      const { received, transfer } = echo;
      if (transfer.response?.status === 411)
        return differs('411: a length is required (RFC 9110 15.5.12)', transfer);
      if (!received) {
        const withLength = await session.echo({ method: 'POST', content: '' });
        return withLength.received
          ? fail('forwarded, as with Content-Length: 0', withoutEcho(echo), transfer)
          : notApplicable(`POST is not forwarded: ${outcomeOf(withLength.transfer)}`);
      }
      const { length } = received.content;
      if (length > 0) return fail('no content', counted(length, 'byte'), transfer);
      const next = await sendNext(session, client, echo);
      return next.outcome === 'pass' ? pass(framingText(echo)) : next;
    },
  },
  {
    id: 'content/get-whole',
    observes: 'target',
    rule: 'The content of GET, with or without Content-Length, is forwarded as a whole, dropped or refused, and never taken for the next request.',
    risk: 'security',
    // The content could be taken for the request of another check.
    phase: 'alone',
    async run(session) {
      const verdicts: Verdict[] = [];
      for (const framing of ['length', 'chunked'] as const)
        verdicts.push(await judgeGet(session, framing));
      const of = (wanted: Verdict['outcome']): Verdict | undefined =>
        verdicts.find(({ outcome }) => outcome === wanted);
      const passed = verdicts.flatMap((each) =>
        each.outcome === 'pass' ? (each.found ?? []) : [],
      );
      return of('fail') ?? of('differs') ?? pass(passed.join('; '));
    },
  },
  arrivesWithoutLength({
    id: 'content/upload-untyped',
    rule: 'Content with neither Content-Length nor Content-Type is forwarded unchanged.',
  }),
  arrivesWithoutLength({
    id: 'content/upload-trailers',
    rule: 'Content without Content-Length is forwarded unchanged if trailers follow it.',
    type: OCTETS,
    trailers: TRAILERS,
  }),
  arrivesWithoutLength({
    id: 'content/upload-untyped-trailers',
    rule: 'Content with neither Content-Length nor Content-Type is forwarded unchanged if trailers follow it.',
    trailers: TRAILERS,
  }),
]);
