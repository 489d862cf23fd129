import type { JournalEntry } from '../../telemetry/journal/entry.ts';
import { topic } from '../check.ts';
import { differs, fail, notApplicable, pass, type Verdict } from '../verdict.ts';
import { outcomeOf, type Transfer } from '../message.ts';
import { tagged } from '../origin.ts';
import type { Session } from '../session.ts';
import { counted } from '../words.ts';
import { PROMPT } from './bounds.ts';
import { Followers } from './followers.ts';
import { FrontConnection } from './front-connection.ts';
import { rawRequest } from './refusal.ts';

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

/** Bytes that are sent of an upload that the origin answers before its end. */
const BEGUN = 1000;
/**
 * Bytes that are left out of it, and whether the client then stays. Those of a request that follows on the connection
 * would be taken for the rest: the beginning of its first line, or all of it.
 */
const UPLOADS = [
  { rest: 40, stays: false },
  { rest: 10_000, stays: true },
  { rest: 40, stays: true },
] as const;
/** Requests of other clients at once, after each of these uploads. */
const FOLLOWERS = 5;

/** An upload that the origin has answered before its end. */
interface Unfinished {
  readonly tag: string;
  readonly transfer: Transfer;
  readonly close: () => void;
  /** Sends what was left out. */
  readonly sendRest: () => void;
}

/** Sends the beginning of an upload, and reads the response. */
async function beginUpload(session: Session, rest: number): Promise<Unfinished> {
  const tag = session.newTag();
  const target = session.unique('/early?status=413');
  const begun = 'x'.repeat(BEGUN);
  const left = Buffer.alloc(rest, 'x');
  if (session.front === 'h2') {
    const client = await session.openHttp2();
    const content = Buffer.alloc(BEGUN + rest);
    const stream = client.start(tagged(tag, { method: 'POST', target, content }));
    const { time } = session;
    await client.sendContent(stream, Buffer.from(begun), time, undefined, false);
    const transfer = session.record(await client.finish(stream, PROMPT));
    const sendRest = (): void => void client.sendContent(stream, left, 0);
    return { tag, transfer, close: () => client.close(), sendRest };
  }
  const client = await session.openHttp1();
  const lines = [`Content-Length: ${BEGUN + rest}`];
  const bytes = rawRequest(session, tag, { method: 'POST', target, lines, content: begun });
  const sending = client.exchange(Buffer.from(bytes), 'POST', { time: PROMPT });
  const transfer = session.record(await sending);
  return { tag, transfer, close: () => client.close(), sendRest: () => client.write(left) };
}

/** Whether a connection to the origin is used again while the origin waits for the rest of an upload. */
async function afterUnfinished(session: Session): Promise<Verdict> {
  const followers = new Followers(session, FOLLOWERS);
  for (const { rest, stays } of UPLOADS) {
    const upload = await beginUpload(session, rest);
    const { transfer, tag } = upload;
    if (transfer.response?.status !== 413)
      return notApplicable(`${outcomeOf(transfer)} before all of the content is sent, not 413`);
    if (!stays) upload.close();
    const lost = await followers.unserved('an upload that was answered before its end', transfer);
    if (lost) return lost;
    const [entry] = await session.arrived(tag);
    const octets = entry?.content.octets ?? 0;
    if (octets > BEGUN) {
      const found = `the origin received ${octets}: those of another request`;
      return fail(`${BEGUN} bytes of content`, found, transfer);
    }
    if (stays) upload.sendRest();
  }
  return pass();
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
  {
    id: 'backend/unfinished',
    rule: 'A connection on which the origin waits for the rest of an upload serves no other request.',
    level: 'must',
    risk: 'security',
    // Requests of other checks would take the connection, and be lost.
    phase: 'last',
    run: afterUnfinished,
  },
]);
