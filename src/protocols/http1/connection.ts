import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { isResponseLate } from '../../server/exchange.ts';
import type { ProtocolOptions } from '../../server/limits.ts';
import { JOURNAL_FIELD, observeEnd } from '../../server/observer.ts';
import { turns } from '../../net/turn-budget.ts';
import { Problem } from '../../http/problem.ts';
import type { Connection } from '../../net/connection.ts';
import { exceededLimit, type CloseMethod, type CloseReason } from '../../net/close-reason.ts';
import { onLastResponse } from '../../net/node-internals.ts';
import { readTurns } from '../../net/read-turns.ts';
import { Http1Exchange, type ExchangeOwner } from './exchange.ts';
import { problemMessage, requestTimeoutProblem } from './parser-error.ts';
import type { Http1Response } from './response.ts';

/** Maximum number of open requests, and of bytes in their responses together. */
const MAX_OPEN = 32;
const MAX_BYTES = 1024 * 1024;
/** Maximum number of queued requests after them; a read of 64 KiB can contain some 2,000. */
const MAX_WAITING = 10_000;

/** Milliseconds added to the idle timeout, so that the close does not cross a request in flight. */
const IDLE_GRACE = 1000;

/** Number of queued pipelined requests on all connections of an adapter. */
export interface WaitingRequests {
  count: number;
}

/**
 * An HTTP/1.x connection: its open and queued requests, the order of their responses (RFC 9112 9.3.2),
 * and its close (RFC 9112 9.6).
 */
export class Http1Connection implements ExchangeOwner {
  readonly connection: Connection;
  readonly #socket: Socket;
  readonly #options: ProtocolOptions;
  /** Requests without a complete response, in order; the newest may still be arriving. */
  readonly #open: Http1Exchange[] = [];
  /** Requests, and what comes after them, queued until others complete; undefined if there are none. */
  #waiting: (() => void)[] | undefined;
  /** Whether the next of them have been queued for a turn. */
  #isInTurn = false;
  readonly #totalWaiting: WaitingRequests;
  /** The newest request, complete or not. */
  #newest: Http1Exchange | undefined;
  /** The response to an invalid message, to be written after those of the open requests. */
  #pendingError: Problem | undefined;
  /** The error in content that no handler reads. */
  #contentError: Problem | undefined;
  /** Set once no further request will be served (RFC 9112 9.6). */
  #closing = false;
  /** Renewed deadline of the newest request. Node enforces the first one. */
  #deadline = Infinity;
  #ignored = 0;
  /** While data is pending: the bytes that the client has taken, and since when. */
  #progress: { readonly taken: number; readonly since: number } | undefined;
  /** One listener for all responses on the connection. */
  readonly #onResponseClosed = (): void => this.#responseClosed();

  constructor(connection: Connection, options: ProtocolOptions, totalWaiting: WaitingRequests) {
    this.connection = connection;
    this.#totalWaiting = totalWaiting;
    const { stream: socket } = connection;
    this.#socket = socket;
    this.#options = options;
    // A plain destroy could discard the response while the client is still sending (RFC 9112 9.6).
    onLastResponse(socket, () => this.closeGracefully());
    socket.once('end', () => {
      connection.startProbing();
      // Node's parser reports an incomplete message first.
      setImmediate(() => this.#inOrder(() => this.#refuseIncomplete()));
    });
  }

  get isIdle(): boolean {
    return this.#open.length === 0;
  }

  get isClosing(): boolean {
    return this.#closing;
  }

  /**
   * Serves a request at once, or queues it and stops reading: a client may send any number of requests
   * without reading a response.
   */
  receive(incoming: IncomingMessage, response: Http1Response, awaitsContinue: boolean): void {
    readTurns.count(this, performance.now());
    if (!this.#waiting && this.#hasRoom) this.#serve(incoming, response, awaitsContinue);
    else this.#queue(() => this.#serve(incoming, response, awaitsContinue));
  }

  #queue(event: () => void): void {
    this.connection.stopReading();
    this.#waiting ??= [];
    const waiting = this.#waiting.push(event);
    const totalWaiting = ++this.#totalWaiting.count;
    if (waiting > MAX_WAITING || totalWaiting > this.#options.maxWaitingRequests) {
      this.connection.close('reset', 'flood');
    }
  }

  /** Handles what comes after a request once that is served. */
  #inOrder(event: () => void): void {
    if (this.#waiting && this.#waiting.length > 0) this.#queue(event);
    else event();
  }

  #serve(incoming: IncomingMessage, response: Http1Response, awaitsContinue: boolean): void {
    // During a drain only open requests are completed: the last response tells the client that later
    // requests were not processed.
    if ((this.#isDraining && this.#open.length > 0) || this.#isExhausted) this.#closing = true;
    if (this.#closing) {
      incoming.resume();
      if (++this.#ignored > MAX_OPEN) this.connection.stopReading();
      return;
    }
    const exchange = new Http1Exchange(incoming, response, this, awaitsContinue);
    this.#newest = exchange;
    this.#deadline = Infinity;
    this.#open.push(exchange);
    const { observer, dispatch } = this.#options;
    observer.began?.(exchange);
    if (exchange.hasBody) readTurns.countPieces(this, exchange.body);
    const key = incoming.headers[JOURNAL_FIELD];
    if (typeof key === 'string') observer.journalRequested?.(exchange, key);
    response.on('close', this.#onResponseClosed);
    dispatch(exchange);
    exchange.discardUnread();
  }

  pauseReading(): void {
    this.connection.pauseReading();
  }

  resumeReading(): void {
    // While content is not read, Node pauses the socket, and restarts the handle itself. The socket of an
    // inspected connection is also paused while pieces wait for a turn, which does not restart the handle.
    const { inspector } = this.connection;
    this.connection.resumeReading(inspector !== undefined || !this.#socket.isPaused());
  }

  /** Whether the response to this request is the last on the connection. */
  isLast(exchange: Http1Exchange): boolean {
    const willClose = this.#closing || this.#isDraining || this.#isExhausted;
    return willClose && exchange === this.#newest && this.#pendingError === undefined;
  }

  /** Call when a response with `Connection: close` is sent. */
  close(): void {
    this.#closing = true;
  }

  /** Closes the connection once the open requests are complete. */
  closeWhenIdle(): void {
    this.#inOrder(() => {
      this.#closing = true;
      if (this.isIdle) this.closeGracefully();
    });
  }

  /** Responds to an invalid message, after the responses to open requests. */
  refuse(problem: Problem): void {
    this.#inOrder(() => this.#refuse(problem));
  }

  #refuse(problem: Problem): void {
    this.#closing = true;
    const { current } = this;
    if (current) {
      // The error is in the content of this request, which has only one response: the problem if a
      // handler reads the content, otherwise the one in progress.
      if (!current.failContent(problem)) this.#contentError = problem;
      if (this.isIdle) this.closeGracefully();
    } else if (this.isIdle) {
      this.#write(problem);
    } else {
      this.#pendingError = problem;
    }
  }

  /** After Upgrade, llhttp does not report that the client's FIN came before the end of the content. */
  #refuseIncomplete(): void {
    if (this.current && !this.#closing) {
      this.#refuse(new Problem('invalid-message', 'the content is incomplete'));
    }
  }

  /** The request that is still arriving. */
  get current(): Http1Exchange | undefined {
    return this.#newest?.complete === false ? this.#newest : undefined;
  }

  /**
   * Renews the deadline of the request that is still arriving, if its content makes progress.
   *
   * @param now from performance.now()
   * @returns whether it was renewed
   */
  renewDeadline(now: number): boolean {
    const isProgressing = this.current?.isProgressing?.() ?? false;
    this.#deadline = isProgressing ? now + this.#options.requestTimeout : Infinity;
    return isProgressing;
  }

  /** Enforces the time limits. Call at intervals. */
  sweep(now: number): void {
    const { idleTimeout, answerTimeout } = this.#options;
    if (!this.isIdle && this.connection.mayBeGone) this.connection.probe();
    if (this.#isStalled(now)) this.connection.close('reset', 'stalled');
    // Any byte restarts Node's own timer, such as empty lines before a request (RFC 9112 2.2).
    const hasServed = this.connection.requests > 0;
    if (hasServed) this.closeIdle(now, idleTimeout + IDLE_GRACE, 'idle-timeout');
    const [first] = this.#open;
    if (first && isResponseLate(first, now, answerTimeout)) {
      this.connection.close('reset', 'answer-timeout');
    }
    const isOverdue = now >= this.#deadline && this.current !== undefined;
    if (isOverdue && !this.renewDeadline(now)) this.refuse(requestTimeoutProblem());
  }

  /** Closes the connection if it has been idle for `duration` milliseconds. */
  closeIdle(now: number, duration: number, reason: CloseReason): void {
    if (this.connection.idleFor(now) >= duration && !this.#closing) this.closeGracefully(reason);
  }

  reportError(error: unknown): void {
    this.#options.observer.internalError?.(error);
  }

  /** Closes after sending what has been written. */
  closeGracefully(reason: CloseReason = this.#reason()): void {
    this.#closing = true;
    this.connection.close('graceful', reason, this.#options.lingerTime);
  }

  closeForFault(how: CloseMethod): void {
    this.#closing = true;
    this.connection.close(how, 'fault', this.#options.lingerTime);
  }

  /**
   * Whether the client has taken nothing of what is pending for the limit. Over TLS it may be pending for ever: Node
   * loses the error of a write of OpenSSL's own, and with it each later write.
   */
  #isStalled(now: number): boolean {
    const isPending = this.#socket.writableLength > 0;
    const taken = this.connection.bytesTaken;
    if (!isPending) this.#progress = undefined;
    else if (this.#progress?.taken !== taken) this.#progress = { taken, since: now };
    return now - (this.#progress?.since ?? now) >= this.#options.stallTimeout;
  }

  /** Handles Node's socket timeout. */
  onTimeout(): void {
    if (this.isIdle) this.connection.close('abort', 'idle-timeout');
  }

  /** Call when the connection is closed. Node would notify only the first of several open requests. */
  onClosed(): void {
    this.#totalWaiting.count -= this.#waiting?.length ?? 0;
    this.#waiting = undefined;
    for (const exchange of this.#open.splice(0)) {
      this.#finish(exchange, false);
      exchange.onConnectionClosed();
    }
  }

  /** Responses complete in the order of their requests. */
  #responseClosed(): void {
    const exchange = this.#open.shift();
    if (!exchange) return;
    this.#finish(exchange, true);
    // An idle connection, of which there may be thousands, must not keep its last request in memory.
    if (exchange === this.#newest && exchange.complete) this.#newest = undefined;
    if (this.#waiting) this.#serveWaiting();
    else this.#closeIfLast();
  }

  #closeIfLast(): void {
    if (!this.isIdle || !this.#closing) return;
    if (this.#pendingError) this.#write(this.#pendingError);
    else this.closeGracefully();
  }

  get #hasRoom(): boolean {
    let bytes = 0;
    for (const exchange of this.#open) bytes += exchange.bytes;
    return this.#open.length < MAX_OPEN && bytes < MAX_BYTES;
  }

  /**
   * Serves queued requests in turn with other connections. Each response makes room for the next request: one
   * iteration of the event loop would serve all requests of a read, and of the next reads too, since libuv reads
   * until nothing is left.
   */
  #serveWaiting(): void {
    if (this.#isInTurn) return;
    this.#isInTurn = true;
    turns.run(() => {
      this.#isInTurn = false;
      if (!this.#waiting) return;
      this.#serveAll(this.#waiting);
      this.#closeIfLast();
    });
  }

  #serveAll(waiting: (() => void)[]): void {
    while (this.#hasRoom) {
      const event = waiting.shift();
      if (!event) {
        this.#waiting = undefined;
        this.connection.startReading();
        return;
      }
      this.#totalWaiting.count--;
      event();
    }
  }

  /** Then each connection is closed after the response to its last open request or, if none is open, its next one. */
  get #isDraining(): boolean {
    return this.#options.drainState.isDraining;
  }

  get #isExhausted(): boolean {
    return this.connection.requests >= this.#options.maxRequests;
  }

  #reason(): CloseReason {
    if (this.#contentError) return exceededLimit(this.#contentError) ?? 'refused';
    if (this.#isDraining) return 'draining';
    return this.#isExhausted ? 'request-limit' : 'connection-close';
  }

  #finish(exchange: Http1Exchange, isComplete: boolean): void {
    this.connection.requestFinished();
    exchange.onFinished?.();
    observeEnd(this.#options.observer, exchange, isComplete);
  }

  #write(problem: Problem): void {
    this.#socket.write(problemMessage(problem, this.connection, this.#options), 'latin1');
    // No request is arriving, so it is the header section that timed out.
    const limit = exceededLimit(problem);
    this.closeGracefully(limit === 'request-timeout' ? 'header-timeout' : (limit ?? 'refused'));
  }
}
