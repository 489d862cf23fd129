import { createServer, type Http2Server, type ServerHttp2Session } from 'node:http2';
import type { Duplex } from 'node:stream';
import type { Connection } from '../../net/connection.ts';
import { nativeResetLimit } from './flood-limits.ts';
import { Http2Session, type Http2SessionOptions } from './session.ts';

export interface Http2AdapterOptions extends Http2SessionOptions {
  /** MB of memory a session may hold: every stream a window's worth of queued answer, and more. */
  readonly maxSessionMemory: number;
  /** Bytes a header section may have. */
  readonly maxHeaderSize: number;
  /** Field lines a header section may have. */
  readonly maxFields: number;
  /** Streams that may be open at once on a session. */
  readonly maxStreams: number;
  /** Milliseconds between two looks at the time limits of all sessions. */
  readonly sweepInterval: number;
}

/** Above this many times a limit of header sections Node resets a stream without a word; below, it is answered. */
const ANSWERED = 2;
const MAX_INVALID_FRAMES = 100;
/**
 * Bytes of a response's header section. Above Node's 64 KiB nghttp2 would end the session; what
 * responses repeat is bounded, since no field of a request is longer than 64 KiB (NGHTTP2_HD_MAX_NV).
 */
const MAX_RESPONSE_HEADER_SIZE = 1024 * 1024;
const BUDGET_INTERVAL = 1000;

/** HTTP/2 (RFC 9113) on Node's core stream API, in clear and over TLS alike. */
export class Http2Adapter {
  readonly #server: Http2Server;
  readonly #sessions = new Set<Http2Session>();
  readonly #options: Http2AdapterOptions;
  readonly #sweep: NodeJS.Timeout;
  readonly #renewal: NodeJS.Timeout;
  #draining = false;

  constructor(options: Http2AdapterOptions) {
    this.#options = options;
    // No `request` listener, ever: it would make Node build compatibility objects for each stream.
    this.#server = createServer({
      ...nativeResetLimit(options),
      maxSendHeaderBlockLength: MAX_RESPONSE_HEADER_SIZE,
      maxHeaderListPairs: ANSWERED * options.maxFields,
      maxSessionMemory: options.maxSessionMemory,
      maxSessionInvalidFrames: MAX_INVALID_FRAMES,
      settings: {
        maxConcurrentStreams: options.maxStreams,
        maxHeaderListSize: ANSWERED * options.maxHeaderSize,
      },
    });
    // The session has closed itself by then; the connection's end is all that there is to see.
    this.#server.on('sessionError', () => undefined);
    this.#sweep = setInterval(() => {
      const now = performance.now();
      for (const session of this.#sessions) session.sweep(now);
    }, options.sweepInterval).unref();
    this.#renewal = setInterval(() => {
      for (const session of this.#sessions) session.renewBudget();
    }, BUDGET_INTERVAL).unref();
  }

  /** @param socket the clear socket or, over TLS, the one that ALPN gave to h2 */
  accept(connection: Connection, socket: Duplex): void {
    connection.protocol = connection.tls ? 'h2' : 'h2c';
    this.#options.observer?.detected?.(connection);
    const begin = (session: ServerHttp2Session): void => this.#begin(session, connection, socket);
    this.#server.once('session', begin);
    this.#server.emit('connection', socket);
    this.#server.off('session', begin);
  }

  /** GOAWAY on every session, on a new one behind its first stream; what is open is finished. */
  drain(): void {
    this.#draining = true;
    for (const session of this.#sessions) session.drain();
  }

  /**
   * Closes sessions that have had no stream all the time. To be called at intervals.
   *
   * @param patience in milliseconds
   */
  closeIdle(patience: number): void {
    const now = performance.now();
    for (const session of this.#sessions) session.closeIdle(now, patience, 'draining');
  }

  close(): void {
    clearInterval(this.#sweep);
    clearInterval(this.#renewal);
    for (const session of this.#sessions) session.destroy();
  }

  #begin(http2: ServerHttp2Session, connection: Connection, socket: Duplex): void {
    const session = new Http2Session(http2, connection, this.#options, () => this.#draining);
    this.#sessions.add(session);
    socket.prependOnceListener('close', () => session.lost());
    connection.socket.once('close', () => this.#sessions.delete(session));
    // Sockets stay half-open for HTTP/1.x clients; one that sends no more frames has gone.
    socket.once('end', () => session.destroy());
  }
}
