import {
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Duplex } from 'node:stream';
import type { Exchange } from '../http/exchange.ts';
import type { FieldLines } from '../http/fields.ts';
import type { Connection } from '../wire/connection.ts';
import { Http2Exchange } from './h2-exchange.ts';

export interface Http2Options {
  /** Octets a header section may have. */
  readonly maxHeaderSize: number;
  /** Milliseconds for the first request to arrive. */
  readonly headerTimeout: number;
  /** Milliseconds a session without open streams is kept. */
  readonly idleTimeout: number;
  /** Told of each request. */
  readonly dispatch: (exchange: Exchange) => void;
}

const MAX_CONCURRENT_STREAMS = 250;
/** Fields a header section may have: as many as fit when each is as small as can be. */
const MAX_HEADER_PAIRS = 2000;
/** MB of memory a session may hold: every stream a window's worth of queued answer, and more. */
const MAX_SESSION_MEMORY = 64;
const MAX_INVALID_FRAMES = 100;
const SWEEP_INTERVAL = 1000;

/** HTTP/2 (RFC 9113) on Node's core stream API, in clear and over TLS alike. */
export class Http2 {
  readonly #server: Http2Server;
  readonly #sessions = new Map<ServerHttp2Session, Connection>();
  readonly #options: Http2Options;
  readonly #sweep: NodeJS.Timeout;

  constructor(options: Http2Options) {
    this.#options = options;
    // No `request` listener, ever: it would make Node build compatibility objects for each stream.
    this.#server = createServer({
      maxHeaderListPairs: MAX_HEADER_PAIRS,
      maxSessionMemory: MAX_SESSION_MEMORY,
      maxSessionInvalidFrames: MAX_INVALID_FRAMES,
      settings: {
        maxConcurrentStreams: MAX_CONCURRENT_STREAMS,
        maxHeaderListSize: options.maxHeaderSize,
      },
    });
    // The session has closed itself by then; the connection's end is all that there is to see.
    this.#server.on('sessionError', () => undefined);
    this.#sweep = setInterval(() => this.#closeIdle(), SWEEP_INTERVAL).unref();
  }

  /** @param socket the clear socket or, over TLS, the one that ALPN gave to h2 */
  accept(connection: Connection, socket: Duplex): void {
    connection.protocol = connection.tls ? 'h2' : 'h2c';
    this.#server.once('session', (session) => this.#begin(session, connection));
    this.#server.emit('connection', socket);
  }

  /** GOAWAY on every session; streams that are open are finished (RFC 9113 6.8). */
  drain(): void {
    for (const session of this.#sessions.keys()) session.close();
  }

  close(): void {
    clearInterval(this.#sweep);
    for (const session of this.#sessions.keys()) session.destroy();
  }

  #begin(session: ServerHttp2Session, connection: Connection): void {
    this.#sessions.set(session, connection);
    session.once('close', () => this.#sessions.delete(session));
    const onEnd = (): void => connection.requestEnded();
    const onStream = (
      stream: ServerHttp2Stream,
      headers: IncomingHttpHeaders,
      flags: number,
      fields: FieldLines,
    ): void => {
      // A stream's errors end it; dispatch hears of them through `gone`.
      stream.on('error', ignore);
      stream.on('close', onEnd);
      this.#options.dispatch(new Http2Exchange(stream, headers, flags, fields, connection));
    };
    session.on('stream', onStream);
  }

  #closeIdle(): void {
    const now = performance.now();
    const { headerTimeout, idleTimeout } = this.#options;
    for (const [session, { requests, openRequests, idleSince }] of this.#sessions) {
      const limit = requests === 0 ? headerTimeout : idleTimeout;
      if (openRequests === 0 && idleSince < now - limit) session.close();
    }
  }
}

const ignore = (): void => undefined;
