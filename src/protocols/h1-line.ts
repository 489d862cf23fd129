import type { Socket } from 'node:net';
import { isAnswerLate, type ExchangeObserver } from '../http/exchange.ts';
import { addConnectionField, type CommonFields } from '../http/response-fields.ts';
import type { Problem } from '../kit/problem.ts';
import type { Connection } from '../wire/connection.ts';
import { limitOf, type CloseReason, type CutReason } from '../wire/ending.ts';
import { linger } from '../wire/linger.ts';
import type { Http1Exchange } from './h1-exchange.ts';
import { refusalMessage } from './h1-refusal.ts';
import { MAX_OPEN, Pipeline, type PipelineOptions } from './h1-pipeline.ts';
import { Stall } from './h1-stall.ts';

export interface LineOptions extends CommonFields, PipelineOptions {
  /** Requests of a connection. */
  readonly maxRequests: number;
  /** Milliseconds an answer waits for a client that takes nothing of it. */
  readonly stallTimeout: number;
  /** Milliseconds in which a client has to send something after our end of the connection. */
  readonly lingerTime: number;
  readonly observer?: ExchangeObserver | undefined;
}

/** One HTTP/1.x connection: what is open on it, and how it ends (RFC 9112 9). */
export class Line {
  readonly connection: Connection;
  readonly #socket: Socket;
  readonly #options: LineOptions;
  readonly #isDraining: () => boolean;
  readonly #pipeline: Pipeline;
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
  #stall: Stall | undefined;
  /** One listener for all the answers of the connection. */
  readonly onAnswered = (): void => this.#answered();

  constructor(
    connection: Connection,
    socket: Socket,
    options: LineOptions,
    isDraining: () => boolean,
  ) {
    this.connection = connection;
    this.#pipeline = new Pipeline(connection, options);
    this.#socket = socket;
    this.#options = options;
    this.#isDraining = isDraining;
    // Node ends a connection with this after its last answer; a plain destroy could take the
    // answer with it while the client is still sending (RFC 9112 9.6).
    socket.destroySoon = () => this.hangUp();
    socket.once('end', () => connection.startProbing());
  }

  get isIdle(): boolean {
    return this.#pipeline.open.length === 0;
  }

  get isClosing(): boolean {
    return this.#closing;
  }

  /**
   * Whether the next request is answered. On a drain only what is open is finished: the client
   * learns from the last answer that what it has sent behind it was not looked at.
   */
  takesRequests(): boolean {
    if ((this.#isDraining() && this.#pipeline.open.length > 0) || this.#isSpent)
      this.#closing = true;
    return !this.#closing;
  }

  /** Serves a request in its turn. */
  serve(request: () => void): void {
    if (!this.#pipeline.serve(request)) this.cut('flood');
  }

  /** A request has come behind the last one that is answered. */
  ignore(): void {
    if (++this.#ignored > MAX_OPEN) this.connection.stopReading();
  }

  begin(exchange: Http1Exchange): void {
    this.#newest = exchange;
    this.#deadline = Infinity;
    this.#pipeline.open.push(exchange);
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
    if (this.#pipeline.isWaiting) {
      this.serve(() => this.closeWhenIdle());
      return;
    }
    this.#closing = true;
    if (this.isIdle) this.hangUp();
  }

  /** Answers an unreadable message, behind the requests that are still open. */
  refuse(problem: Problem): void {
    if (this.#pipeline.isWaiting) {
      this.serve(() => this.refuse(problem));
      return;
    }
    this.#closing = true;
    const { current } = this;
    if (current) {
      // It is this request's content that is broken, and a request has one answer: the fault's if
      // anybody reads the content, else the one on its way.
      if (!current.contentLost(problem)) this.#fault = problem;
      if (this.isIdle) this.hangUp();
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
  extend(now: number, limit: number): boolean {
    const isSteady = this.current?.isSteady?.() ?? false;
    this.#deadline = isSteady ? now + limit : Infinity;
    return isSteady;
  }

  /** Whether the time that was given again is up. */
  isOverdue(now: number): boolean {
    return now >= this.#deadline && this.current !== undefined;
  }

  /** Closes in order: what has been written arrives. */
  hangUp(reason: CloseReason = this.#reason()): void {
    this.#closing = true;
    this.connection.closes(reason);
    linger(this.#socket, this.#options.lingerTime);
  }

  /** Looks for a client that has gone, or takes nothing of what is left to write. To be called at intervals. */
  watch(): void {
    if (this.#socket.writableLength === 0) {
      if (!this.isIdle) this.connection.probe();
      return;
    }
    this.#stall ??= new Stall(this.#socket, this.#options.stallTimeout);
    this.#stall.watch();
  }

  /**
   * Whether the answer on its way takes longer than it may. To be called at intervals.
   *
   * @param now by performance.now()
   * @param limit in milliseconds
   */
  isAnswerLate(now: number, limit: number): boolean {
    const [first] = this.#pipeline.open;
    return first !== undefined && isAnswerLate(first, now, limit);
  }

  cut(reason: CutReason): void {
    this.connection.reset(reason);
  }

  /** Node's timer has run out: the connection waits for a request, or its client takes nothing. */
  onTimeout(): void {
    const isStalled = this.#socket.writableLength > 0;
    if (isStalled ? this.#stall?.isOver() === false : !this.isIdle) return;
    if (isStalled) {
      this.cut('stalled');
      return;
    }
    this.connection.closes('idle-timeout');
    this.#socket.destroy();
  }

  /** The connection has gone; Node would tell only the first of several open requests. */
  lost(): void {
    for (const exchange of this.#pipeline.clear()) {
      this.#over(exchange, false);
      exchange.lost();
    }
  }

  /** Answers leave in the order of their requests. */
  #answered(): void {
    const exchange = this.#pipeline.open.shift();
    if (!exchange) return;
    this.#over(exchange, true);
    // An idle connection, one of thousands maybe, holds no request.
    if (exchange === this.#newest && exchange.complete) this.#newest = undefined;
    this.#pipeline.advance();
    if (!this.isIdle || !this.#closing) return;
    if (this.#refusal) this.#write(this.#refusal);
    else this.hangUp();
  }

  get #isSpent(): boolean {
    return this.connection.requests >= this.#options.maxRequests;
  }

  #reason(): CloseReason {
    if (this.#fault) return limitOf(this.#fault) ?? 'refused';
    if (this.#isDraining()) return 'draining';
    return this.#isSpent ? 'request-limit' : 'connection-close';
  }

  #over(exchange: Http1Exchange, through: boolean): void {
    this.connection.requestEnded();
    exchange.onOver?.();
    this.#options.observer?.finished(exchange, through);
  }

  #write(problem: Problem): void {
    const fields: string[] = [];
    if (this.#options.connFields) addConnectionField(this.connection, fields);
    this.#socket.write(refusalMessage(problem, fields), 'latin1');
    // No request is arriving, so it is the header section that has not.
    const limit = limitOf(problem);
    this.hangUp(limit === 'request-timeout' ? 'header-timeout' : (limit ?? 'refused'));
  }
}
