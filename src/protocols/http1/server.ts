import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createServer } from '../../net/node-http.ts';
import type { ProtocolOptions } from '../../server/limits.ts';
import { Problem } from '../../http/problem.ts';
import type { Connection } from '../../net/connection.ts';
import {
  allowHalfOpen,
  parseInJavaScript,
  activeParsers,
  startTimeoutChecks,
} from '../../net/node-internals.ts';
import { readTurns } from '../../net/read-turns.ts';
import type { RejectedMessage } from '../../net/rejected-message.ts';
import { Http1Connection, type SharedState } from './connection.ts';
import { parserErrorToProblem } from './parser-error.ts';
import { rejectedMessage } from './rejected-message.ts';
import { Http1Response } from './response.ts';

/** Milliseconds for which it is not asked again which connections are receiving a message. */
const RECEIVING_AGE = 10;

/** HTTP/1.1 and HTTP/1.0 (RFC 9112) on `node:http`, cleartext and over TLS. */
export class Http1Adapter {
  readonly #server: Server<typeof IncomingMessage, typeof Http1Response>;
  readonly #connections = new Map<Duplex, Http1Connection>();
  readonly #options: ProtocolOptions;
  readonly #sweep: NodeJS.Timeout;
  readonly #shared: SharedState = {
    waitingRequests: 0,
    isReceiving: (socket) => this.#isReceiving(socket),
  };
  /** Parsers within a message, as of the time in milliseconds by `performance.now()`. */
  #receiving: { readonly parsers: WeakSet<object>; readonly at: number } | undefined;

  constructor(options: ProtocolOptions) {
    this.#options = options;
    const server = createServer({
      ServerResponse: Http1Response,
      maxHeaderSize: options.maxHeaderSize,
      // Node requires that headersTimeout does not exceed requestTimeout.
      headersTimeout: Math.min(options.headerTimeout, options.requestTimeout),
      requestTimeout: options.requestTimeout,
      // The sweep closes idle connections, because any byte would restart Node's timer, which newer versions extend.
      keepAliveTimeout: 0,
      connectionsCheckingInterval: options.sweepInterval,
      // Dispatch rejects a missing Host, like a repeated one.
      requireHostHeader: false,
    });
    // No limit, because Node 20 would silently cut the list off. maxHeaderSize limits it.
    server.maxHeadersCount = 0;
    allowHalfOpen(server);
    const receive = (incoming: IncomingMessage, response: Http1Response, continues = false): void =>
      this.#connections.get(incoming.socket)?.receive(incoming, response, continues);
    server.on('request', receive);
    server.on('checkContinue', (incoming, response) => receive(incoming, response, true));
    // Dispatch rejects an unknown expectation, like other errors.
    server.on('checkExpectation', receive);
    server.on('connect', (incoming, socket) => this.#onConnect(incoming, socket));
    server.on('clientError', (error, socket) => this.#onClientError(error, socket));
    startTimeoutChecks(server);
    this.#server = server;
    // Instead of `server.timeout`, because with it Node restarts a timer for every write of every connection.
    this.#sweep = setInterval(() => {
      const now = performance.now();
      for (const http1 of this.#connections.values()) http1.sweep(now);
    }, options.sweepInterval).unref();
  }

  accept(connection: Connection): void {
    readTurns.admit(connection.stream.readableLength, () => {
      return connection.stream.destroyed ? undefined : this.#begin(connection);
    });
  }

  #begin(connection: Connection): Http1Connection {
    const { stream: socket } = connection;
    connection.protocol = connection.tls ? 'https/1.1' : 'http/1.1';
    this.#options.observer.detected?.(connection);
    const http1 = new Http1Connection(connection, this.#options, this.#shared);
    this.#connections.set(socket, http1);
    socket.once('close', () => {
      this.#connections.delete(socket);
      readTurns.closed(http1);
      http1.onClosed();
    });
    this.#server.emit('connection', socket);
    const { inspector } = connection;
    if (inspector) parseInJavaScript(socket, (bytes) => inspector.parsed(bytes));
    // The first bytes, which protocol detection has put back, are in the stream's buffer.
    socket.resume();
    return http1;
  }

  /** Node is asked for all connections at once, and not again for some time: thousands may end their idle time together. */
  #isReceiving({ parser }: Socket): boolean {
    const now = performance.now();
    if (!this.#receiving || now - this.#receiving.at >= RECEIVING_AGE) {
      this.#receiving = { parsers: new WeakSet(activeParsers(this.#server)), at: now };
    }
    return parser !== null && parser !== undefined && this.#receiving.parsers.has(parser);
  }

  /**
   * Closes connections that have been idle. Call at intervals.
   *
   * @param duration in milliseconds
   */
  closeIdle(duration: number): void {
    const now = performance.now();
    for (const http1 of this.#connections.values()) http1.closeIdle(now, duration, 'draining');
  }

  close(): void {
    clearInterval(this.#sweep);
    this.#server.close();
    this.abort();
  }

  /** Aborts all connections. */
  abort(): void {
    for (const { connection } of this.#connections.values()) connection.close('abort');
  }

  #onConnect({ method, url }: IncomingMessage, socket: Duplex): void {
    const http1 = this.#connections.get(socket);
    if (!http1 || http1.isClosing) return;
    socket.resume();
    const problem = new Problem('not-implemented', 'wirebin does not support CONNECT');
    const message = { ...rejectedMessage(http1.connection), method, target: url };
    this.#refuse(http1, problem, message);
  }

  /** Handles an error of the parser, or a request timeout. */
  #onClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
    const http1 = this.#connections.get(socket);
    if (!http1) return;
    // `firstBytes` are those of the first message on the connection.
    const { firstBytes, requests, inspector } = http1.connection;
    if (error.code?.startsWith('HPE_') === true) inspector?.parserStopped(error);
    if (http1.isClosing) return;
    const problem = parserErrorToProblem(error, requests === 0 ? firstBytes : undefined);
    if (problem?.code === 'request-timeout' && http1.renewDeadline(performance.now())) return;
    if (problem && socket.writable) {
      const message = inspector?.rejectedMessage() ?? rejectedMessage(http1.connection, error);
      this.#refuse(http1, problem, message);
    }
    // Bytes after the last request of a connection are ignored (RFC 9112 9.6).
    else if (error.code === 'HPE_CLOSED_CONNECTION') http1.closeWhenIdle();
    else http1.connection.close('abort');
  }

  #refuse(http1: Http1Connection, problem: Problem, message: RejectedMessage): void {
    if (!http1.current) this.#options.observer.rejected?.(http1.connection, problem, message);
    http1.refuse(problem);
  }
}
