import { once } from 'node:events';
import type { Socket } from 'node:net';
import { DEFAULT_WINDOW, FrameType, uint32 } from '../../wire/http2/frame.ts';
import type { JournalEntry } from '../../telemetry/journal/entry.ts';
import { topic } from '../check.ts';
import { differs, fail, notApplicable, pass, type Verdict } from '../verdict.ts';
import { http1Request } from '../client/http1-message.ts';
import { Http2Client } from '../client/http2-client.ts';
import { outcomeOf, type RequestMessage, type Transfer } from '../message.ts';
import { tagged } from '../origin.ts';
import type { Echo, Session } from '../session.ts';
import type { Client } from '../target.ts';
import { KiB } from './bounds.ts';

const BACKPRESSURE = {
  section: 'RFC 9110 7.7',
  level: 'quality',
  risk: 'latency',
  phase: 'timed',
} as const;

const MiB = 1024 * KiB;
/** Bytes of a response that is not read: as many as an origin sends. */
const RESPONSE = 10 * MiB;
/** Bytes of an upload that is not read: more than the buffers of TCP on both sides of a target. */
const UPLOAD = 32 * MiB;
/** The same where the target refuses more: within the limits that are common. */
const SMALL_UPLOAD = MiB / 2;
const PIECE = Buffer.alloc(64 * KiB, 'x');
/** Seconds in which a target that does not limit what it buffers has taken all of a response. */
const BLOCKED = 2;
/** Milliseconds in which nothing of an upload is taken any more. */
const STALLED = 1000;
/** Small requests beside what is not read. */
const NEIGHBOURS = 4;
/** More seconds than any of these checks takes. */
const NO_READ = '/fault/no-read?for=60';

const inMib = (bytes: number): string => `${(bytes / MiB).toFixed(1)} MiB`;

/** Less than a transfer may take. */
const blockedFor = ({ time }: Session): number => Math.min(BLOCKED, time / 2000);

/** Sends a request whose response the client does not read: on HTTP/2, no more than a window. */
async function requestUnread(session: Session, message: RequestMessage): Promise<Client> {
  if (session.front === 'h2') {
    const client = await session.openHttp2({ settings: [], renewsWindows: false });
    client.start(message);
    return client;
  }
  const client = await session.openHttp1();
  client.sendUnread(message);
  return client;
}

/** A large response that no cache has. */
const largeResponse = (session: Session, tag: string): RequestMessage =>
  tagged(tag, { target: session.unique(`/bytes/${RESPONSE}?seed=1`) });

/** The journal's entry of the request when it ends, or after the time. */
async function entryAfter(
  session: Session,
  tag: string,
  seconds: number,
): Promise<JournalEntry | undefined> {
  const [entry] = await session.arrived(tag, `?wait=1&until=ended&timeout=${seconds}`);
  return entry;
}

interface Upload {
  /** How many bytes the system has taken. */
  readonly taken: number;
  /** How the target has ended it; undefined if it waits, or has taken all. */
  readonly end: Transfer | undefined;
}

/**
 * Sends content as fast as it is taken, until none is taken for a time.
 *
 * @param size bytes of the content
 * @param send sends a piece, in the time if it has to wait. @returns whether there may be another one
 * @returns how many bytes the system has taken
 */
async function upload(
  session: Session,
  socket: Socket,
  size: number,
  send: (time: number) => Promise<boolean>,
): Promise<number> {
  const time = Math.min(STALLED, session.time / 2);
  let sent = 0;
  while (sent < size && (await send(time))) {
    sent += PIECE.length;
    if (socket.writableNeedDrain && !(await drained(socket, time))) break;
  }
  return Math.max(0, sent - socket.writableLength);
}

/** @returns false if the time was over before */
async function drained(socket: Socket, time: number): Promise<boolean> {
  try {
    await once(socket, 'drain', { signal: AbortSignal.timeout(time) });
    return true;
  } catch {
    return false;
  }
}

/** Uploads to an origin that does not read. */
async function uploadUnread(session: Session, client: Client, size = UPLOAD): Promise<Upload> {
  const message = tagged(session.newTag(), { method: 'POST', target: NO_READ });
  if (client instanceof Http2Client) {
    const stream = client.start({ ...message, content: '', framing: 'chunked' });
    const taken = await upload(session, client.opened.stream, size, (time) =>
      client.sendContent(stream, PIECE, time, undefined, false),
    );
    const transfer = await client.finish(stream, 0);
    return { taken, end: transfer.ending === 'timeout' ? undefined : transfer };
  }
  const fields = [...(message.fields ?? []), ['Content-Length', String(size)] as const];
  const { head } = http1Request({ ...message, fields }, session.target.authority);
  const { stream } = client.opened;
  let taken = 0;
  let isEnded = false;
  const { time } = session;
  const transfer = await client.exchange(head, 'POST', { time }, async (reader) => {
    const hasEnded = (): boolean => reader.hasHead || client.isEnded;
    taken = await upload(session, stream, size, async () => {
      stream.write(PIECE);
      return !hasEnded();
    });
    isEnded = hasEnded();
    // The response would come when the origin reads again.
    client.close();
    return '';
  });
  return { taken, end: isEnded ? transfer : undefined };
}

const isTooLarge = (end: Transfer | undefined): boolean => end?.response?.status === 413;

/** An upload that has ended does not show whether the target would have stopped reading. */
function endedUpload(end: Transfer): Verdict {
  if (!isTooLarge(end)) return notApplicable(`the target ended the upload: ${outcomeOf(end)}`);
  const needed = `allow ${inMib(UPLOAD)}, in nginx by client_max_body_size ${UPLOAD / MiB}m`;
  return notApplicable(`the target refuses the upload with 413; for this check, ${needed}`);
}

/** Whether the echoes of small requests come in time. */
function judgeNeighbours(echoes: readonly Echo[], others: string) {
  const blocked = echoes.find(({ received }) => !received);
  if (blocked) {
    const { transfer } = blocked;
    return fail('200', `${outcomeOf(transfer)}, beside ${others}`, transfer);
  }
  const slowest = Math.max(...echoes.map(({ transfer }) => transfer.duration));
  return pass(`after ${Math.round(slowest)} ms`);
}

/** Content that is not read (RFC 9110 7.7, RFC 9113 5.2): what is buffered, and whom it blocks. */
export const backpressureChecks = topic(BACKPRESSURE, [
  {
    id: 'backpressure/response',
    rule: 'While the client does not read a response, the target stops reading it from the origin.',
    needs: ['gateway', 'journal'],
    async run(session) {
      const tag = session.newTag();
      const client = await requestUnread(session, largeResponse(session, tag));
      const before = await entryAfter(session, tag, blockedFor(session));
      if (!before) return notApplicable('the request did not reach the origin');
      if (before.outcome === 'sent') {
        const found = `the origin sent all ${inMib(RESPONSE)}`;
        // On the same machine, two connections of TCP can hold almost as much.
        return session.front === 'h2'
          ? differs(found)
          : pass(`${found}, including what TCP buffers`);
      }
      if (before.outcome !== null) return notApplicable('the target canceled the request');
      client.close('reset');
      const after = await entryAfter(session, tag, blockedFor(session));
      // Some read on after the client has left.
      const octets = after?.outcome === 'disconnected' ? after.response?.octets : undefined;
      const most = octets !== undefined ? inMib(octets) : `less than ${inMib(RESPONSE)}`;
      return pass(`the origin sent ${most}, including what TCP buffers`);
    },
  },
  {
    id: 'backpressure/request',
    rule: 'While the origin does not read an upload, the target stops reading it from the client.',
    needs: ['gateway', 'faults'],
    // The origin reads on: it breaks no connection.
    async run(session) {
      const { taken, end } = await uploadUnread(session, await session.open());
      if (end) return endedUpload(end);
      return taken >= UPLOAD
        ? differs(`the client sent all ${inMib(UPLOAD)}`)
        : pass(`the client sent ${inMib(taken)}, including what TCP buffers`);
    },
  },
  {
    id: 'backpressure/stream-unread',
    section: 'RFC 9113 5.2',
    rule: 'A response stream that the client does not read does not block other streams of the connection.',
    fronts: ['h2'],
    needs: ['gateway'],
    async run(session) {
      const client = await session.openHttp2({ settings: [], renewsWindows: false });
      client.sendFrame(FrameType.windowUpdate, 0, 0, uint32(RESPONSE));
      const unread = client.start(largeResponse(session, session.newTag()));
      const isBlocked = await client.until(
        () => unread.contentLength >= DEFAULT_WINDOW,
        session.time,
      );
      if (!isBlocked) {
        const transfer = session.record(await client.finish(unread, 0));
        return notApplicable(`${unread.contentLength} bytes, ${outcomeOf(transfer)}`);
      }
      // Some could take other connections to the origin.
      const echoes = Array.from({ length: NEIGHBOURS }, async () => session.echoOn(client));
      return judgeNeighbours(await Promise.all(echoes), 'a response stream that is not read');
    },
  },
  {
    id: 'backpressure/stream-upload',
    section: 'RFC 9113 5.2',
    rule: 'An upload stream that the origin does not read does not block uploads on other streams of the connection.',
    fronts: ['h2'],
    needs: ['gateway', 'faults'],
    async run(session) {
      let client = await session.openHttp2();
      let { taken, end } = await uploadUnread(session, client);
      if (isTooLarge(end)) {
        client = await session.openHttp2();
        ({ taken, end } = await uploadUnread(session, client, SMALL_UPLOAD));
      }
      if (end) return endedUpload(end);
      const echo = await session.echoOn(client, { method: 'POST', content: 'content' });
      return judgeNeighbours([echo], `an upload that stalled after ${inMib(taken)}`);
    },
  },
  {
    id: 'backpressure/clients-unread',
    section: 'RFC 9113 5.2',
    rule: 'Clients that do not read their responses do not block other clients, even on a shared connection to the origin.',
    needs: ['gateway', 'journal'],
    // All requests wait if they do.
    phase: 'alone',
    async run(session) {
      const tags = Array.from({ length: 3 }, () => session.newTag());
      for (const tag of tags) await requestUnread(session, largeResponse(session, tag));
      const ends = tags.map(async (each) => entryAfter(session, each, blockedFor(session)));
      const entries = await Promise.all(ends);
      const echo = await session.echo();
      const isShared = entries.some((entry) => entry?.conn === echo.received?.connection);
      const verdict = judgeNeighbours([echo], `${tags.length} clients that do not read`);
      return verdict.outcome === 'pass' && isShared
        ? pass(`${verdict.found ?? ''}, on a shared connection to the origin`)
        : verdict;
    },
  },
]);
