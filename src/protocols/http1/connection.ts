import type { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import type { FieldLines } from '../../http/fields.ts';
import { Problem } from '../../http/problem.ts';
import { exceededLimit, type CloseMethod, type CloseReason } from '../../net/close-reason.ts';
import type { TcpConnection } from '../../net/tcp-connection.ts';
import { excerptOf, type RejectedMessage } from '../../net/rejected-message.ts';
import { BOUNDS, turns } from '../../net/scheduler.ts';
import type { ProtocolOptions } from '../../server/limits.ts';
import { guarded } from '../../server/failure.ts';
import { observeBegin, observeEnd } from '../../server/observer.ts';
import type { RequestHead } from '../../wire/http1/request-head.ts';
import type { Content } from './content.ts';
import { Http1Exchange, type ExchangeOwner } from './exchange.ts';
import { Output } from './output.ts';
import { phaseAfter, type Phase, type Step } from './phase.ts';
import { problemMessage } from './problem-message.ts';
import { RequestReader, type RequestListener } from './request-reader.ts';
import { Unread } from '../unread.ts';

/** Maximum number of open requests per connection. */
const MAX_OPEN = 32;
/** Once the responses to open requests have so many bytes, the connection reads no further request. */
const MAX_BYTES = 1024 * 1024;
/** Maximum bytes received after the last request that is served. */
const MAX_SKIPPED = 64 * 1024;

/** Whether the received bytes are being read, or will be in a turn of the connection. */
type ReadState = 'idle' | 'scheduled' | 'running';

/**
 * An HTTP/1.x connection: its open requests, the order of their responses (RFC 9112 9.3.2), and its close (RFC 9112
 * 9.6). Requests are read one by one from the pieces that have arrived, as long as only a few are open. Large pieces
 * take turns with those of other connections: each may contain thousands of requests or chunks.
 */
export class Http1Connection implements ExchangeOwner, RequestListener {
  readonly connection: TcpConnection;
  readonly output: Output;
  readonly #stream: Socket;
  readonly #options: ProtocolOptions;
  readonly #reader: RequestReader;
  readonly #unread: Unread;
  #phase: Phase = 'serving';
  /** Why the connection will be closed after its open responses. */
  #endReason: CloseReason = 'connection-close';
  /** Requests whose response the system has not taken completely, in order. The newest one may still be arriving. */
  readonly #open: Http1Exchange[] = [];
  /** Number of open requests whose whole response has been written. They are the first ones in `#open`. */
  #written = 0;
  /** The newest request, until it is complete and its response has been sent. */
  #newest: Http1Exchange | undefined;
  /** The problem with an invalid message, sent after the responses to the open requests. */
  #problem: Problem | undefined;
  #reading: ReadState = 'idle';
  /** Bytes that arrived after the last request that is served. */
  #skipped = 0;
  #isOld = false;
  /** Requests whose response needed no write, while an earlier one was being written. */
  readonly #sentEarly = new Set<Http1Exchange>();

  /** @param total counts the unread bytes on all connections of the adapter */
  constructor(connection: TcpConnection, options: ProtocolOptions, total: Unread['total']) {
    const { stream, inspector } = connection;
    this.connection = connection;
    this.#stream = stream;
    this.#options = options;
    this.output = new Output(stream);
    this.#unread = new Unread(total);
    const now = performance.now();
    this.#reader = new RequestReader(this, now, options.maxHeaderSize, inspector?.requestTap);
    stream.on('data', this.#onData);
    const ended = (): void => {
      connection.enableKeepAlive();
      if (this.#unread.isEmpty) this.#onEnd();
    };
    stream.once('end', guarded(this, ended));
  }

  get isIdle(): boolean {
    return this.#open.length === 0;
  }

  get isServing(): boolean {
    return this.#phase === 'serving';
  }

  /** Whether a message has begun to arrive and is not complete. */
  get isReceiving(): boolean {
    return this.#reader.isReceiving;
  }

  /** When the arriving message began or, for the first one, the connection; from performance.now(). */
  get receivingSince(): number {
    return this.#reader.since;
  }

  /** The request whose content is still arriving; undefined without one. */
  get arriving(): Http1Exchange | undefined {
    return this.#newest?.isReceived === false ? this.#newest : undefined;
  }

  /** The oldest open request; undefined without one. */
  get oldest(): Http1Exchange | undefined {
    return this.#open[0];
  }

  #advance(step: Step): void {
    this.#phase = phaseAfter(this.#phase, step);
  }

  readonly #onData = guarded(this, (piece: Buffer): void => {
    this.#unread.add(piece, performance.now());
    if (this.#reading === 'idle') {
      if (piece.length > BOUNDS.smallPiece && turns.isSpent()) {
        this.connection.holdReading('turn');
        this.#readInTurn();
      } else this.#read();
    }
    if (this.#unread.isFlood) this.close('reset', 'flood');
  });

  /** Resets the connection because of an internal error in reading it. */
  failed(error: unknown): void {
    this.reportError(error);
    this.close('reset', 'internal-error');
  }

  /** Reads what has arrived, as far as requests may be served. */
  #read(): void {
    this.#reading = 'running';
    this.output.beginBatch();
    for (let next = this.#next(); next !== 'wait'; next = this.#next()) {
      const { first, at } = this.#unread;
      if (first) this.#unread.advance(this.#reader[next](first.bytes, at, first.time));
    }
    this.output.endBatch();
    this.#reading = 'idle';
    this.#forgetNewest();
    if (!this.#unread.isEmpty) this.connection.holdReading('pipeline');
    else {
      this.connection.releaseReading('pipeline');
      if (this.connection.clientHalfClosed) this.#onEnd();
    }
    this.#closeIfLast();
  }

  /** What to do with the next bytes: `wait` if there are none, or no room for a request; `skip` if none is read any more. */
  #next(): 'read' | 'skip' | 'wait' {
    if (this.#unread.isEmpty || this.#stream.destroyed || this.#phase === 'switched') return 'wait';
    if (this.#phase !== 'closed' && this.arriving && !this.#reader.isStopped) return 'read';
    if (this.#phase === 'serving') this.#endIfLast();
    // It is not known yet whether the response will switch to the other protocol.
    if (this.#reader.isUpgrade && this.#phase !== 'closed' && !this.isIdle) return 'wait';
    if (this.#phase !== 'serving' || this.#reader.isStopped) {
      this.#holdIfMuch();
      return 'skip';
    }
    return this.#hasRoom ? 'read' : 'wait';
  }

  /** Serves no further request if the previous one was the last. */
  #endIfLast(): void {
    if (this.#isExhausted) this.endAfterResponse('request-limit');
    else if (this.#isDraining && !this.isIdle) this.endAfterResponse(this.#drainReason);
  }

  /**
   * Stops reading after too many bytes of requests that will not be served. Content of a served request is not limited:
   * its client may read the response only after sending it.
   */
  #holdIfMuch(): void {
    const { first, at } = this.#unread;
    if ((this.arriving && !this.#reader.isStopped) || !first) return;
    this.#skipped += first.bytes.length - at;
    if (this.#skipped > MAX_SKIPPED) this.connection.holdReading('closing');
  }

  get #hasRoom(): boolean {
    if (this.#open.length >= MAX_OPEN) return false;
    let bytes = 0;
    for (const exchange of this.#open) bytes += exchange.bytes;
    return bytes < MAX_BYTES;
  }

  requestReceived(head: RequestHead, content: Content | undefined): void {
    if (head.framing.after === 'tunnel') {
      const problem = new Problem('not-implemented', 'wirebin does not support CONNECT');
      this.refused(problem, {
        text: excerptOf(head.text, this.connection.inspector !== undefined),
      });
      return;
    }
    if (!head.persists) this.endAfterResponse('connection-close');
    const exchange = new Http1Exchange(head, content, this);
    this.#newest = exchange;
    this.#open.push(exchange);
    const { observer, dispatch } = this.#options;
    observeBegin(observer, exchange);
    dispatch(exchange);
  }

  trailersReceived(trailers: FieldLines): FieldLines {
    const exchange = this.#newest;
    return exchange?.onTrailers?.(exchange, trailers) === false ? [] : trailers;
  }

  holdContent(isHeld: boolean): void {
    if (isHeld) this.connection.holdReading('content');
    else this.connection.releaseReading('content');
  }

  /** Responds to an invalid message, after the responses to the open requests. */
  refused(problem: Problem, message: RejectedMessage): void {
    if (this.#phase !== 'serving' && !this.arriving) return;
    const { arriving } = this;
    this.endAfterResponse('connection-close');
    if (!arriving) {
      this.#endReason = endReasonOf(problem, false);
      this.#options.observer.rejected?.(this.connection, problem, message);
      if (this.isIdle) this.#write(problem);
      else this.#problem = problem;
      return;
    }
    // A request gets one response: a problem if a handler reads the invalid content, otherwise the one in progress.
    if (!arriving.failContent(problem)) this.#endReason = endReasonOf(problem, true);
    if (this.isIdle) this.close('graceful', this.#endReason);
  }

  /** Refuses the message that is arriving, or the first one if it is late. */
  refuseIncomplete(problem: Problem): void {
    this.#reader.refuseIncomplete(problem);
  }

  /** Whether received bytes are waiting to be read. */
  get isWaiting(): boolean {
    return !this.#unread.isEmpty;
  }

  /** Call at the maximum age: the connection closes after its open requests, after the next one, or after a second of none. */
  reachMaxAge(): void {
    this.#isOld = true;
  }

  /** Restarts the time limit of the message that is arriving: time during which it is not read does not count. */
  restartTime(now: number): void {
    this.#reader.since = now;
  }

  /** Call when all that the client sent before FIN has been read. */
  #onEnd(): void {
    if (this.#phase === 'switched' || this.#phase === 'closed') return;
    if (this.#reader.isReceiving) {
      const part = this.arriving ? 'content' : 'header section';
      this.#reader.refuseIncomplete(new Problem('invalid-message', `the ${part} is incomplete`));
    } else if (this.isIdle) this.close('graceful');
    else this.endAfterResponse('connection-close');
  }

  hasTurn(exchange: Http1Exchange): boolean {
    if (this.#open[this.#written] === exchange) return true;
    // A written response has had its turn, and can only be cut off.
    return !this.#open.includes(exchange, this.#written);
  }

  lastReason(exchange: Http1Exchange): CloseReason | undefined {
    if (exchange !== this.#newest || this.#problem !== undefined) return undefined;
    if (this.#phase === 'ending') return this.#endReason;
    if (this.#isDraining) return this.#drainReason;
    return this.#isExhausted ? 'request-limit' : undefined;
  }

  endAfterResponse(reason: CloseReason, exchange?: Http1Exchange): void {
    if (this.#phase === 'serving') this.#endReason = reason;
    this.#advance('end');
    if (!exchange) return;
    // Nothing follows the last response (RFC 9112 9.6): no other response, and no problem.
    this.#problem = undefined;
    this.#open.splice(this.#open.indexOf(exchange) + 1).forEach(this.#abandon);
  }

  responseWritten(exchange: Http1Exchange): void {
    if (this.#open[this.#written] !== exchange) return;
    this.#written++;
    this.#open[this.#written]?.beginTurn();
  }

  responseSent(exchange: Http1Exchange): void {
    if (this.#open[0] !== exchange) return void this.#sentEarly.add(exchange);
    this.#open.shift();
    const hadTurn = this.#written === 0;
    if (!hadTurn) this.#written--;
    this.#finish(exchange, true);
    this.#forgetNewest();
    if (hadTurn) this.#open[0]?.beginTurn();
    const [next] = this.#open;
    if (next && this.#sentEarly.delete(next)) this.responseSent(next);
    else if (!this.#unread.isEmpty) this.#readInTurn();
    else this.#closeIfLast();
  }

  /** Drops the newest request once done: thousands of idle connections must not keep their last request. */
  #forgetNewest(): void {
    if (this.isIdle && this.#newest?.isReceived === true) this.#newest = undefined;
  }

  /** Continues reading in turn with other connections, because a client may send any number of small requests. */
  #readInTurn(): void {
    if (this.#reading !== 'idle') return;
    this.#reading = 'scheduled';
    const read = (): void => {
      this.#reading = 'idle';
      if (this.#stream.destroyed) return;
      this.#read();
      this.connection.releaseReading('turn');
    };
    turns.run(guarded(this, read));
  }

  #closeIfLast(): void {
    if (!this.isIdle || this.#phase === 'serving' || this.#phase === 'closed') return;
    if (this.#problem) this.#write(this.#problem);
    else this.close('graceful', this.#endReason);
  }

  close(how: CloseMethod, reason?: CloseReason): void {
    this.output.flush();
    this.#advance('close');
    // What arrives from now on is read and discarded, unless too much has been already (`closing`).
    this.connection.releaseReading('pipeline');
    this.connection.releaseReading('content');
    this.connection.close(how, reason, this.#options.lingerTime);
  }

  handOver(): Duplex {
    this.#advance('switch');
    const stream = this.#stream;
    stream.off('data', this.#onData);
    this.connection.releaseAllReading();
    const unread = this.#unread.take();
    // After close_notify the stream may have ended before its last bytes were read, and takes none back.
    if (!stream.readableEnded) for (const rest of unread) stream.unshift(rest);
    return stream;
  }

  reportError(error: unknown): void {
    this.#options.observer.internalError?.(error);
  }

  /** Call when the connection has closed. */
  onClosed(): void {
    this.#advance('close');
    this.#unread.take();
    this.#open.splice(0).forEach(this.#abandon);
    // Content that is still arriving ends with the connection, even if its response has been sent.
    this.#newest?.connectionClosed();
  }

  /** Ends a request that gets no response. */
  readonly #abandon = (exchange: Http1Exchange): void => {
    this.#finish(exchange, false);
    exchange.connectionClosed();
  };

  #finish(exchange: Http1Exchange, isComplete: boolean): void {
    this.connection.requests.noteFinished();
    exchange.finish();
    observeEnd(this.#options.observer, exchange, isComplete);
  }

  /** Whether the connection closes after its open requests or, without any, the next one. */
  get #isDraining(): boolean {
    return this.#isOld || this.#options.drainState.isDraining;
  }

  get #drainReason(): CloseReason {
    return this.#isOld ? 'connection-age' : 'draining';
  }

  get #isExhausted(): boolean {
    return this.connection.requests.total >= this.#options.maxRequests;
  }

  #write(problem: Problem): void {
    this.output.write([problemMessage(problem, this.connection, this.#options)]);
    this.close('graceful', this.#endReason);
  }
}

/** Why a connection is closed after a problem. @param isOfContent true if the problem is in the content */
function endReasonOf(problem: Problem, isOfContent: boolean): CloseReason {
  const limit = exceededLimit(problem) ?? 'refused';
  // Without a request, it is a header section that has timed out.
  return limit === 'request-timeout' && !isOfContent ? 'header-timeout' : limit;
}
