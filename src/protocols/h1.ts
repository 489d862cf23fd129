import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Exchange } from '../http/exchange.ts';
import { Problem } from '../kit/problem.ts';
import type { Connection } from '../wire/connection.ts';
import type { CloseReason } from '../wire/ending.ts';
import type { Refused } from '../wire/refused.ts';
import { Http1Exchange } from './h1-exchange.ts';
import { Line, type LineOptions } from './h1-line.ts';
import { refusalOf, requestTimeUp } from './h1-refusal.ts';
import { refusedMessage } from './h1-refused.ts';
import { Http1Response } from './h1-response.ts';

export interface Http1Options extends LineOptions {
  /** Octets a header section may have. */
  readonly maxHeaderSize: number;
  /** Milliseconds for the header section to arrive. */
  readonly headerTimeout: number;
  /** Milliseconds for the whole request to arrive. */
  readonly requestTimeout: number;
  /** Milliseconds a connection without a request is kept. */
  readonly idleTimeout: number;
  /** Milliseconds an answer may take. */
  readonly answerTimeout: number;
  /** Milliseconds between two looks at the time limits of all connections. */
  readonly sweepInterval: number;
  /** Told of each request. */
  readonly dispatch: (exchange: Exchange) => void;
  /** Told of each message that never became a request. */
  readonly onRefused: (connection: Connection, problem: Problem, refused: Refused) => void;
}

/** Milliseconds beyond the idle timeout, lest a request that is on its way cross the close. */
const CROSSING = 1000;

declare module 'node:http' {
  interface Server {
    /** Not in Node's types: without it a client's FIN ends the answer it waits for. */
    httpAllowHalfOpen: boolean;
  }
}

/** HTTP/1.1 and HTTP/1.0 (RFC 9112) on `node:http`, in clear and over TLS alike. */
export class Http1 {
  readonly #server: Server<typeof IncomingMessage, typeof Http1Response>;
  readonly #lines = new Map<Duplex, Line>();
  readonly #options: Http1Options;
  readonly #sweep: NodeJS.Timeout;
  #draining = false;

  constructor(options: Http1Options) {
    this.#options = options;
    const server = createServer({
      ServerResponse: Http1Response,
      maxHeaderSize: options.maxHeaderSize,
      // Node takes no longer time for a part than for the whole.
      headersTimeout: Math.min(options.headerTimeout, options.requestTimeout),
      requestTimeout: options.requestTimeout,
      keepAliveTimeout: options.idleTimeout,
      connectionsCheckingInterval: options.sweepInterval,
      // A missing Host is answered by dispatch, like a repeated one.
      requireHostHeader: false,
    });
    // 0 is no limit, which maxHeaderSize is already; Node 20 would cut the list in silence.
    server.maxHeadersCount = 0;
    server.httpAllowHalfOpen = true;
    server.on('request', (incoming, response) => this.#request(incoming, response, false));
    server.on('checkContinue', (incoming, response) => this.#request(incoming, response, true));
    // Dispatch answers an unknown expectation like any other fault.
    server.on('checkExpectation', (incoming, response) => this.#request(incoming, response, false));
    server.on('connect', (incoming, socket) => this.#connect(incoming, socket));
    server.on('clientError', (error, socket) => this.#unreadable(error, socket));
    // A server that never listens checks no timeout without this (nodejs/node#48611).
    server.emit('listening');
    this.#server = server;
    server.on('timeout', (socket) => this.#lines.get(socket)?.onTimeout());
    // With `server.timeout` Node would start a timer anew with every write of every connection.
    this.#sweep = setInterval(() => {
      const now = performance.now();
      for (const line of this.#lines.values()) {
        line.watch();
        // Node's own timer starts anew with any byte, such as empty lines before a request (RFC 9112 2.2).
        const isUsed = line.connection.requests > 0;
        if (isUsed) closeIdle(line, now, options.idleTimeout + CROSSING, 'idle-timeout');
        if (line.isAnswerLate(now, options.answerTimeout)) line.cut('answer-timeout');
        const isLate = line.isOverdue(now) && !line.extend(now, options.requestTimeout);
        if (isLate) line.refuse(requestTimeUp());
      }
    }, options.sweepInterval).unref();
  }

  /** @param socket the clear socket or, over TLS, the one that ALPN did not give to h2 */
  accept(connection: Connection, socket: Socket): void {
    connection.protocol = connection.tls ? 'https/1.1' : 'http/1.1';
    const line = new Line(connection, socket, this.#options, () => this.#draining);
    this.#lines.set(socket, line);
    socket.once('close', () => {
      this.#lines.delete(socket);
      line.lost();
    });
    this.#server.emit('connection', socket);
    // The bytes put back wait in the stream.
    socket.resume();
  }

  /** The answer to the newest request of each connection, or to its next one, is its last. */
  drain(): void {
    this.#draining = true;
  }

  /**
   * Closes connections that have waited for a request all the time. To be called at intervals.
   *
   * @param patience in milliseconds
   */
  closeIdle(patience: number): void {
    const now = performance.now();
    for (const line of this.#lines.values()) closeIdle(line, now, patience, 'draining');
  }

  close(): void {
    clearInterval(this.#sweep);
    this.#server.close();
    for (const socket of this.#lines.keys()) socket.destroy();
  }

  #request(incoming: IncomingMessage, response: Http1Response, awaitsContinue: boolean): void {
    const line = this.#lines.get(incoming.socket);
    line?.serve(() => this.#serve(line, incoming, response, awaitsContinue));
  }

  #serve(
    line: Line,
    incoming: IncomingMessage,
    response: Http1Response,
    awaitsContinue: boolean,
  ): void {
    if (!line.takesRequests()) {
      incoming.resume();
      line.ignore();
      return;
    }
    const exchange = new Http1Exchange(incoming, response, line, awaitsContinue);
    line.begin(exchange);
    response.on('close', line.onAnswered);
    this.#options.dispatch(exchange);
    exchange.discardUnread();
  }

  #connect({ method, url }: IncomingMessage, socket: Duplex): void {
    const line = this.#lines.get(socket);
    if (!line || line.isClosing) return;
    socket.resume();
    const refused = { ...refusedMessage(line.connection), method, target: url };
    this.#refuse(line, new Problem('not-implemented', 'wirebin opens no tunnels'), refused);
  }

  /** The parser gave up, or the request did not come in time. */
  #unreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
    const line = this.#lines.get(socket);
    if (!line || line.isClosing) return;
    // No request has been read yet whose first octets these would be.
    const { firstBytes, requests } = line.connection;
    const problem = refusalOf(error, requests === 0 ? firstBytes : undefined);
    const { requestTimeout } = this.#options;
    const isLate = problem?.code === 'request-timeout';
    if (isLate && line.extend(performance.now(), requestTimeout)) return;
    if (problem && socket.writable) {
      this.#refuse(line, problem, refusedMessage(line.connection, error));
    }
    // Bytes after the last request of a connection (RFC 9112 9.6) harm nobody.
    else if (error.code === 'HPE_CLOSED_CONNECTION') line.closeWhenIdle();
    else socket.destroy();
  }

  #refuse(line: Line, problem: Problem, refused: Refused): void {
    if (!line.current) {
      this.#options.onRefused(line.connection, problem, refused);
      this.#options.observer?.rejected(line.connection, problem, refused);
    }
    line.refuse(problem);
  }
}

/**
 * Closes a connection that has waited for a request all the time.
 *
 * @param now by performance.now()
 * @param patience in milliseconds
 */
function closeIdle(line: Line, now: number, patience: number, reason: CloseReason): void {
  if (line.connection.idleFor(now) >= patience && !line.isClosing) line.hangUp(reason);
}
