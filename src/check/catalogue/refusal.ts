import { fail, pass, type Check, type Rule, type Verdict } from '../check.ts';
import type { Transfer } from '../message.ts';
import { receivedOf, TAG, type Received } from '../origin.ts';
import type { Session } from '../session.ts';

/** A request on HTTP/1.1 as it is written, right or wrong. */
export interface RawRequest {
  /** Default: GET. */
  readonly method?: string;
  /** Default: a path below `/anything` with the tag. */
  readonly target?: string;
  /** Default: HTTP/1.1. */
  readonly version?: string;
  /** The values of Host. Default: one, that of the target. */
  readonly hosts?: readonly string[];
  /** Lines after Host and the field of the tag. */
  readonly lines?: readonly string[];
  readonly content?: string;
}

/** The bytes of a request with a tag. */
export function rawRequest(
  { target: { authority } }: Session,
  tag: string,
  request: RawRequest = {},
): string {
  const { method = 'GET', target = `/anything/${tag}`, version = 'HTTP/1.1' } = request;
  const { hosts = [authority], lines = [], content = '' } = request;
  const head = [
    `${method} ${target} ${version}`,
    ...hosts.map((host) => `Host: ${host}`),
    `${TAG}: ${tag}`,
    ...lines,
  ];
  return `${head.join('\r\n')}\r\n\r\n${content}`;
}

/** What a check of a malformed request expects. */
interface Refusal {
  /** What the finding says. Default: `refused`. */
  readonly expected?: string;
  /** As in `judgeRefusal()`. */
  readonly isSafe?: ((received: Received) => boolean) | undefined;
  /** Changes the bytes of the request. */
  readonly change?: (bytes: string) => string;
}

/** A check that a malformed request is refused, or forwarded in a form that is safe. */
export function isRefused(
  rule: Rule,
  request: RawRequest,
  { expected = 'refused', isSafe, change = (bytes) => bytes }: Refusal = {},
): Check {
  return {
    fronts: ['http/1.1'],
    ...rule,
    async run(session) {
      const tag = session.newTag();
      const bytes = change(rawRequest(session, tag, request));
      const transfer = await session.raw(bytes, request.method);
      return judgeRefusal(session, transfer, tag, expected, isSafe);
    },
  };
}

/**
 * Judges a malformed request: it is refused, by a status from 400 or by closing the connection; or it
 * reaches the origin in a form that is safe.
 *
 * @param isSafe whether what the origin received is what RFC 9110 allows
 */
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
  const isAccepted = entries.some(({ response }) => response !== null && response.status < 400);
  if (isAccepted) {
    const got = transfer.response ? String(status) : transfer.ending;
    return fail(expected, `the origin accepted the request; the client received ${got}`, transfer);
  }
  return pass(transfer.response ? `refused with ${status}` : `refused: ${transfer.ending}`);
}
