import { setTimeout as pause } from 'node:timers/promises';
import { topic, type Check, type TopicCheck } from '../check.ts';
import { differs, notApplicable, pass } from '../verdict.ts';
import { outcomeOf } from '../message.ts';
import { FrontConnection } from './front-connection.ts';

const LADDER = {
  section: 'RFC 9112 9.3.1',
  level: 'info',
  risk: 'interop',
  phase: 'alone',
  isSlow: true,
} as const;

/** Seconds for which a connection to the origin is left idle. */
const IDLE = [1, 2, 5, 10, 20];
/** Seconds after which the origin closes an idle connection. `idle/stale-*` has 1. */
const CLOSES = [2, 5, 10];
/** Seconds for which the origin sends nothing before its response. */
const SILENT = [5, 30, 65];
/** Milliseconds by which a request is sent before the origin closes the idle connection. */
const BEFORE = 50;

/** A check of how long the target waits for a response. @param second milliseconds of a second; less in tests */
function silentOrigin(second: number): TopicCheck {
  return {
    id: 'idle/silent-origin',
    section: 'RFC 9110 15.6.5',
    rule: `For how long the target waits for a response of the origin: ${SILENT.join(', ')} s.`,
    needs: ['gateway'],
    async run(session) {
      const replies = await Promise.all(
        SILENT.map((time) =>
          session.send(
            { target: `/delay/${(time * second) / 1000}` },
            { time: time * second + session.time },
          ),
        ),
      );
      const failed = replies.find(({ response }) => response?.status !== 200);
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
      rule: `For how long the target keeps an idle connection to the origin: ${IDLE.join(', ')} s.`,
      risk: 'latency',
      needs: ['gateway'],
      async run(session) {
        await session.echo();
        let kept = 0;
        for (const time of IDLE) {
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
