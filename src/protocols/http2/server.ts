import type { Http2Server, Settings } from 'node:http2';
import type { ProtocolOptions } from '../../server/limits.ts';
import type { TcpConnection } from '../../net/tcp-connection.ts';
import { createHttp2Server } from '../../net/http2-sessions.ts';
import { DEFAULT_MAX_FRAME_SIZE, DEFAULT_WINDOW } from '../../wire/http2/frame.ts';
import { JavaScriptSocket } from '../../net/javascript-socket.ts';
import { PrefaceCapture } from '../../net/client-preface.ts';
import { acceptSession, observeReceived } from '../../net/node-internals-http2.ts';
import { readTurns } from '../../net/scheduler.ts';
import { nativeResetLimit } from '../http2-shared/flood-limits.ts';
import { NATIVE_LIMIT_FACTOR } from '../http2-shared/list-limits.ts';
import { SessionAdapter } from '../http2-shared/session-adapter.ts';
import { Http2Session } from './session.ts';

const MAX_INVALID_FRAMES = 100;
/**
 * Maximum bytes of a response's header section. Node's default is 64 KiB; if it were exceeded, nghttp2 would end the
 * session. Fields copied from the request are at most 64 KiB each (NGHTTP2_HD_MAX_NV).
 */
const MAX_RESPONSE_HEADER_SIZE = 1024 * 1024;
/** Milliseconds within which a client should acknowledge a PING. */
const ACKNOWLEDGEMENT_TIME = 500;

/** HTTP/2 (RFC 9113) on Node's core stream API, cleartext and over TLS. */
export class Http2Adapter extends SessionAdapter<Http2Session> {
  readonly #server: Http2Server;

  constructor(options: ProtocolOptions) {
    super(options);
    // No `request` listener: for one, Node would create objects of its compatibility API for each stream.
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
  }

  accept(connection: TcpConnection, first: Buffer): void {
    readTurns.admit(() => {
      if (connection.socket.destroyed) return undefined;
      return this.#begin(connection, first) ? connection : undefined;
    });
  }

  /** @returns false if the connection has closed in the meantime, so that there is no session */
  #begin(connection: TcpConnection, first: Buffer): boolean {
    connection.detected(connection.tls ? 'h2' : 'h2c');
    this.options.observer.detected?.(connection);
    const { stream, inspector } = connection;
    const { preface, isPartial } = capturePreface(connection, first);
    const socket = inspector ? new JavaScriptSocket(stream) : stream;
    // Node sends SETTINGS immediately: clients such as those of gRPC wait for them (RFC 9113 3.4).
    const http2 = acceptSession(this.#server, socket);
    if (!http2) return false;
    // On an inspected connection, which is read in JavaScript, the capture continues by itself.
    if (isPartial && !inspector) observeReceived(http2, stream, (bytes) => preface.add(bytes));
    const session = new Http2Session(http2, socket, connection, preface, this.options);
    this.open.add(session);
    socket.prependOnceListener('close', () => session.onSocketClosed());
    connection.socket.once('close', () => {
      this.open.delete(session);
      readTurns.closed(connection);
    });
    // Sockets allow half-open for HTTP/1.x, but an HTTP/2 client that sends FIN has disconnected.
    socket.once('end', () => session.close('abort'));
    // An inspected session ends later, in JavaScript. What it sends until then would cause an RST.
    if (inspector && connection.tls) connection.socket.allowHalfOpen = false;
    return true;
  }

  /** Resolves when all streams that nghttp2 has refused so far have been reported, or after half a second. */
  async settleRejections(): Promise<void> {
    const sessions = Array.from(this.open, (each) => each.sections.settle(ACKNOWLEDGEMENT_TIME));
    await Promise.all(sessions);
  }
}

/**
 * Captures the first frames that the client has sent. Call before anything else reads the socket, which is paused.
 *
 * @returns the capture, and whether later bytes may add to it; on an inspected connection, they are added automatically
 */
function capturePreface(
  { stream, inspector }: TcpConnection,
  first: Buffer,
): { readonly preface: PrefaceCapture; readonly isPartial: boolean } {
  const detected = new PrefaceCapture();
  // A complete capture ends here: within the event of a read, putting back more than the stream's high-water mark would
  // stop reading for good (`onStreamRead`, lib/internal/stream_base_commons.js). Incomplete ones are short.
  if (!detected.add(first)) return { preface: detected, isPartial: false };
  // The first bytes have been put back, and are read again together with those that have arrived since then.
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
