import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { isResponseLate } from '../../server/exchange.ts';
import type { ProtocolOptions } from '../../server/limits.ts';
import { JOURNAL_FIELD, observeEnd } from '../../server/observer.ts';
import { turns } from '../../net/turn-budget.ts';
import { Problem } from '../../http/problem.ts';
import { asksForWebSocket } from '../../http/websocket.ts';
import type { Connection } from '../../net/connection.ts';
import { exceededLimit, type CloseMethod, type CloseReason } from '../../net/close-reason.ts';
import { isParsed, onLastResponse, takeOverAfterRequest } from '../../net/node-internals.ts';
import { IdleTimer } from '../../net/idle-timer.ts';
import { readTurns } from '../../net/read-turns.ts';
import { Http1Exchange, type ExchangeOwner } from './exchange.ts';
import { problemMessage, requestTimeoutProblem } from './parser-error.ts';
import type { Http1Response } from './response.ts';

/** Maximum number of open requests of a connection, and below, of bytes in their responses. */
const MAX_OPEN = 32;
const MAX_BYTES = 1024 * 1024;
/** Maximum number of requests queued after the open ones: a read of 64 KiB can contain some 2,000. */
const MAX_WAITING = 10_000;

/** Milliseconds without a request after which an old connection is closed, so that the close crosses none on its way. */
const OLD_IDLE = 1000;

/** Milliseconds by which a timer may differ from its interval. */
const TIMER_DEVIATION = 5;

/** What the connections of an adapter share. */
export interface SharedState {
  /** Number of pipelined requests that are queued on all connections. */
  waitingRequests: number;
  /** Whether a message has begun to arrive on a socket, and is not complete. */
  readonly isReceiving: (socket: Socket) => boolean;
}

/**
 * An HTTP/1.x connection: its open and queued requests, the order of their responses (RFC 9112 9.3.2),
 * and its close (RFC 9112 9.6).
 */
export class Http1Connection implements ExchangeOwner {
  readonly connection: Connection;
  readonly #socket: Socket;
  readonly #options: ProtocolOptions;
  /** Requests whose response is incomplete, in order. The newest one may still be arriving. */
  readonly #open: Http1Exchange[] = [];
  /** Queued requests and later events of the connection, until open requests are complete; undefined without any. */
  #waiting: (() => void)[] | undefined;
  /** Whether serving the queued requests is already scheduled. */
  #isInTurn = false;
  readonly #shared: SharedState;
  /** The newest request, even if it is complete. */
  #newest: Http1Exchange | undefined;
  /** Problem of an invalid message, sent after the responses to the open requests. */
  #pendingError: Problem | undefined;
  /** Problem in request content that no handler reads. */
  #contentError: Problem | undefined;
  /** Whether no further request will be served (RFC 9112 9.6). */
  #closing = false;
  /** Whether the connection has reached its maximum age. */
  #isOld = false;
  /** Renewed deadline of the newest request. Node enforces the first one. */
  #deadline = Infinity;
  #ignored = 0;
  /** While data is pending: `writeProgress`, since when it is the same, and when it was last looked at. */
  #progress: { readonly value: number; readonly since: number; readonly seen: number } | undefined;
  /** One listener for all responses on the connection. */
  readonly #onResponseClosed = (): void => this.#responseClosed();
  readonly #idleTimer: IdleTimer;

  constructor(connection: Connection, options: ProtocolOptions, shared: SharedState) {
    this.connection = connection;
    this.#shared = shared;
    const { stream: socket } = connection;
    this.#socket = socket;
    this.#options = options;
    const { idleTimeout, sweepInterval } = options;
    this.#idleTimer = new IdleTimer(connection, idleTimeout, sweepInterval, () => {
      this.closeIdle(performance.now(), idleTimeout, 'idle-timeout');
    });
    // Node would destroy the socket, which could discard the response while the client is still sending (RFC 9112 9.6).
    onLastResponse(socket, () => this.closeGracefully());
    socket.once('end', () => {
      connection.startProbing();
      // Later, because Node's parser reports an incomplete message itself, if it notices it.
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
   * Serves a request, or queues it and stops reading, because a client may send any number of requests without reading
   * responses.
   */
  receive(incoming: IncomingMessage, response: Http1Response, awaitsContinue: boolean): void {
    readTurns.count(this, performance.now());
    // Frames may follow at once, however long the response takes (RFC 6455 4.1).
    if (!this.#closing && isHandshake(incoming)) takeOverAfterRequest(incoming);
    if (!this.#waiting && this.#hasRoom) this.#serve(incoming, response, awaitsContinue);
    else this.#queue(() => this.#serve(incoming, response, awaitsContinue));
  }

  #queue(event: () => void): void {
    this.connection.stopReading();
    this.#waiting ??= [];
    const waiting = this.#waiting.push(event);
    const totalWaiting = ++this.#shared.waitingRequests;
    if (waiting > MAX_WAITING || totalWaiting > this.#options.maxWaitingRequests) {
      this.connection.close('reset', 'flood');
    }
  }

  /** Handles an event after the requests queued before it. */
  #inOrder(event: () => void): void {
    if (this.#waiting && this.#waiting.length > 0) this.#queue(event);
    else event();
  }

  #serve(incoming: IncomingMessage, response: Http1Response, awaitsContinue: boolean): void {
    // During a drain, no further requests are served: `Connection: close` in the last response tells the client.
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
    // Node pauses the socket while content is not read, and restarts the handle itself. An inspected connection is also
    // paused while pieces wait for their turn, and a WebSocket while frames do: then the handle is not restarted.
    const socket = this.#socket;
    const isPausedByNode = isParsed(socket) && !this.connection.inspector && socket.isPaused();
    this.connection.resumeReading(!isPausedByNode);
  }

  /** Whether the response to this request is the last one on the connection. */
  isLast(exchange: Http1Exchange): boolean {
    const willClose = this.#closing || this.#isDraining || this.#isExhausted;
    return willClose && exchange === this.#newest && this.#pendingError === undefined;
  }

  /** Call when a response with `Connection: close` is being sent. */
  close(): void {
    this.#closing = true;
  }

  /** Closes the connection after the open requests are complete. */
  closeWhenIdle(): void {
    this.#inOrder(() => {
      this.#closing = true;
      if (this.isIdle) this.closeGracefully();
    });
  }

  /** Responds to an invalid message after the responses to open requests. */
  refuse(problem: Problem): void {
    this.#inOrder(() => this.#refuse(problem));
  }

  #refuse(problem: Problem): void {
    this.#closing = true;
    const { current } = this;
    if (current) {
      // The request gets only one response: a problem if a handler reads the invalid content, otherwise the one in
      // progress.
      if (!current.failContent(problem)) this.#contentError = problem;
      if (this.isIdle) this.closeGracefully();
    } else if (this.isIdle) {
      this.#write(problem);
    } else {
      this.#pendingError = problem;
    }
  }

  /** Refuses a request whose content ended early by FIN. llhttp does not report this after Upgrade. */
  #refuseIncomplete(): void {
    if (this.current && !this.#closing) {
      this.#refuse(new Problem('invalid-message', 'the content is incomplete'));
    }
  }

  /** The request that is still arriving; undefined without one. */
  get current(): Http1Exchange | undefined {
    return this.#newest?.complete === false ? this.#newest : undefined;
  }

  /**
   * Renews the deadline of the arriving request if its content makes progress.
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
    const { answerTimeout, maxConnectionAge } = this.#options;
    if (!this.isIdle && this.connection.mayBeGone) this.connection.probe();
    if (this.#isStalled(now)) this.connection.close('reset', 'stalled');
    // Node's own timer is not used: any byte restarts it, even empty lines before a request (RFC 9112 2.2).
    if (this.connection.requests > 0) this.#idleTimer.check(now);
    this.#isOld = now - this.connection.openedAt >= maxConnectionAge;
    if (this.#isOld) this.closeIdle(now, OLD_IDLE, 'connection-age');
    const [first] = this.#open;
    if (first && isResponseLate(first, now, answerTimeout)) {
      this.connection.close('reset', 'answer-timeout');
    }
    const isOverdue = now >= this.#deadline && this.current !== undefined;
    if (isOverdue && !this.renewDeadline(now)) this.refuse(requestTimeoutProblem());
  }

  /** Closes the connection if it has been idle for `duration` milliseconds. */
  closeIdle(now: number, duration: number, reason: CloseReason): void {
    if (this.#closing || this.connection.idleFor(now) < duration) return;
    // From its first byte on, a request has the time that it is given.
    if (!this.#shared.isReceiving(this.#socket)) this.closeGracefully(reason);
  }

  reportError(error: unknown): void {
    this.#options.observer.internalError?.(error);
  }

  /** Closes the connection after all pending data was sent. */
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
    if (this.#socket.writableLength === 0) {
      this.#progress = undefined;
      return false;
    }
    const { stallTimeout, sweepInterval } = this.#options;
    const value = this.connection.writeProgress;
    const isSame = this.#progress?.value === value;
    const { since, seen } = (isSame ? this.#progress : undefined) ?? { since: now, seen: now };
    this.#progress = { value, since, seen: now };
    // After the process was stopped or its event loop blocked, what the client has taken meanwhile is not known yet.
    const end = Math.min(now, seen + sweepInterval);
    return end - since >= stallTimeout - TIMER_DEVIATION;
  }

  /** Call when the connection was closed. Node would notify only the first of several open requests. */
  onClosed(): void {
    this.#shared.waitingRequests -= this.#waiting?.length ?? 0;
    this.#waiting = undefined;
    for (const exchange of this.#open.splice(0)) {
      this.#finish(exchange, false);
      exchange.onConnectionClosed();
    }
  }

  /** Finishes the oldest open request, because responses are complete in order of requests. */
  #responseClosed(): void {
    const exchange = this.#open.shift();
    if (!exchange) return;
    this.#finish(exchange, true);
    // Thousands of idle connections must not keep their last request in memory.
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
   * Serves queued requests in turn with other connections. Otherwise one iteration of the event loop would serve all
   * requests of a read, and of the next reads too: each response makes room for another request, and libuv reads until
   * nothing is left.
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
      this.#shared.waitingRequests--;
      event();
    }
  }

  /**
   * While draining and at its maximum age, a connection is closed after its last open request or, without one, after
   * its next request.
   */
  get #isDraining(): boolean {
    return this.#isOld || this.#options.drainState.isDraining;
  }

  get #isExhausted(): boolean {
    return this.connection.requests >= this.#options.maxRequests;
  }

  #reason(): CloseReason {
    if (this.#contentError) return exceededLimit(this.#contentError) ?? 'refused';
    if (this.#isOld) return 'connection-age';
    if (this.#isDraining) return 'draining';
    return this.#isExhausted ? 'request-limit' : 'connection-close';
  }

  #finish(exchange: Http1Exchange, isComplete: boolean): void {
    this.connection.requestFinished();
    exchange.finish();
    observeEnd(this.#options.observer, exchange, isComplete);
  }

  #write(problem: Problem): void {
    this.#socket.write(problemMessage(problem, this.connection, this.#options), 'latin1');
    // Without an arriving request, a header section has timed out.
    const limit = exceededLimit(problem);
    this.closeGracefully(limit === 'request-timeout' ? 'header-timeout' : (limit ?? 'refused'));
  }
}

/** Whether a WebSocket may follow the request (RFC 6455 4.2.1). */
function isHandshake({ method, headers, rawHeaders }: IncomingMessage): boolean {
  const { upgrade, 'content-length': length = '0', 'transfer-encoding': coding } = headers;
  if (upgrade === undefined || method !== 'GET') return false;
  return asksForWebSocket(rawHeaders) && length === '0' && coding === undefined;
}
