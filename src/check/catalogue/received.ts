import { trimOws } from '../../http/syntax.ts';
import type { FamilyRule, TopicCheck } from '../check.ts';
import { differs, expectSame, fail, notApplicable, pass, type Verdict } from '../verdict.ts';
import { outcomeOf, valuesOf, type FieldLine, type Transfer } from '../message.ts';
import { contentObject, problemType, type Received } from '../origin.ts';
import type { Echo, EchoRequest, Session } from '../session.ts';

/** What came instead of an echo, in words. */
export function withoutEcho({ transfer: { response, ending } }: Pick<Echo, 'transfer'>): string {
  if (!response) return `no response (${ending})`;
  const { status } = response;
  const detail = problemType(response) && contentObject(response)?.['detail'];
  if (typeof detail !== 'string') return `${status} in place of the echo`;
  // wirebin says this for a byte that a target must percent-encode (RFC 3986 2.1).
  return detail === 'the request target is not valid'
    ? `the origin received raw bytes in the path, and refused them with ${status}`
    : `${status} from the origin: ${detail}`;
}

/** Judges the next request on a connection: it is served, unless the target has closed or reset the connection. */
export function judgeNext(next: Pick<Echo, 'transfer' | 'received'>, before: Transfer): Verdict {
  const { transfer, received: echo } = next;
  const { ending, errorCode } = transfer;
  if (ending === 'malformed')
    return fail('the next request is served', 'bytes after the response', before, transfer);
  // RST_STREAM has a code, and leaves the connection open.
  const isEnded = errorCode === undefined ? /^(?:closed|reset)$/.test(ending) : ending === 'goaway';
  return echo || isEnded
    ? pass()
    : fail('the next request is served', withoutEcho(next), before, transfer);
}

/** Whether a request is forwarded that need not be: it passes if the target refuses it. */
export function refusedOrForwarded(echo: Echo): Verdict {
  if (echo.received) return differs('forwarded', echo.transfer);
  const found = withoutEcho(echo);
  return echo.transfer.ending === 'timeout' ? notApplicable(found) : pass(found);
}

/** The verdict if a request has not reached the origin, so that nothing is known of what the origin would send. */
export const answeredByTarget = ({ transfer }: Pick<Echo, 'transfer'>): Verdict =>
  notApplicable(`the request does not reach the origin: ${outcomeOf(transfer)}`);

/**
 * A check that sends one request to `/anything` and judges what the origin received.
 *
 * @param expected what the finding says if the origin does not echo the request
 * @param mayRefuse whether a status 4xx of the target is no finding
 */
export function received({
  request = {},
  judge,
  expected = 'the request reaches the origin',
  mayRefuse = false,
  ...rule
}: FamilyRule & {
  readonly request?: EchoRequest | ((session: Session) => EchoRequest);
  readonly judge: (received: Received, echo: Echo, session: Session) => Verdict;
  readonly expected?: string;
  readonly mayRefuse?: boolean;
}): TopicCheck {
  return {
    ...rule,
    observes: 'echo',
    async run(session) {
      const message = typeof request === 'function' ? request(session) : request;
      const echo = await session.echo(message);
      if (echo.received) return judge(echo.received, echo, session);
      const { status = 0 } = echo.transfer.response ?? {};
      if (mayRefuse && status >= 400 && status < 500 && !(await session.hasArrived(echo.transfer)))
        return differs(`refused with ${status}`, echo.transfer);
      return fail(expected, withoutEcho(echo), echo.transfer);
    },
  };
}

function shown(values: readonly string[]): string {
  if (values.length === 0) return 'no such field';
  return values.map((value) => JSON.stringify(value)).join(', ');
}

/** Combines checks of one rule: the first verdict that is not a pass counts. */
export function allOf(first: TopicCheck, ...others: readonly TopicCheck[]): TopicCheck {
  return {
    ...first,
    async run(session) {
      let verdict = await first.run(session);
      for (const { run } of others) {
        if (verdict.outcome !== 'pass') break;
        verdict = await run(session);
      }
      return verdict;
    },
  };
}

/** Request options of a POST with content. */
export const WITH_CONTENT = { method: 'POST', content: 'content' } as const;

/** A check that the field lines of a name arrive as they were sent. @param request what it has beside them */
export function fieldArrives({
  lines,
  request = {},
  ...rule
}: FamilyRule & {
  readonly lines: readonly FieldLine[];
  readonly request?: EchoRequest;
  readonly mayRefuse?: boolean;
}): TopicCheck {
  const [name = ''] = lines[0] ?? [];
  const sent = lines.map(([, value]) => value.trim());
  return received({
    ...rule,
    request: { ...request, fields: lines },
    judge: ({ fields }, { transfer }) => {
      const arrived = valuesOf(fields, name);
      // RFC 9110 5.3: an intermediary may combine field lines, in order.
      const isCombined =
        arrived.length === 1 && arrived[0]?.split(',').map(trimOws).join() === sent.join();
      if (isCombined) return pass(shown(arrived));
      return expectSame(shown(sent), shown(arrived), transfer);
    },
  });
}

/** A check that a field of the request does not reach the origin. */
export function fieldIsRemoved({
  names,
  request,
  ...rule
}: FamilyRule & { readonly names: readonly string[]; readonly request: EchoRequest }): TopicCheck {
  return received({
    ...rule,
    request,
    judge: ({ fields }, { transfer }) => {
      const left = names.filter((name) => valuesOf(fields, name).length > 0);
      if (left.length === 0) return pass();
      return fail(
        `${names.join(' and ')} removed`,
        `the origin received ${left.join(' and ')}`,
        transfer,
      );
    },
  });
}
