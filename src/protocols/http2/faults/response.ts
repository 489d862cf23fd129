import { constants, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';
import type { CloseMethod } from '../../../net/close-reason.ts';
import type { Connection } from '../../../net/connection.ts';
import type { Position } from '../../../server/fault.ts';
import type { Payload } from '../../../server/payload.ts';
import type { SessionControl } from '../../../server/request.ts';
import type { ExchangeObserver } from '../../../server/observer.ts';
import type { Delivery } from '../../../server/pump.ts';
import type { Backlog } from '../backlog.ts';
import type { DetachedConnection } from '../detached-connection.ts';
import { ContentInParts } from './content.ts';

/** The session of a response that fails. */
export interface FaultySession extends SessionControl {
  readonly connection: Connection;
  readonly native: ServerHttp2Session;
  readonly backlog: Backlog;
  readonly observer: ExchangeObserver;
  readonly streams: {
    /** Resolves when none is open. */
    untilIdle(): Promise<void>;
    /** Resolves when the only ones are those that wait for this, or after a time in milliseconds. */
    untilAlone(limit: number): Promise<void>;
  };
  /** Ends the session without a frame. @returns undefined if it has ended already */
  detach(): DetachedConnection | undefined;
}

/** A response that fails, and what it would be without the fault. */
export interface FaultyResponse {
  readonly stream: ServerHttp2Stream;
  readonly session: FaultySession;
  readonly status: number;
  /** Names and values alternate. */
  readonly fields: string[];
  /** The content; empty if the method or the status has none. */
  readonly payload: Payload;
  readonly delivery: Delivery;
  /** Sends HEADERS with the fields. */
  readonly begin: () => void;
  /** Sends the content and ends the stream. */
  readonly pump: () => void;
  /** Sends HEADERS and the content, and ends the stream. */
  readonly respond: () => void;
}

/** The client or a time limit has reset the stream, so that its fault is no longer wanted. */
export class StreamReset extends Error {}

/** Milliseconds for queued frames to be sent. */
const FLUSH_TIMEOUT = 1000;
const POLL_INTERVAL = 5;

/**
 * Sends the response up to a point, and resolves when it is written to the socket.
 *
 * @returns the rest of the content
 * @throws StreamReset
 */
export async function sendUntil(
  response: FaultyResponse,
  { at, after }: Position,
): Promise<ContentInParts> {
  const { stream, payload, delivery, session } = response;
  const content = new ContentInParts(stream, payload, delivery);
  if (at === 'start') return content;
  response.begin();
  if (at === 'body') await content.send(after);
  if (at === 'end') await content.send(Infinity);
  await flush(session);
  // A stream without an error has ended by itself, as a response without content does.
  if (stream.destroyed && stream.rstCode !== constants.NGHTTP2_NO_ERROR) throw new StreamReset();
  return content;
}

/** Resolves when frames other than DATA have been written, or the client has not read for a while. */
export async function flush(session: FaultySession): Promise<void> {
  const deadline = performance.now() + FLUSH_TIMEOUT;
  await turn();
  while (session.backlog.hasFrames && performance.now() < deadline) {
    await delay(POLL_INTERVAL, undefined, { ref: false });
  }
  // Not in an nghttp2 callback.
  await turn();
}

/** Closes the connection of a response without GOAWAY. */
export async function closeConnection(session: FaultySession, how: CloseMethod): Promise<void> {
  const connection = session.detach();
  if (!connection) return;
  if (how === 'reset' || (await connection.send())) connection.close(how);
}

/** Ends the session, and sends bytes in its place. */
export async function sendBytes(
  session: Pick<FaultySession, 'detach'>,
  pieces: Iterable<Uint8Array>,
  then: 'close' | 'keep',
): Promise<void> {
  const connection = session.detach();
  if (!connection) return;
  try {
    if (!(await connection.send(pieces))) return;
  } catch (error) {
    // Nothing else could tell the client.
    connection.close('reset');
    throw error;
  }
  if (then === 'keep') connection.keep();
  else connection.close('graceful');
}
