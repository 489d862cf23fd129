import { differs, expectSame, notApplicable, pass, type Check } from '../check.ts';
import { outcomeOf, type RequestMessage, type Transfer } from '../message.ts';
import { tagged } from '../origin.ts';
import type { Session } from '../session.ts';

const RETRY = {
  section: 'RFC 9110 9.2.2',
  level: 'must',
  risk: 'data-loss',
  needs: ['journal', 'faults', 'gateway'],
} as const;

const KINDS = ['503', 'close', 'reset'] as const;
type RetryKind = (typeof KINDS)[number];

/**
 * Sends a request once, when there is a connection to the origin that is kept alive: some repeat requests only if such
 * a connection ends.
 *
 * @returns how many reach the origin, and the transfer
 */
async function attempts(
  session: Session,
  message: RequestMessage,
): Promise<readonly [count: number, transfer: Transfer]> {
  await session.echo();
  const tag = session.newTag();
  const transfer = await session.send(tagged(tag, message));
  return [(await session.arrived(tag)).length, transfer];
}

/** A target that fails once, then succeeds. Each has a name of its own, by which the origin counts. */
const failsOnce = (session: Session, kind: RetryKind): string =>
  `/retry/${session.newTag()}?fail=1&with=${kind}`;

function postIsNotRepeated(kind: RetryKind): Check {
  return {
    ...RETRY,
    id: `retry/post-${kind}`,
    rule: `POST, which is not idempotent, is not repeated by itself after ${kind}.`,
    async run(session) {
      const [count, transfer] = await attempts(session, {
        method: 'POST',
        target: failsOnce(session, kind),
        content: 'content',
      });
      if (count === 0)
        return notApplicable(`the request does not reach the origin: ${outcomeOf(transfer)}`);
      return expectSame('1 attempt', `${count} ${count === 1 ? 'attempt' : 'attempts'}`, transfer);
    },
  };
}

function howOftenGet(kind: RetryKind): Check {
  return {
    ...RETRY,
    id: `retry/get-${kind}`,
    rule: `How often GET is sent when the origin fails once by ${kind}.`,
    level: 'info',
    risk: 'latency',
    async run(session) {
      const [count, transfer] = await attempts(session, { target: failsOnce(session, kind) });
      const outcome = outcomeOf(transfer);
      return count === 1
        ? pass(`1 attempt, ${outcome}`)
        : differs(`${count} attempts, ${outcome}`, transfer);
    },
  };
}

/** Which requests are repeated, proved by the journal of the origin (RFC 9110 9.2.2). */
export const retryChecks: readonly Check[] = [
  ...KINDS.map(postIsNotRepeated),
  ...KINDS.map(howOftenGet),
  {
    ...RETRY,
    id: 'retry/refused-stream',
    section: 'RFC 9113 8.7',
    rule: 'A request that the origin refuses by REFUSED_STREAM was not processed, and may be repeated.',
    level: 'info',
    risk: 'latency',
    needs: [...RETRY.needs, 'h2-origin'],
    async run(session) {
      const target = '/fault/rst-stream?code=REFUSED_STREAM&at=start';
      const [count, transfer] = await attempts(session, { target });
      return count === 1 ? pass('1 attempt') : differs(`${count} attempts`, transfer);
    },
  },
];
