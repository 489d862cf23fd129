import type { Socket } from 'node:net';
import { DEFAULT_WINDOW, FrameType, uint32 } from '../../wire/http2/frame.ts';
import { topic } from '../check.ts';
import { differs, fail, notApplicable, pass, type Verdict } from '../verdict.ts';
import { http1Request } from '../client/http1-message.ts';
import { Http2Client } from '../client/http2-client.ts';
import { PING_DATA } from '../client/http2-frames.ts';
import { below } from '../path-prefix.ts';
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
/** Bytes of the response that the client does not read: as many as `/bytes` of the origin sends at most. */
const RESPONSE = 10 * MiB;
/** Bytes of an upload that the origin does not read: more than the TCP buffers on both sides of a target. */
const UPLOAD = 32 * MiB;
/** Bytes of the upload to a target that refuses `UPLOAD` as too large: within common limits. */
const SMALL_UPLOAD = MiB / 2;
const PIECE = Buffer.alloc(64 * KiB, 'x');
/** Seconds after which a target with unlimited buffers has taken all of a response. */
const BLOCKED = 2;
/** Milliseconds without progress after which an upload counts as stalled. */
const STALLED = 1000;
/** Number of small requests that are sent beside a transfer that is not read. */
const NEIGHBOURS = 4;
/** The origin does not read the request for 60 s: longer than any of these checks takes. */
const NO_READ = '/fault/no-read?for=60';

const inMib = (bytes: number): string => `${(bytes / MiB).toFixed(1)} MiB`;

/** Seconds to wait for a blocked response: less than the limit of a transfer. */
const blockedFor = ({ time }: Session): number => Math.min(BLOCKED, time / 2000);

/** Sends a request whose response the client does not read. On HTTP/2, the flow-control window is not renewed. */
async function requestUnread(session: Session, message: RequestMessage): Promise<Client> {
  if (session.front === 'h2') {
    const client = await session.openHttp2({ window: DEFAULT_WINDOW });
    client.start(message);
    return client;
  }
  const client = await session.openHttp1();
  session.record(await client.sendUnread(message));
  return client;
}

/** A request for a large response, with a unique URL so that no cache has it. */
const largeResponse = (session: Session, tag: string): RequestMessage =>
  tagged(tag, { target: session.unique(`/bytes/${RESPONSE}?seed=1`) });

interface Upload {
  /** Bytes that the operating system has taken for sending. */
  readonly taken: number;
  /** How the target has ended the upload; undefined if it has not. */
  readonly end: Transfer | undefined;
}

/**
 * Sends content as fast as the connection takes it, until it takes no more for a while.
 *
 * @param size bytes of the content
 * @param send sends a piece, and waits for it no longer than the time given. @returns whether more can be sent
 * @returns bytes that the operating system has taken
 */
async function upload(
  session: Session,
  socket: Socket,
  size: number,
  send: (time: number) => Promise<boolean>,
): Promise<number> {
  let sent = 0;
  while (sent < size && (await hasGoneOn(session, send))) {
    sent += PIECE.length;
    if (!(await hasGoneOn(session, (time) => isTaken(socket, time)))) break;
  }
  return Math.max(0, sent - socket.writableLength);
}

/**
 * Whether a step of an upload is done in time or, since a busy machine holds up all, within the time of another request
 * that is sent then.
 */
async function hasGoneOn(
  session: Session,
  step: (time: number) => Promise<boolean>,
): Promise<boolean> {
  const { time } = session;
  if (await step(Math.min(STALLED, time / 2))) return true;
  // Not recorded: it would stand for the arrival of the upload.
  const other = session.open().then((client) => client.send({ target: '/anything' }, { time }));
  const start = performance.now();
  await other.catch(() => undefined);
  return step(performance.now() - start);
}

/** Waits until the operating system has taken all that was written. @returns false on timeout, or if it will not */
async function isTaken(socket: Socket, time: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), time);
    // Not `drain`, which the last bytes may not cause: there is none below the high-water mark.
    socket.write('', (error) => {
      clearTimeout(timer);
      resolve(!error);
    });
  });
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
  const { authority, prefix } = session.target;
  const target = below(prefix, message.target);
  const { head } = http1Request({ ...message, target, fields }, authority);
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
    // The origin would respond only after it has read the request, so the client closes first.
    client.close();
    return '';
  });
  session.record(transfer);
  return { taken, end: isEnded ? transfer : undefined };
}

const isTooLarge = (end: Transfer | undefined): boolean => end?.response?.status === 413;

/** The verdict on an upload that the target ended: it does not show whether the target would stop reading. */
function endedUpload(end: Transfer): Verdict {
  if (!isTooLarge(end)) return notApplicable(`the target ended the upload: ${outcomeOf(end)}`);
  const needed = `allow ${inMib(UPLOAD)}, in nginx by client_max_body_size ${UPLOAD / MiB}m`;
  return notApplicable(`the target refuses the upload with 413; for this check, ${needed}`);
}

/** Judges whether the echoes of small requests arrive although other transfers are blocked. */
function judgeNeighbours(echoes: readonly Echo[], others: string) {
  const blocked = echoes.find(({ received }) => !received);
  if (blocked) {
    const { transfer } = blocked;
    return fail('200', `${outcomeOf(transfer)}, beside ${others}`, transfer);
  }
  const slowest = Math.max(...echoes.map(({ transfer }) => transfer.duration));
  return pass(`after ${Math.round(slowest)} ms`);
}

/** Backpressure when content is not read (RFC 9110 7.7, RFC 9113 5.2): what is buffered, and whom it blocks. */
export const backpressureChecks = topic(BACKPRESSURE, [
  {
    id: 'backpressure/response',
    rule: 'While the client does not read a response, the target stops reading it from the origin.',
    needs: ['gateway', 'journal'],
    async run(session) {
      const tag = session.newTag();
      const client = await requestUnread(session, largeResponse(session, tag));
      const before = await session.ended(tag, blockedFor(session));
      if (!before) return notApplicable('the request did not reach the origin');
      if (before.outcome === 'sent') {
        const found = `the origin sent all ${inMib(RESPONSE)}`;
        // On one machine, the buffers of two TCP connections can hold almost all of the response.
        return session.front === 'h2'
          ? differs(found)
          : pass(`${found}, including what TCP buffers`);
      }
      if (before.outcome !== null) return notApplicable('the target canceled the request');
      client.close('reset');
      const after = await session.ended(tag, blockedFor(session));
      // Some targets read the response to its end after the client has left. Then the number of bytes says nothing.
      const octets = after?.outcome === 'disconnected' ? after.response?.octets : undefined;
      const most = octets !== undefined ? inMib(octets) : `less than ${inMib(RESPONSE)}`;
      return pass(`the origin sent ${most}, including what TCP buffers`);
    },
  },
  {
    id: 'backpressure/request',
    rule: 'While the origin does not read an upload, the target stops reading it from the client.',
    needs: ['gateway', 'faults'],
    // Can run beside other checks: the origin reads on later, and does not break the connection.
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
      const client = await session.openHttp2({ window: DEFAULT_WINDOW });
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
      // Requests on connections of their own could get other connections to the origin.
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
    id: 'backpressure/frames-read',
    section: 'RFC 9113 5.2.2',
    rule: 'While the origin does not read an upload, the target reads the other frames of the connection: PING is answered.',
    level: 'must',
    fronts: ['h2'],
    needs: ['gateway', 'faults'],
    observes: 'target',
    async run(session) {
      const client = await session.openHttp2();
      const { taken, end } = await uploadUnread(session, client, SMALL_UPLOAD);
      if (end) return endedUpload(end);
      const { pongs } = client;
      client.sendFrame(FrameType.ping, 0, 0, PING_DATA);
      const isAnswered = await client.until(() => client.pongs > pongs, session.time);
      const { transfer } = client;
      const stalled = `an upload that stalled after ${inMib(taken)}`;
      return isAnswered
        ? pass()
        : fail('PING is answered', `no answer beside ${stalled}`, transfer);
    },
  },
  {
    id: 'backpressure/clients-unread',
    section: 'RFC 9113 5.2',
    rule: 'Clients that do not read their responses do not block other clients, even on a shared connection to the origin.',
    needs: ['gateway', 'journal'],
    // If the target blocks other clients, the requests of all other checks wait, too.
    phase: 'alone',
    async run(session) {
      const tags = Array.from({ length: 3 }, () => session.newTag());
      for (const tag of tags) await requestUnread(session, largeResponse(session, tag));
      const ends = tags.map(async (each) => session.ended(each, blockedFor(session)));
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
