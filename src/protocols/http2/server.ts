import type { Http2Server, Settings } from 'node:http2';
import type { ProtocolOptions } from '../../server/limits.ts';
import type { Connection } from '../../net/connection.ts';
import { createHttp2Server } from '../../net/http2-sessions.ts';
import { DEFAULT_MAX_FRAME_SIZE, DEFAULT_WINDOW } from '../../wire/http2/frame.ts';
import { JavaScriptSocket } from '../../net/javascript-socket.ts';
import { PrefaceCapture } from '../../net/client-preface.ts';
import { acceptSession, observeReceived } from '../../net/node-internals-http2.ts';
import { readTurns } from '../../net/scheduler.ts';
import { nativeResetLimit } from './flood-limits.ts';
import { Http2Session } from './session.ts';

/** Factor between wirebin's limits of header sections (431) and the limits at which Node resets the stream. */
export const NATIVE_LIMIT_FACTOR = 2;
const MAX_INVALID_FRAMES = 100;
/**
 * Maximum bytes of a response's header section. Beyond Node's default of 64 KiB, nghttp2 would end the session. Fields
 * copied from the request are at most 64 KiB each (NGHTTP2_HD_MAX_NV).
 */
const MAX_RESPONSE_HEADER_SIZE = 1024 * 1024;
/** Milliseconds within which a client should acknowledge a PING. */
const ACKNOWLEDGEMENT_TIME = 500;

/** HTTP/2 (RFC 9113) on Node's core stream API, cleartext and over TLS. */
export class Http2Adapter {
  readonly #server: Http2Server;
  readonly #sessions = new Set<Http2Session>();
  readonly #options: ProtocolOptions;
  readonly #sweep: NodeJS.Timeout;

  constructor(options: ProtocolOptions) {
    this.#options = options;
    // Without a `request` listener, for which Node would create compatibility API objects for each stream.
    this.#server = createHttp2Server({
      ...nativeResetLimit(options),
      maxSendHeaderBlockLength: MAX_RESPONSE_HEADER_SIZE,
      maxHeaderListPairs: NATIVE_LIMIT_FACTOR * options.maxFields,
      maxSessionMemory: options.maxSessionMemory,
      maxSessionInvalidFrames: MAX_INVALID_FRAMES,
      settings: {
        maxConcurrentStreams: options.maxStreams,
        maxHeaderListSize: NATIVE_LIMIT_FACTOR * options.maxHeaderSize,
        ...changedSettings(options),
      },
    });
    // Ignored: the session closes itself, and the end of the connection is observed elsewhere.
    this.#server.on('sessionError', () => undefined);
    this.#sweep = setInterval(() => {
      const now = performance.now();
      for (const session of this.#sessions) session.checkTimeLimits(now);
    }, options.sweepInterval).unref();
  }

  accept(connection: Connection, first: Buffer): void {
    readTurns.admit(() => {
      if (connection.socket.destroyed) return undefined;
      return this.#begin(connection, first) ? connection : undefined;
    });
  }

  /** @returns whether there is a session; not if the connection was closed meanwhile */
  #begin(connection: Connection, first: Buffer): boolean {
    connection.detected(connection.tls ? 'h2' : 'h2c');
    this.#options.observer.detected?.(connection);
    const { stream, inspector } = connection;
    const { preface, isPartial } = capturePreface(connection, first);
    const socket = inspector ? new JavaScriptSocket(stream) : stream;
    // Sends SETTINGS at once: clients such as those of gRPC wait for them before their first request (RFC 9113 3.4).
    const http2 = acceptSession(this.#server, socket);
    if (!http2) return false;
    // An inspected connection is read in JavaScript.
    if (isPartial && !inspector) observeReceived(http2, stream, (bytes) => preface.add(bytes));
    const session = new Http2Session(http2, socket, connection, preface, this.#options);
    this.#sessions.add(session);
    socket.prependOnceListener('close', () => session.onSocketClosed());
    connection.socket.once('close', () => {
      this.#sessions.delete(session);
      readTurns.closed(connection);
    });
    // Sockets allow half-open for HTTP/1.x, but an HTTP/2 client that sends FIN has disconnected.
    socket.once('end', () => session.close('abort'));
    // The session ends later in JavaScript, and what it sends until then would cause an RST.
    if (inspector && connection.tls) connection.socket.allowHalfOpen = false;
    return true;
  }

  /** Sends GOAWAY on every session, and on new ones after their first stream. Open streams are completed. */
  drain(): void {
    for (const session of this.#sessions) session.close('graceful', 'draining');
  }

  /**
   * Closes sessions that have been idle. Call at intervals.
   *
   * @param duration in milliseconds
   */
  closeIdle(duration: number): void {
    const now = performance.now();
    for (const session of this.#sessions) session.closeIdle(now, duration, 'draining');
  }

  /** Resolves when all streams that nghttp2 has refused so far were reported, within half a second. */
  async settleRejections(): Promise<void> {
    const sessions = Array.from(this.#sessions, (each) =>
      each.sections.settle(ACKNOWLEDGEMENT_TIME),
    );
    await Promise.all(sessions);
  }

  close(): void {
    clearInterval(this.#sweep);
    this.abort();
  }

  /** Aborts all sessions. */
  abort(): void {
    for (const session of this.#sessions) session.close('abort', 'stopped');
  }
}

/**
 * Captures the first frames of what the client has sent. Call before others read the socket, which is paused.
 *
 * @returns whether the capture is partial. On an inspected connection, it goes on by itself
 */
function capturePreface(
  { stream, inspector }: Connection,
  first: Buffer,
): { readonly preface: PrefaceCapture; readonly isPartial: boolean } {
  const detected = new PrefaceCapture();
  // What was not captured is short. In the event of its read, to put back more than the stream's high-water mark would
  // stop reading for good (`onStreamRead`, lib/internal/stream_base_commons.js).
  if (!detected.add(first)) return { preface: detected, isPartial: false };
  // The first bytes were put back, and are read again with those that have arrived since then.
  const preface = new PrefaceCapture();
  if (inspector) {
    const onData = (bytes: Buffer): void => {
      if (!preface.add(bytes)) stream.off('data', onData);
    };
    stream.on('data', onData);
    return { preface, isPartial: true };
  }
  const received: Buffer | null = stream.read();
  if (received === null) return { preface, isPartial: true };
  stream.unshift(received);
  return { preface, isPartial: preface.add(received) };
}

/** The settings that differ from the initial values of RFC 9113 6.5.2. Node would send the others as well. */
function changedSettings(options: ProtocolOptions): Settings {
  const { initialWindowSize, maxFrameSize, headerTableSize, enableConnectProtocol } = options;
  return {
    ...(initialWindowSize !== DEFAULT_WINDOW && { initialWindowSize }),
    ...(maxFrameSize !== DEFAULT_MAX_FRAME_SIZE && { maxFrameSize }),
    ...(headerTableSize !== 4096 && { headerTableSize }),
    ...(enableConnectProtocol && { enableConnectProtocol }),
  };
}
