import { setTimeout as pause } from 'node:timers/promises';
import { topic, type Check, type FamilyRule, type TopicCheck } from '../check.ts';
import { outcomeOf, type Transfer } from '../message.ts';
import { tagged } from '../origin.ts';
import type { Echo, Session } from '../session.ts';
import { differs, fail, failProven, notApplicable, pass, type Verdict } from '../verdict.ts';
import { POOL_ATTEMPTS } from './bounds.ts';
import { FrontConnection } from './front-connection.ts';

const IDLE = {
  section: 'RFC 9112 9.6',
  level: 'quality',
  risk: 'interop',
  needs: ['gateway', 'faults', 'http1-origin'],
  phase: 'alone',
} as const;

/** Seconds after a response at which the origin stops serving the connection and closes it. */
const STALE = 1;
/** Milliseconds that the target may need to notice that a connection is closed. */
const MARGIN = 200;
/** Milliseconds: a request that takes longer was first sent on the connection that the origin is closing. */
const WAITED = 800;

/** Seconds to wait for a retried request at the origin after the client has its response. */
const RETRY_TIME = 0.5;

/** A check of a request on an idle connection that the origin is about to close. */
function onStaleConnection({
  method,
  judge,
  ...rule
}: FamilyRule & {
  readonly method: 'GET' | 'POST';
  readonly judge: (echo: Echo, prime: Transfer, session: Session) => Verdict | Promise<Verdict>;
}): TopicCheck {
  return {
    ...rule,
    async run(session) {
      for (let attempt = 0; attempt < POOL_ATTEMPTS; attempt++) {
        const connection = new FrontConnection(session);
        await connection.emptyPool();
        const target = `/fault/stall?at=end&length=10&for=${STALE}`;
        const prime = await connection.send({ target });
        if (prime.ending !== 'complete') return fail('200', outcomeOf(prime), prime);
        if (prime.duration > WAITED) return notApplicable('the response is held back');
        const echo = await connection.echo({ method, ...(method === 'POST' && { content: 'a' }) });
        if (echo.transfer.duration >= WAITED || !echo.received) return judge(echo, prime, session);
        // Another request could get the closing connection, if not of this check then of the next. Wait until it is closed.
        const isPooled = echo.received.requestNumber > 1 || session.target.instances.count > 1;
        if (isPooled) await pause(STALE * 1000 + MARGIN);
      }
      return notApplicable('the target does not use the connection again');
    },
  };
}

/**
 * A check that requests are served after the origin has closed a connection.
 *
 * @param requests their methods, and how many milliseconds after the end of the connection they are sent. A GET that is
 *   sent on it anyway may be retried, a POST not.
 */
function afterClose({
  target,
  requests,
  ...rule
}: FamilyRule & {
  readonly target: string;
  readonly requests: readonly (readonly [method: 'GET' | 'POST', time: number])[];
}): TopicCheck {
  return {
    ...rule,
    // Otherwise it would not be known which of its connections the target has closed.
    after: ['connection/close-announced'],
    async run(session) {
      const connection = new FrontConnection(session);
      for (const [method, time] of requests) {
        const closing = await connection.send({ target });
        await pause(time);
        const echo = await connection.echo({ method, ...(method === 'POST' && { content: 'a' }) });
        if (!echo.received) {
          const found = `${outcomeOf(echo.transfer)} to ${method} after ${time} ms`;
          return fail('200', found, closing, echo.transfer);
        }
      }
      return pass();
    },
  };
}

/** Connections that end between two requests (RFC 9112 9.3.1, 9.6). */
export const idleChecks = topic(IDLE, [
  onStaleConnection({
    id: 'idle/stale-get',
    section: 'RFC 9112 9.3.1',
    rule: 'A GET sent on an idle connection while the origin closes it is retried.',
    method: 'GET',
    judge: ({ transfer, received }, prime) => {
      if (received) return pass(`retried after ${Math.round(transfer.duration)} ms`);
      // RFC 9112 9.3.1: the client may also send the request again.
      return transfer.response
        ? fail('200', outcomeOf(transfer), prime, transfer)
        : differs(`not retried: ${outcomeOf(transfer)}`, prime, transfer);
    },
  }),
  onStaleConnection({
    id: 'idle/stale-post',
    section: 'RFC 9110 9.2.2',
    rule: 'A POST sent on an idle connection while the origin closes it is not retried.',
    level: 'must',
    risk: 'data-loss',
    method: 'POST',
    judge: async ({ transfer, received, tag }, prime, session) => {
      if (received) return fail('502', `retried: ${outcomeOf(transfer)}`, prime, transfer);
      const isJournalled = session.met.has('journal');
      const late = isJournalled ? await session.arrived(tag, `?wait=1&timeout=${RETRY_TIME}`) : [];
      return late.length > 0
        ? failProven('no retry', `${outcomeOf(transfer)}, and a retry after it`, prime, transfer)
        : pass(outcomeOf(transfer));
    },
  }),
  afterClose({
    id: 'idle/announced',
    rule: 'After Connection: close from the origin, the next request uses another connection.',
    level: 'must',
    target: '/anything?connection=close',
    requests: [
      ['GET', 0],
      ['GET', 0],
      ['GET', 0],
      ['GET', 20],
      ['POST', 0],
      ['POST', 20],
    ],
  }),
  afterClose({
    id: 'idle/closed',
    rule: 'A connection that the origin has closed is not reused.',
    target: '/fault/close?at=end&length=10',
    // A busy target needs a while to notice.
    requests: [
      ['GET', 300],
      ['POST', 300],
    ],
  }),
  {
    id: 'idle/front',
    section: 'RFC 9112 9.5',
    rule: 'How long an idle connection of a client stays open.',
    level: 'info',
    risk: 'latency',
    fronts: ['http/1.1'],
    needs: ['gateway'],
    phase: 'timed',
    async run(session) {
      const client = await session.openHttp1();
      const { time } = session;
      const transfer = await session.sendOn(client, { target: '/healthz' });
      if (!transfer.isReusable) return differs('closed after one request', transfer);
      const start = performance.now();
      // Many targets close after 5 s, which is also the default of --timeout, or up to 1 s later.
      const limit = 1.5 * time;
      return (await client.closed(limit))
        ? differs(`closed after ${((performance.now() - start) / 1000).toFixed(1)} s`)
        : pass(`still open after ${limit / 1000} s`);
    },
  },
]);

const LADDER = {
  section: 'RFC 9112 9.3.1',
  level: 'info',
  risk: 'interop',
  phase: 'alone',
  isSlow: true,
} as const;

/** Seconds for which a connection to the origin is left idle. */
const IDLE_SECONDS = [1, 2, 5, 10, 20];
/** Seconds after which the origin closes an idle connection. `idle/stale-*` has 1. */
const CLOSES = [2, 5, 10];
/** Seconds for which the origin sends nothing before its response. */
const SILENT = [5, 30, 65];
/** Milliseconds by which a request is sent before the origin closes the idle connection. */
const BEFORE = 50;

/** A check of how long the target waits for a response to POST. @param second milliseconds of a second; less in tests */
function silentOrigin(second: number): TopicCheck {
  return {
    id: 'idle/silent-origin',
    section: 'RFC 9110 9.2.2',
    rule: `For how long the target waits for a response of the origin: ${SILENT.join(', ')} s. It does not retry POST then.`,
    level: 'must',
    risk: 'data-loss',
    needs: ['gateway', 'journal'],
    async run(session) {
      const replies = await Promise.all(
        SILENT.map(async (time) => {
          const tag = session.newTag();
          const target = `/delay/${(time * second) / 1000}`;
          const transfer = await session.send(
            tagged(tag, { method: 'POST', target, content: 'content' }),
            { time: time * second + session.time },
          );
          return { tag, transfer };
        }),
      );
      for (const { tag, transfer } of replies) {
        const { length } = await session.arrived(tag, `?wait=2&timeout=${RETRY_TIME}`);
        if (length > 1) return failProven('1 attempt', `${length} attempts`, transfer);
      }
      const failed = replies.find(({ transfer }) => transfer.response?.status !== 200)?.transfer;
      if (!failed) return pass(`for ${SILENT.at(-1)} s`);
      return differs(
        `${outcomeOf(failed)} after ${Math.round(failed.duration / second)} s`,
        failed,
      );
    },
  };
}

/**
 * Checks of connections to the origin that are idle for long (RFC 9112 9.3.1).
 *
 * @param second milliseconds of a second; less in tests
 */
export function idleLadderChecks(second = 1000): readonly Check[] {
  return topic(LADDER, [
    {
      id: 'idle/pool',
      rule: `For how long the target keeps an idle connection to the origin: ${IDLE_SECONDS.join(', ')} s.`,
      risk: 'latency',
      needs: ['gateway'],
      async run(session) {
        await session.echo();
        let kept = 0;
        for (const time of IDLE_SECONDS) {
          await pause(time * second);
          const { transfer, received } = await session.echo();
          if (!received) return differs(`${outcomeOf(transfer)} after ${time} s`, transfer);
          if (received.requestNumber === 1) {
            return differs(kept === 0 ? `not for ${time} s` : `for ${kept} s, not for ${time} s`);
          }
          kept = time;
        }
        return pass(`for ${kept} s`);
      },
    },
    {
      id: 'idle/ladder',
      rule: `Whether a GET succeeds that is sent while the origin closes an idle connection, after ${CLOSES.join(', ')} s.`,
      needs: ['gateway', 'faults', 'http1-origin'],
      async run(session) {
        const found: string[] = [];
        let isServed = true;
        for (const time of CLOSES) {
          const seconds = (time * second) / 1000;
          const target = `/fault/stall?at=end&length=10&for=${seconds}`;
          const prime = await new FrontConnection(session).send({ target });
          if (prime.ending !== 'complete') return notApplicable(outcomeOf(prime));
          // The origin counts idle time from the end of its response, not from the request.
          await pause(time * second - BEFORE);
          const { transfer, received } = await session.echo();
          isServed &&= received !== undefined;
          found.push(`${outcomeOf(transfer)} after ${time} s`);
        }
        return isServed ? pass(found.join(', ')) : differs(found.join(', '));
      },
    },
    silentOrigin(second),
  ]);
}
