import type { JournalEntry } from '../../telemetry/journal/entry.ts';
import { topic } from '../check.ts';
import { differs, pass } from '../verdict.ts';
import { outcomeOf } from '../message.ts';
import { tagged } from '../origin.ts';
import type { Session } from '../session.ts';
import { counted } from '../words.ts';
import { FrontConnection } from './front-connection.ts';

const BACKEND = {
  section: 'RFC 9112 9.3',
  level: 'info',
  risk: 'latency',
  needs: ['gateway', 'journal'],
} as const;

const REQUESTS = 6;
/** Seconds that the origin delays concurrent requests. The second is for a busy machine that sent them one by one. */
const DELAYS = [0.5, 2];

/** Sends requests at once: on one connection of HTTP/2, or on several of HTTP/1.1. */
async function sendAtOnce(session: Session, tag: string, delay: number): Promise<void> {
  const messages = Array.from({ length: REQUESTS }, () =>
    tagged(tag, { target: `/delay/${delay}` }),
  );
  const shared = session.front === 'h2' ? await session.open() : undefined;
  const clients = await Promise.all(messages.map(async () => shared ?? session.open()));
  await Promise.all(
    messages.map(async (message, at) => {
      const client = clients[at];
      if (client) await session.sendOn(client, message);
    }),
  );
}

/** The largest number of requests that were open at the origin at the same time. */
function mostAtOnce(entries: readonly JournalEntry[]): number {
  const spans = entries.map(({ time, timing }) => {
    const begin = Date.parse(time);
    return { begin, end: begin + (timing.duration_ms ?? Infinity) };
  });
  return Math.max(
    0,
    ...spans.map(
      ({ begin }) => spans.filter((span) => span.begin <= begin && begin < span.end).length,
    ),
  );
}

/** How a target uses its connections to the origin. */
export const backendChecks = topic(BACKEND, [
  {
    id: 'backend/sequential',
    rule: `How many connections to the origin the target opens for ${REQUESTS} sequential requests on one client connection.`,
    needs: ['gateway'],
    // Requests of other checks would take connections from the pool of the target.
    phase: 'alone',
    async run(session) {
      const front = new FrontConnection(session);
      const connections = new Set<string>();
      let opened = 0;
      for (let number = 1; number <= REQUESTS; number++) {
        const { transfer, received } = await front.echo();
        if (!received) return differs(outcomeOf(transfer), transfer);
        connections.add(received.connection);
        if (received.requestNumber === 1) opened++;
      }
      const found = `${counted(connections.size, 'connection')}, ${opened} opened`;
      // Workers and threads of the target can have pools of their own.
      return opened < REQUESTS ? pass(found) : differs(found);
    },
  },
  {
    id: 'backend/parallel',
    rule: `How many connections to the origin serve ${REQUESTS} concurrent requests, and whether some of them wait.`,
    phase: 'timed',
    async run(session) {
      let found = '';
      for (const delay of DELAYS) {
        const tag = session.newTag();
        await sendAtOnce(session, tag, delay);
        const entries = await session.arrived(tag);
        const connections = new Set(entries.map(({ conn }) => conn)).size;
        const most = mostAtOnce(entries);
        found = `${counted(connections, 'connection')}, ${most} of ${REQUESTS} requests concurrently`;
        if (most >= REQUESTS) return pass(found);
      }
      return differs(found);
    },
  },
]);
