import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Exchange } from '../../server/exchange.ts';
import { Problem } from '../../http/problem.ts';
import type { Connection } from '../../net/connection.ts';
import type { CloseReason } from '../../net/close-reason.ts';
import type { RejectedMessage } from '../../net/rejected-message.ts';
import { Http1Exchange } from './exchange.ts';
import {
  Http1Connection,
  type Http1ConnectionOptions,
  type WaitingRequests,
} from './connection.ts';
import { parserErrorToProblem, requestTimeoutProblem } from './parser-error.ts';
import { rejectedMessage } from './rejected-message.ts';
import { Http1Response } from './response.ts';

export interface Http1AdapterOptions extends Http1ConnectionOptions {
  /** Bytes a header section may have. */
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
  readonly onRejectedMessage: (
    connection: Connection,
    problem: Problem,
    refused: RejectedMessage,
  ) => void;
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
export class Http1Adapter {
  readonly #server: Server<typeof IncomingMessage, typeof Http1Response>;
  readonly #connections = new Map<Duplex, Http1Connection>();
  readonly #options: Http1AdapterOptions;
  readonly #sweep: NodeJS.Timeout;
  readonly #waiting: WaitingRequests = { count: 0 };
  #draining = false;

  constructor(options: Http1AdapterOptions) {
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
    server.on('timeout', (socket) => this.#connections.get(socket)?.onTimeout());
    // With `server.timeout` Node would start a timer anew with every write of every connection.
    this.#sweep = setInterval(() => {
      const now = performance.now();
      for (const http1 of this.#connections.values()) {
        http1.watchForStall();
        // Node's own timer starts anew with any byte, such as empty lines before a request (RFC 9112 2.2).
        const isUsed = http1.connection.requests > 0;
        if (isUsed) closeIdle(http1, now, options.idleTimeout + CROSSING, 'idle-timeout');
        if (http1.isResponseLate(now, options.answerTimeout))
          http1.connection.close('reset', 'answer-timeout');
        const isLate = http1.isOverdue(now) && !http1.renewDeadline(now, options.requestTimeout);
        if (isLate) http1.refuse(requestTimeoutProblem());
      }
    }, options.sweepInterval).unref();
  }

  /** @param socket the clear socket or, over TLS, the one that ALPN did not give to h2 */
  accept(connection: Connection, socket: Socket): void {
    connection.protocol = connection.tls ? 'https/1.1' : 'http/1.1';
    this.#options.observer?.detected?.(connection);
    const http1 = new Http1Connection(
      connection,
      socket,
      this.#options,
      () => this.#draining,
      this.#waiting,
    );
    this.#connections.set(socket, http1);
    socket.once('close', () => {
      this.#connections.delete(socket);
      http1.onClosed();
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
    for (const http1 of this.#connections.values()) closeIdle(http1, now, patience, 'draining');
  }

  close(): void {
    clearInterval(this.#sweep);
    this.#server.close();
    for (const { connection } of this.#connections.values()) connection.close('abort');
  }

  #request(incoming: IncomingMessage, response: Http1Response, awaitsContinue: boolean): void {
    const http1 = this.#connections.get(incoming.socket);
    http1?.serve(() => this.#serve(http1, incoming, response, awaitsContinue));
  }

  #serve(
    http1: Http1Connection,
    incoming: IncomingMessage,
    response: Http1Response,
    awaitsContinue: boolean,
  ): void {
    if (!http1.acceptsRequests()) {
      incoming.resume();
      http1.ignore();
      return;
    }
    const exchange = new Http1Exchange(incoming, response, http1, awaitsContinue);
    http1.begin(exchange);
    response.on('close', http1.onResponseClosed);
    this.#options.dispatch(exchange);
    exchange.discardUnread();
  }

  #connect({ method, url }: IncomingMessage, socket: Duplex): void {
    const http1 = this.#connections.get(socket);
    if (!http1 || http1.isClosing) return;
    socket.resume();
    const refused = { ...rejectedMessage(http1.connection), method, target: url };
    this.#refuse(
      http1,
      new Problem('not-implemented', 'wirebin does not support CONNECT'),
      refused,
    );
  }

  /** The parser gave up, or the request did not come in time. */
  #unreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
    const http1 = this.#connections.get(socket);
    if (!http1 || http1.isClosing) return;
    // No request has been read yet whose first bytes these would be.
    const { firstBytes, requests } = http1.connection;
    const problem = parserErrorToProblem(error, requests === 0 ? firstBytes : undefined);
    const { requestTimeout } = this.#options;
    const isLate = problem?.code === 'request-timeout';
    if (isLate && http1.renewDeadline(performance.now(), requestTimeout)) return;
    if (problem && socket.writable) {
      this.#refuse(http1, problem, rejectedMessage(http1.connection, error));
    }
    // Bytes after the last request of a connection (RFC 9112 9.6) harm nobody.
    else if (error.code === 'HPE_CLOSED_CONNECTION') http1.closeWhenIdle();
    else http1.connection.close('abort');
  }

  #refuse(http1: Http1Connection, problem: Problem, refused: RejectedMessage): void {
    if (!http1.current) {
      this.#options.onRejectedMessage(http1.connection, problem, refused);
      this.#options.observer?.rejected(http1.connection, problem, refused);
    }
    http1.refuse(problem);
  }
}

/**
 * Closes a connection that has waited for a request all the time.
 *
 * @param now by performance.now()
 * @param patience in milliseconds
 */
function closeIdle(
  http1: Http1Connection,
  now: number,
  patience: number,
  reason: CloseReason,
): void {
  if (http1.connection.idleFor(now) >= patience && !http1.isClosing) http1.closeGracefully(reason);
}
