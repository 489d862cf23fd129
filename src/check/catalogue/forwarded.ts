import { differs, expectSame, fail, pass, type Check, type Rule, type Verdict } from '../check.ts';
import { valuesOf, type FieldLine, type Transfer } from '../message.ts';
import { objectOf, parseObject, receivedOf, type Received } from '../origin.ts';
import type { Echo, EchoRequest, Session } from '../session.ts';

/** What came instead of an echo, in words. */
export function withoutEcho({ transfer: { response, ending } }: Echo): string {
  if (!response) return `no response (${ending})`;
  const { status, content } = response;
  const { type, detail } = parseObject(content.toString()) ?? {};
  const isFromOrigin = typeof type === 'string' && type.startsWith('/problems/');
  if (!isFromOrigin || typeof detail !== 'string') return `${status} in place of the echo`;
  // The message of Node's parser for a byte that a target has to encode (RFC 3986 2.1).
  return detail === 'Invalid char in url path'
    ? `the origin received raw bytes in the path, and refused them with ${status}`
    : `${status} from the origin: ${detail}`;
}

/**
 * A check that sends one request to `/anything` and judges what the origin received.
 *
 * @param expected what the finding says if the origin does not echo the request
 */
export function received(
  rule: Rule,
  request: EchoRequest | ((session: Session) => EchoRequest),
  judge: (received: Received, echo: Echo, session: Session) => Verdict,
  expected = 'the request reaches the origin',
): Check {
  return {
    ...rule,
    async run(session) {
      const message = typeof request === 'function' ? request(session) : request;
      const echo = await session.echo(message);
      if (echo.received) return judge(echo.received, echo, session);
      // For a fact there is nothing to fail.
      return rule.level === 'info'
        ? differs(withoutEcho(echo), echo.transfer)
        : fail(expected, withoutEcho(echo), echo.transfer);
    },
  };
}

function shown(values: readonly string[]): string {
  if (values.length === 0) return 'no such field';
  return values.map((value) => JSON.stringify(value)).join(', ');
}

/** A check that the field lines of a name arrive as they were sent. */
export function fieldArrives(rule: Rule, ...lines: readonly FieldLine[]): Check {
  const [name = ''] = lines[0] ?? [];
  const sent = lines.map(([, value]) => value.trim());
  return received(rule, { fields: lines }, ({ fields }, { transfer }) => {
    const arrived = valuesOf(fields, name);
    // RFC 9110 5.3: an intermediary may combine field lines, in order.
    const isCombined =
      arrived.length === 1 && arrived[0]?.split(/[ \t]*,[ \t]*/).join() === sent.join();
    if (isCombined) return pass(shown(arrived));
    return expectSame(shown(sent), shown(arrived), transfer);
  });
}

/** A check that a field of the request does not reach the origin. */
export function fieldIsRemoved(rule: Rule, names: readonly string[], request: EchoRequest): Check {
  return received(rule, request, ({ fields }, { transfer }) => {
    const left = names.filter((name) => valuesOf(fields, name).length > 0);
    if (left.length === 0) return pass();
    return fail(
      `${names.join(' and ')} removed`,
      `the origin received ${left.join(' and ')}`,
      transfer,
    );
  });
}

/**
 * A check that a malformed request is refused: by a status from 400, or by closing the connection; or
 * that it reaches the origin in a form that is safe.
 *
 * @param isSafe whether what the origin received is what RFC 9110 allows
 */
export async function refusedOr(
  session: Session,
  bytes: string,
  tag: string,
  expected: string,
  isSafe: (received: Received) => boolean = () => false,
): Promise<Verdict> {
  const transfer = await session.raw(bytes, bytes.slice(0, bytes.indexOf(' ')));
  return judgeRefusal(session, transfer, tag, expected, isSafe);
}

/** The same for a transfer that has been made. */
export async function judgeRefusal(
  session: Session,
  transfer: Transfer,
  tag: string,
  expected: string,
  isSafe: (received: Received) => boolean = () => false,
): Promise<Verdict> {
  const echo = receivedOf(transfer, tag);
  if (echo) {
    return isSafe(echo)
      ? pass('forwarded in a safe form')
      : fail(expected, 'the request was forwarded to the origin', transfer);
  }
  const { status = 0 } = transfer.response ?? {};
  if (transfer.response && status < 400) {
    return fail(expected, `${status} without an echo`, transfer);
  }
  if (transfer.ending === 'timeout') return fail(expected, 'no response in time', transfer);
  // Refused by the target, or by the origin, as behind a tunnel; unless the origin has accepted it, and
  // the client did not see that.
  const entries = await session.arrived(tag).catch(() => []);
  const isAccepted = entries.some((entry) => Number(objectOf(entry['response'])?.['status']) < 400);
  if (isAccepted) return fail(expected, 'the origin accepted the request', transfer);
  return pass(transfer.response ? `refused with ${status}` : `refused: ${transfer.ending}`);
}
