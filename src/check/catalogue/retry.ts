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

const AFTER: Readonly<Record<RetryKind, string>> = {
  503: 'after 503',
  close: 'after the origin closes the connection without a response',
  reset: 'after the origin resets the connection',
};

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
    rule: `POST is not retried ${AFTER[kind]}.`,
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
    rule: `Whether GET is retried ${AFTER[kind]}.`,
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
    rule: 'Whether a request that the origin refuses with REFUSED_STREAM, and so has not processed, is retried.',
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
