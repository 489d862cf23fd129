import type { Socket } from 'node:net';
import { isResponseLate, type ExchangeObserver } from '../../server/exchange.ts';
import { addConnectionField, type CommonFields } from '../../server/response-fields.ts';
import type { Problem } from '../../http/problem.ts';
import type { Connection } from '../../net/connection.ts';
import { exceededLimit, type CloseReason } from '../../net/close-reason.ts';
import type { ExchangeOwner, Http1Exchange } from './exchange.ts';
import { problemMessage } from './parser-error.ts';

/** Requests that may be open at once, as long as their responses have no more bytes than that in all. */
const MAX_OPEN = 32;
const MAX_BYTES = 1024 * 1024;
/** Requests that may wait after them; 64 KiB, which are read at a time, can hold some 2,000. */
const MAX_WAITING = 10_000;

/** Requests of all connections of an adapter that wait for the responses before them. */
export interface WaitingRequests {
  count: number;
}

export interface Http1ConnectionOptions extends CommonFields {
  /** Requests of all connections together that may wait for the responses before them. */
  readonly maxWaitingRequests: number;
  /** Requests of a connection. */
  readonly maxRequests: number;
  /** Milliseconds an answer waits for a client that takes nothing of it. */
  readonly stallTimeout: number;
  /** Milliseconds in which a client has to send something after our end of the connection. */
  readonly lingerTime: number;
  readonly observer?: ExchangeObserver | undefined;
}

/**
 * One HTTP/1.x connection: which requests are open or wait (RFC 9112 9.3.2), in which order their
 * responses leave, and how it ends (RFC 9112 9.6).
 */
export class Http1Connection implements ExchangeOwner {
  readonly connection: Connection;
  readonly #socket: Socket;
  readonly #options: Http1ConnectionOptions;
  readonly #isDraining: () => boolean;
  /** Requests without a complete response, in order; the newest may still be arriving. */
  readonly #open: Http1Exchange[] = [];
  /** What to serve once there is room; undefined while there is. */
  #waiting: (() => void)[] | undefined;
  readonly #waitingOfAll: WaitingRequests;
  /** The newest request, answered or not. */
  #newest: Http1Exchange | undefined;
  /** What to write for the unreadable message behind the open requests. */
  #refusal: Problem | undefined;
  /** What was wrong with content that nobody reads. */
  #fault: Problem | undefined;
  /** Set once no further request will be answered (RFC 9112 9.6). */
  #closing = false;
  /** When the time that the newest request was given again is up; Node counts the first time. */
  #deadline = Infinity;
  #ignored = 0;
  /** From when something was first left to write. */
  #stall: WriteStall | undefined;
  /** One listener for all the answers of the connection. */
  readonly onResponseClosed = (): void => this.#answered();

  constructor(
    connection: Connection,
    socket: Socket,
    options: Http1ConnectionOptions,
    isDraining: () => boolean,
    waitingOfAll: WaitingRequests,
  ) {
    this.connection = connection;
    this.#waitingOfAll = waitingOfAll;
    this.#socket = socket;
    this.#options = options;
    this.#isDraining = isDraining;
    // Node ends a connection with this after its last answer; a plain destroy could take the
    // answer with it while the client is still sending (RFC 9112 9.6).
    socket.destroySoon = () => this.closeGracefully();
    socket.once('end', () => connection.startProbing());
  }

  get isIdle(): boolean {
    return this.#open.length === 0;
  }

  get isClosing(): boolean {
    return this.#closing;
  }

  /**
   * Whether the next request is answered. On a drain only what is open is finished: the client
   * learns from the last answer that what it has sent behind it was not looked at.
   */
  acceptsRequests(): boolean {
    if ((this.#isDraining() && this.#open.length > 0) || this.#isSpent) this.#closing = true;
    return !this.#closing;
  }

  /**
   * Serves a request at once, or once the responses before it have left room for it. Meanwhile nothing
   * is read: a client may send any number of requests without taking a response.
   */
  serve(request: () => void): void {
    if (!this.#waiting && this.#hasRoom) {
      request();
      return;
    }
    this.connection.stopReading();
    this.#waiting ??= [];
    const ofThis = this.#waiting.push(request);
    const ofAll = ++this.#waitingOfAll.count;
    if (ofThis > MAX_WAITING || ofAll > this.#options.maxWaitingRequests) {
      this.connection.close('reset', 'flood');
    }
  }

  /** A request has come behind the last one that is answered. */
  ignore(): void {
    if (++this.#ignored > MAX_OPEN) this.connection.stopReading();
  }

  begin(exchange: Http1Exchange): void {
    this.#newest = exchange;
    this.#deadline = Infinity;
    this.#open.push(exchange);
    this.#options.observer?.began?.(exchange);
  }

  /** Whether the answer to this request is the connection's last. */
  isLast(exchange: Http1Exchange): boolean {
    const ends = this.#closing || this.#isDraining() || this.#isSpent;
    return ends && exchange === this.#newest && this.#refusal === undefined;
  }

  /** An answer that says `Connection: close` is on its way. */
  close(): void {
    this.#closing = true;
  }

  /** The parser takes no further request: what is open is answered, and then it ends. */
  closeWhenIdle(): void {
    if (this.#isWaiting) {
      this.serve(() => this.closeWhenIdle());
      return;
    }
    this.#closing = true;
    if (this.isIdle) this.closeGracefully();
  }

  /** Answers an unreadable message, behind the requests that are still open. */
  refuse(problem: Problem): void {
    if (this.#isWaiting) {
      this.serve(() => this.refuse(problem));
      return;
    }
    this.#closing = true;
    const { current } = this;
    if (current) {
      // It is this request's content that is broken, and a request has one answer: the fault's if
      // anybody reads the content, else the one on its way.
      if (!current.failContent(problem)) this.#fault = problem;
      if (this.isIdle) this.closeGracefully();
    } else if (this.isIdle) {
      this.#write(problem);
    } else {
      this.#refusal = problem;
    }
  }

  /** The request that is still arriving. */
  get current(): Http1Exchange | undefined {
    return this.#newest?.complete === false ? this.#newest : undefined;
  }

  /**
   * Gives the request that is still arriving its time again, where its content comes steadily.
   *
   * @param now by performance.now()
   * @param limit in milliseconds
   * @returns whether it did
   */
  renewDeadline(now: number, limit: number): boolean {
    const isSteady = this.current?.isProgressing?.() ?? false;
    this.#deadline = isSteady ? now + limit : Infinity;
    return isSteady;
  }

  /** Whether the time that was given again is up. */
  isOverdue(now: number): boolean {
    return now >= this.#deadline && this.current !== undefined;
  }

  /** What has been written arrives. */
  closeGracefully(reason: CloseReason = this.#reason()): void {
    this.#closing = true;
    this.connection.close('graceful', reason, this.#options.lingerTime);
  }

  /** Looks for a client that has gone, or takes nothing of what is left to write. To be called at intervals. */
  watchForStall(): void {
    if (this.#socket.writableLength === 0) {
      if (!this.isIdle) this.connection.probe();
      return;
    }
    this.#stall ??= new WriteStall(this.#socket, this.#options.stallTimeout);
    this.#stall.watch();
  }

  /**
   * Whether the answer on its way takes longer than it may. To be called at intervals.
   *
   * @param now by performance.now()
   * @param limit in milliseconds
   */
  isResponseLate(now: number, limit: number): boolean {
    const [first] = this.#open;
    return first !== undefined && isResponseLate(first, now, limit);
  }

  /** Node's timer has run out: the connection waits for a request, or its client takes nothing. */
  onTimeout(): void {
    const isStalled = this.#socket.writableLength > 0;
    if (isStalled ? this.#stall?.isOver() === false : !this.isIdle) return;
    if (isStalled) {
      this.connection.close('reset', 'stalled');
      return;
    }
    this.connection.close('abort', 'idle-timeout');
  }

  /** The connection has gone; Node would tell only the first of several open requests. */
  onClosed(): void {
    this.#waitingOfAll.count -= this.#waiting?.length ?? 0;
    this.#waiting = undefined;
    for (const exchange of this.#open.splice(0)) {
      this.#over(exchange, false);
      exchange.onConnectionClosed();
    }
  }

  /** Answers leave in the order of their requests. */
  #answered(): void {
    const exchange = this.#open.shift();
    if (!exchange) return;
    this.#over(exchange, true);
    // An idle connection, one of thousands maybe, holds no request.
    if (exchange === this.#newest && exchange.complete) this.#newest = undefined;
    this.#serveWaiting();
    if (!this.isIdle || !this.#closing) return;
    if (this.#refusal) this.#write(this.#refusal);
    else this.closeGracefully();
  }

  get #isWaiting(): boolean {
    return this.#waiting !== undefined && this.#waiting.length > 0;
  }

  get #hasRoom(): boolean {
    let bytes = 0;
    for (const exchange of this.#open) bytes += exchange.bytes;
    return this.#open.length < MAX_OPEN && bytes < MAX_BYTES;
  }

  #serveWaiting(): void {
    if (!this.#waiting) return;
    while (this.#hasRoom) {
      const request = this.#waiting?.shift();
      if (!request) {
        this.#waiting = undefined;
        this.connection.startReading();
        return;
      }
      this.#waitingOfAll.count--;
      request();
    }
  }

  get #isSpent(): boolean {
    return this.connection.requests >= this.#options.maxRequests;
  }

  #reason(): CloseReason {
    if (this.#fault) return exceededLimit(this.#fault) ?? 'refused';
    if (this.#isDraining()) return 'draining';
    return this.#isSpent ? 'request-limit' : 'connection-close';
  }

  #over(exchange: Http1Exchange, through: boolean): void {
    this.connection.requestFinished();
    exchange.onFinished?.();
    this.#options.observer?.finished(exchange, through);
  }

  #write(problem: Problem): void {
    const fields: string[] = [];
    if (this.#options.connFields) addConnectionField(this.connection, fields);
    this.#socket.write(problemMessage(problem, fields), 'latin1');
    // No request is arriving, so it is the header section that has not.
    const limit = exceededLimit(problem);
    this.closeGracefully(limit === 'request-timeout' ? 'header-timeout' : (limit ?? 'refused'));
  }
}

/** Into how many parts the time set is divided. */
const PARTS = 4;

/**
 * A connection with something left to write, of which the client may take nothing. Node's own timer
 * alone sees how much of a large write the client has taken, but only when it runs out, and then starts
 * anew: with the whole of the time set, a client that took something at first would have it twice. So
 * the timer runs for a part of it, and the parts in which nothing was taken are put together.
 */
export class WriteStall {
  readonly #socket: Socket;
  readonly #limit: number;
  /** By performance.now(), as `#lookedAt`. */
  #since = 0;
  #lookedAt = -Infinity;
  #bytes = 0;

  /** @param limit in milliseconds */
  constructor(socket: Socket, limit: number) {
    this.#socket = socket;
    this.#limit = limit;
  }

  /** Starts the timer, if it does not run. */
  watch(): void {
    if (!this.#socket.timeout) this.#socket.setTimeout(this.#limit / PARTS);
  }

  /** To be called when the timer has run out. @returns whether nothing was taken for the time set */
  isOver(): boolean {
    const part = this.#limit / PARTS;
    const now = performance.now();
    const { bytesWritten } = this.#socket;
    // Where something was taken the timer has run twice; where all was, more has been written.
    const goesOn = now - this.#lookedAt < 1.5 * part && bytesWritten === this.#bytes;
    if (!goesOn) this.#since = now - part;
    this.#lookedAt = now;
    this.#bytes = bytesWritten;
    // Timers and the clock differ by fractions of a millisecond.
    if (now - this.#since > this.#limit - part / 2) return true;
    this.#socket.setTimeout(part);
    return false;
  }
}
