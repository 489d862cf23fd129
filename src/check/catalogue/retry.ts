import { createHash } from 'node:crypto';
import type { JournalEntry } from '../../telemetry/journal/entry.ts';
import { topic, type TopicCheck } from '../check.ts';
import { differs, fail, failProven, notApplicable, pass } from '../verdict.ts';
import { endingOf, outcomeOf, type RequestMessage, type Transfer } from '../message.ts';
import { tagged } from '../origin.ts';
import type { Remedy } from '../remedy.ts';
import type { Session } from '../session.ts';
import { counted } from '../words.ts';
import { answeredByTarget } from './received.ts';

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

/** Statuses beside 503 after which proxies can be told to retry. */
const STATUSES = [403, 404, 409, 429, 500, 502, 504];

/** Seconds to wait for a retry. */
const LATE_ATTEMPT = 0.3;

/**
 * Sends a request while the target has an idle connection to the origin: some targets retry only if a reused connection
 * fails.
 *
 * @returns the journal entries, and the transfer
 */
async function arrivals(
  session: Session,
  message: RequestMessage,
): Promise<readonly [entries: readonly JournalEntry[], transfer: Transfer]> {
  await session.echo();
  const tag = session.newTag();
  const transfer = await session.send(tagged(tag, message));
  // The journal has attempts at /retry by its key, with or without the tag. Some are made after the response.
  const [, key = tag] = /^\/retry\/([^?]+)/.exec(message.target) ?? [];
  return [await session.arrived(key, `?wait=2&timeout=${LATE_ATTEMPT}`), transfer];
}

/** Counts how often a request reaches the origin. */
async function attempts(
  session: Session,
  message: RequestMessage,
): Promise<readonly [count: number, transfer: Transfer]> {
  const [{ length }, transfer] = await arrivals(session, message);
  return [length, transfer];
}

/** A target that fails once, then succeeds. Its unique name is the key of the origin's count. */
const failsOnce = (session: Session, kind: RetryKind | number): string =>
  `/retry/${session.newTag()}?fail=1&with=${kind}`;

const ONCE: Remedy = {
  advice: 'Retry only requests whose methods are idempotent.',
  directives: {
    nginx: [['location', 'proxy_next_upstream error timeout;']],
    haproxy: [['frontend', 'http-request disable-l7-retry if METH_POST']],
  },
};

function postIsNotRepeated(kind: RetryKind): TopicCheck {
  return {
    id: `retry/post-${kind}`,
    rule: `POST is not retried ${AFTER[kind]}.`,
    remedy: ONCE,
    async run(session) {
      const [count, transfer] = await attempts(session, {
        method: 'POST',
        target: failsOnce(session, kind),
        content: 'content',
      });
      if (count === 0) return answeredByTarget({ transfer });
      return count === 1
        ? pass('1 attempt')
        : failProven('1 attempt', counted(count, 'attempt'), transfer);
    },
  };
}

function howOftenGet(kind: RetryKind): TopicCheck {
  return {
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

/** HTTP/2 error code REFUSED_STREAM (RFC 9113 7). */
const ERROR_REFUSED_STREAM = 7;

/** Content sizes in bytes for which it is checked whether the request is retried. */
const SIZES = [1, 4, 16, 64, 256, 1000].map((kib) => kib * 1024);

const sizeText = (bytes: number): string => `${bytes / 1024} KiB`;

/** Contents of less than 4 KiB and more than 64 KiB. All numbers in them differ, so that a wrong part is noticed. */
const CONTENTS = [1000, 20_000].map((length) =>
  Buffer.from(Array.from({ length }, (_, at) => at).join(' ')),
);

/** An idempotent request with content. */
const putOf = (session: Session, kind: RetryKind, content: Buffer): RequestMessage => ({
  method: 'PUT',
  target: failsOnce(session, kind),
  content,
});

/** Whether an attempt has wrong content. One that is cut off has no effect: the origin reads all before it succeeds. */
const isOther =
  (sha256: string) =>
  ({ content }: JournalEntry): boolean =>
    content.complete && content.sha256 !== sha256;

/** Which requests are retried, as the journal of the origin shows (RFC 9110 9.2.2). */
export const retryChecks = topic(RETRY, [
  ...KINDS.map(postIsNotRepeated),
  {
    id: 'retry/post-status',
    remedy: ONCE,
    rule: `POST is not retried after another status: ${STATUSES.join(', ')}.`,
    async run(session) {
      const tried = await Promise.all(
        STATUSES.map(async (status) => {
          const [count, transfer] = await attempts(session, {
            method: 'POST',
            target: failsOnce(session, status),
            content: 'content',
          });
          return { status, count, transfer };
        }),
      );
      const repeated = tried.filter(({ count }) => count > 1);
      const unseen = tried.find(({ count }) => count === 0);
      if (repeated.length > 0) {
        const statuses = repeated.map(({ status }) => status).join(', ');
        return failProven(
          '1 attempt',
          `more after ${statuses}`,
          ...repeated.map((each) => each.transfer),
        );
      }
      return unseen ? answeredByTarget(unseen) : pass('1 attempt');
    },
  },
  ...KINDS.map(howOftenGet),
  {
    id: 'retry/query',
    section: 'RFC 10008 2',
    rule: 'Whether QUERY, which is safe and idempotent, is retried.',
    level: 'info',
    risk: 'latency',
    async run(session) {
      const repeated: string[] = [];
      const evidence: Transfer[] = [];
      for (const kind of KINDS) {
        const [count, transfer] = await attempts(session, {
          method: 'QUERY',
          target: failsOnce(session, kind),
          content: 'content',
          fields: [['Content-Type', 'text/plain']],
        });
        if (count === 0) return answeredByTarget({ transfer });
        if (count === 1) continue;
        repeated.push(AFTER[kind]);
        evidence.push(transfer);
      }
      if (repeated.length === 0) return pass('1 attempt');
      return differs(`retried ${repeated.join(', ')}`, ...evidence);
    },
  },
  {
    id: 'retry/content',
    rule: 'A request that is retried has the same content again.',
    async run(session) {
      let repeated = 0;
      for (const [kind, content] of KINDS.flatMap((each) =>
        CONTENTS.map((bytes) => [each, bytes] as const),
      )) {
        const sha256 = createHash('sha256').update(content).digest('hex');
        const [entries, transfer] = await arrivals(session, putOf(session, kind, content));
        const other = entries.slice(1).find(isOther(sha256));
        if (other) {
          const found = `${other.content.octets} bytes after ${kind}, or others`;
          return failProven(`the same ${content.length} bytes`, found, transfer);
        }
        repeated += entries.slice(1).filter((entry) => entry.content.sha256 === sha256).length;
      }
      return repeated > 0 ? pass('the same content') : notApplicable('PUT is not retried');
    },
  },
  {
    id: 'retry/content-size',
    rule: `Up to which size of content PUT is retried: ${SIZES.map(sizeText).join(', ')}.`,
    level: 'info',
    risk: 'latency',
    async run(session) {
      const found: string[] = [];
      for (const kind of KINDS) {
        let largest: number | undefined;
        for (const size of SIZES) {
          const content = Buffer.alloc(size, 'x');
          const [count] = await attempts(session, putOf(session, kind, content));
          if (count < 2) break;
          largest = size;
        }
        if (largest !== undefined) found.push(`up to ${sizeText(largest)} after ${kind}`);
      }
      return found.length === 0 ? pass('PUT is not retried') : differs(found.join(', '));
    },
  },
  {
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
  {
    id: 'retry/processed',
    section: 'RFC 9113 8.7',
    rule: 'A request that the origin has received is not reset with REFUSED_STREAM, after which clients send it again.',
    fronts: ['h2'],
    async run(session) {
      const found = new Set<string>();
      for (const fault of ['close', 'reset']) {
        const target = session.unique(`/fault/${fault}?at=start`);
        const [count, transfer] = await attempts(session, {
          method: 'POST',
          target,
          content: 'content',
        });
        const words = endingOf(transfer);
        if (count === 0) return notApplicable(`the request does not reach the origin: ${words}`);
        if (transfer.ending === 'reset' && transfer.errorCode === ERROR_REFUSED_STREAM)
          return fail('502, or another error code', words, transfer);
        found.add(words);
      }
      return pass(Array.from(found).join(', '));
    },
  },
]);
