import { setTimeout as pause } from 'node:timers/promises';
import { topic } from '../check.ts';
import { differs, fail, pass } from '../verdict.ts';
import { Unjudged } from '../unjudged.ts';
import { outcomeOf } from '../message.ts';
import type { Echo, Session } from '../session.ts';
import { FrontConnection } from './front-connection.ts';

const DRAIN = {
  section: 'RFC 9112 9.6',
  level: 'quality',
  risk: 'data-loss',
  needs: ['gateway', 'journal', 'control'],
  phase: 'alone',
} as const;

/** Milliseconds between requests, and for how long they are sent after the origin serves again. */
const INTERVAL = 50;
const AFTERWARDS = 500;
/** Seconds that a draining origin gives its open requests. */
const TIMEOUT = 3;

/** Sends GET and POST alternately until `isOver()`. */
async function sendSteadily(session: Session, isOver: () => boolean): Promise<Echo[]> {
  const connection = new FrontConnection(session);
  const echoes: Echo[] = [];
  for (let number = 0; !isOver(); number++) {
    const content = number % 2 === 0 ? {} : { method: 'POST', content: 'content' };
    echoes.push(await connection.echo({ target: '/anything/drain', ...content }));
    await pause(INTERVAL);
  }
  return echoes;
}

/** Drains the origin. @returns whether it is ready again in time @throws Error if it does not drain */
async function drainOrigin(session: Session): Promise<boolean> {
  const { target, time } = session;
  const { response, ending } = await target.drain(TIMEOUT, time);
  if (response?.status !== 202) {
    throw new Unjudged(`the origin does not drain: ${response?.status ?? ending}`);
  }
  return target.isReady(2 * TIMEOUT * 1000);
}

/** Checks that no request is lost while the origin drains and restarts. */
export const drainChecks = topic(DRAIN, [
  {
    id: 'drain/open-requests',
    rule: 'A response that a draining origin completes is also complete for the client.',
    async run(session) {
      const connection = new FrontConnection(session);
      const slow = connection.send({ target: '/drip?numbytes=10&duration=1' });
      slow.catch(() => undefined);
      await pause(200);
      await drainOrigin(session);
      const transfer = await slow;
      const { response, ending } = transfer;
      return ending === 'complete' && response?.status === 200 && response.content.length === 10
        ? pass()
        : fail('10 bytes', outcomeOf(transfer), transfer);
    },
  },
  {
    id: 'drain/requests',
    rule: 'Responses of a draining origin are not lost, and requests succeed once it is ready again.',
    async run(session) {
      let isOver = false;
      const sending = sendSteadily(session, () => isOver);
      // The error of a refused connection is thrown when the responses are awaited. It must not be unhandled until
      // then.
      sending.catch(() => undefined);
      const isBack = await drainOrigin(session);
      await pause(AFTERWARDS);
      isOver = true;
      const sent = await sending;
      if (!isBack) throw new Unjudged('the origin does not serve again');
      const last = sent.at(-1);
      if (last && !last.received) {
        const found = `${outcomeOf(last.transfer)} after the origin serves again`;
        return fail('200', found, last.transfer);
      }
      const lost = sent.filter(({ received }) => !received);
      for (const { tag, transfer } of lost) {
        const isProcessed = (await session.arrived(tag)).some(({ outcome }) => outcome === 'sent');
        if (isProcessed) return fail('the response of the origin', outcomeOf(transfer), transfer);
      }
      const [first] = lost;
      if (!first) return pass(`all ${sent.length} served`);
      const found = `${lost.length} of ${sent.length} requests reach no origin: ${outcomeOf(first.transfer)}`;
      return differs(found, first.transfer);
    },
  },
]);
