import type { Duplex, Readable } from 'node:stream';
import { reasonPhrases, type ReasonPhrases } from '../../http/status.ts';
import type { Exchange } from '../../server/exchange.ts';
import type { FieldLines } from '../../http/fields.ts';
import { isWhole, payloadLength, trailersOf, type Payload } from '../../server/payload.ts';
import { guarded } from '../../server/failure.ts';
import { pump } from '../../server/pump.ts';
import { turns } from '../../net/scheduler.ts';
import { UpgradeChannel } from '../../server/upgrade.ts';
import { parseTarget, type Target } from '../../http/target.ts';
import { Problem } from '../../http/problem.ts';
import type { Fault } from '../../server/fault.ts';
import type { Reply } from '../../server/reply.ts';
import { perform } from '../../server/fault-plan.ts';
import type { CloseMethod, CloseReason } from '../../net/close-reason.ts';
import type { TcpConnection } from '../../net/tcp-connection.ts';
import type { RequestHead } from '../../wire/http1/request-head.ts';
import { ProtocolExchange } from '../exchange.ts';
import { Content } from './content.ts';
import { delayReading } from './faults/delay-reading.ts';
import { FaultWriter } from './faults/fault-writer.ts';
import { COMPLETE, faultyResponse, stepsOf } from './faults/faulty-response.ts';
import { MAX_COPIED, type Output, type Sent } from './output.ts';
import {
  CHUNKED,
  headerSection,
  interimResponse,
  latin1,
  removeTrailerField,
  responseWindow,
} from './response.ts';
import { ResponseSink } from './response-sink.ts';

/** The connection, as seen by its exchanges. */
export interface ExchangeOwner {
  readonly connection: TcpConnection;
  readonly output: Output;
  /** Whether it is the turn of this response, because all earlier ones have been written (RFC 9112 9.3.2). */
  hasTurn(exchange: Http1Exchange): boolean;
  /** The connection's own reason to close after the response to this request; undefined if it has none. */
  lastReason(exchange: Http1Exchange): CloseReason | undefined;
  /** Call when the last response on the connection begins. Requests that were received after its own get none. */
  endAfterResponse(reason: CloseReason, exchange: Http1Exchange): void;
  /** Call when all of a response has been written, so that the next one may be joined to it. */
  responseWritten(exchange: Http1Exchange): void;
  /** Call when the system has taken all of a response. */
  responseSent(exchange: Http1Exchange): void;
  /** Hands the stream over to another protocol, together with the bytes that have arrived since the request. */
  handOver(): Duplex;
  /** Serves no further request, and closes the connection. @param reason omitted if the client has closed it */
  close(how: CloseMethod, reason?: CloseReason): void;
  reportError(error: unknown): void;
}

const NO_FIELDS: FieldLines = [];

/** A request and its response on an HTTP/1.x connection. */
export class Http1Exchange extends ProtocolExchange<TcpConnection> implements Exchange {
  readonly method: string;
  readonly version: string;
  readonly rawTarget: string;
  target: Target | undefined;
  readonly fields: FieldLines;
  readonly head: string;
  readonly stream = undefined;
  readonly receivedAt = performance.now();
  contentProblem: Problem | undefined;
  readonly #owner: ExchangeOwner;
  #content: Readonly<Content> | undefined;
  readonly hasBody: boolean;
  /**
   * Whether the connection persists after the response, as far as the request decides. Not after Upgrade: the bytes
   * that follow may belong to the other protocol (RFC 9110 7.8, RFC 9931).
   */
  readonly #persists: boolean;
  /** Whether the close of the connection ends the response. */
  #isEndedByClose = false;
  /** Whether the connection is closed after the response, even if request content is still arriving. */
  #endsWithResponse = false;
  #sink: ResponseSink | undefined;
  /** Functions to call when it is the turn of the response. */
  #inTurn: (() => void)[] | undefined;

  constructor(head: RequestHead, content: Content | undefined, owner: ExchangeOwner) {
    super(owner.connection);
    this.#owner = owner;
    this.method = head.method;
    this.version = head.version;
    this.rawTarget = head.target;
    this.target = parseTarget(head.method, head.target);
    this.fields = head.fields;
    this.head = head.text;
    this.#content = content;
    this.hasBody = content !== undefined;
    this.awaitsContinue = head.expectsContinue && this.hasBody;
    this.#persists = head.persists && head.framing.after === 'message';
  }

  get body(): Readable {
    if (!this.#content) {
      this.#content = new Content(() => undefined);
      this.#content.finish(NO_FIELDS);
    }
    return this.#content;
  }

  get trailers(): FieldLines {
    return this.#content?.trailers ?? NO_FIELDS;
  }

  get isReceived(): boolean {
    return this.#content?.isComplete ?? true;
  }

  protected override sendInterim(status: number, fields: readonly string[]): boolean {
    if (this.version === 'HTTP/1.0' || this.isFinished || this.isGone) return false;
    const response = interimResponse(status, fields, this.#reasonPhrases);
    this.#whenInTurn(() => this.#owner.output.write([response]));
    return true;
  }

  endWithResponse(how: 'close' | 'stop'): void {
    if (how === 'stop') {
      const reason = 'HTTP/1.1 can stop a request only by closing the connection';
      throw new Problem('fault-unavailable', `then=stop resets a stream of HTTP/2; ${reason}`);
    }
    this.#endsWithResponse = true;
  }

  discardUnread(): void {
    if (this.#content?.readableFlowing === null) this.#content.resume();
  }

  /**
   * Fails the reading of the content by a handler, even if it begins later.
   *
   * @returns whether a handler is reading, and can still respond
   */
  failContent(problem: Problem): boolean {
    this.contentProblem = problem;
    const { body } = this;
    // Without a listener, `error` would become an uncaught exception.
    const isRead = body.listenerCount('error') > 0 && body.emit('error', problem);
    return isRead && this.status === undefined;
  }

  /** Call if the connection closes before the response is complete. */
  connectionClosed(): void {
    this.abortWork();
    this.#content?.destroy();
  }

  refuse(): void {
    this.respond(503, ['Retry-After', '1', 'Content-Length', '0'], '', true);
    this.abortWork();
  }

  /** Call when all earlier responses have been written. */
  beginTurn(): void {
    const inTurn = this.#inTurn ?? [];
    this.#inTurn = undefined;
    for (const call of inTurn) call();
  }

  #whenInTurn(call: () => void): void {
    if (!this.#inTurn && this.#owner.hasTurn(this)) call();
    else (this.#inTurn ??= []).push(guarded(this, call));
  }

  sendLarge(send: () => void): void {
    let isCalled = false;
    const begin = (): void => {
      if (isCalled) return;
      isCalled = true;
      turns.run(guarded(this, send));
    };
    // A request that has ended has no turn any more.
    if (this.isAborted) begin();
    else this.#whenInTurn(begin);
    if (!isCalled) this.signal.addEventListener('abort', begin, { once: true });
  }

  /** Calls the function immediately: an HTTP/1.x response is finished only after the system has taken it. */
  afterSent(call: () => void): void {
    guarded(this, call)();
  }

  /** Cuts the response off by closing the connection, once the responses to all earlier requests have been written. */
  protected override breakOff(): void {
    // The connection may have the next response by now.
    if (this.isFinished) return;
    // If the close ends the content, FIN would make the response look complete (RFC 9112 6.3).
    const how = this.#isEndedByClose ? 'reset' : 'abort';
    this.#whenInTurn(() => this.#owner.close(how, 'internal-error'));
  }

  protected override get isGone(): boolean {
    return this.#owner.output.isClosed;
  }

  protected override reportError(error: unknown): void {
    this.#owner.reportError(error);
  }

  /** Call when the header section of the response is known to be valid. */
  #begin(status: number, last: CloseReason | undefined): void {
    this.status = status;
    this.advance('begin');
    if (last !== undefined) this.#owner.endAfterResponse(last, this);
    this.discardUnread();
  }

  get #reasonPhrases(): ReasonPhrases {
    return this.dialect?.reasonPhrases ?? reasonPhrases;
  }

  respond(status: number, fields: string[], payload: Payload, close: Reply['close']): void {
    if (!this.mayRespond()) return;
    const content = this.method === 'HEAD' ? '' : payload;
    const isUnknown = payloadLength(content) === undefined;
    const mayChunk = this.version === 'HTTP/1.1' && close !== 'ends-content';
    // Without a length or the chunked coding, only the close of the connection ends the content (RFC 9112 6.3).
    this.#isEndedByClose = isUnknown && !mayChunk;
    const last = this.#lastReason(Boolean(close) || this.#isEndedByClose);
    if (last !== undefined) fields.push('Connection', 'close');
    else if (this.version === 'HTTP/1.0') fields.push('Connection', 'keep-alive');
    const hasTrailers = trailersOf(payload) !== undefined;
    if (hasTrailers && !mayChunk) removeTrailerField(fields);
    // With Trailer, a response to HEAD declares the chunked coding that GET would have (RFC 9110 6.6.2).
    const declaresChunks = hasTrailers && this.method === 'HEAD';
    if (mayChunk && (isUnknown || declaresChunks)) fields.push(...CHUNKED);
    const section = headerSection(status, fields, this.#reasonPhrases);
    this.#begin(status, last);
    this.#whenInTurn(() => this.#send(section, content, isUnknown && mayChunk));
  }

  #send(section: string, content: Payload, isChunked: boolean): void {
    const { output } = this.#owner;
    if (!isWhole(content)) {
      this.#sink = new ResponseSink(output, section, isChunked, this.#onSent);
      pump(this.#sink, content, responseWindow(this.connection), this);
      return;
    }
    this.bytes = content.length;
    if (section.length + content.length > MAX_COPIED) {
      output.write([section, content], this.#onSent);
      return;
    }
    output.writeSmall(section + latin1(content), this.#onSent);
    this.#owner.responseWritten(this);
  }

  readonly #onSent: Sent = (error) => {
    if (!error) this.#owner.responseSent(this);
  };

  addTrailers(trailers: FieldLines): void {
    this.#sink?.addTrailers(trailers);
  }

  respondWithFault(status: number, fields: string[], payload: Payload, fault: Fault): void {
    if (!this.mayRespond()) return;
    if (fault.kind === 'no-read') {
      delayReading(this, fault)
        .then(() => this.respond(status, fields, payload, false))
        .catch((error: unknown) => this.failed(error));
      return;
    }
    const hasContent = this.method !== 'HEAD';
    const hasChunks = this.version === 'HTTP/1.1';
    this.#isEndedByClose = !hasChunks;
    const last = this.#lastReason(!hasChunks);
    if (last !== undefined) fields.push('Connection', 'close');
    const content = hasContent ? payload : '';
    const phrases = this.#reasonPhrases;
    const sound = { status, phrases, fields, payload: content, hasContent, hasChunks };
    const faulty = faultyResponse(sound, fault, this.connection.tls !== undefined);
    this.#begin(status, last ?? (faulty.ending === COMPLETE ? undefined : 'fault'));
    const writer = new FaultWriter(
      this.#owner.output,
      faulty,
      this,
      responseWindow(this.connection).shared,
    );
    this.#whenInTurn(() => {
      perform(stepsOf(faulty), faulty.payload, writer).catch((error: unknown) =>
        this.failed(error),
      );
    });
  }

  /** Ends a faulty response. The next one follows, or the connection closes as usual. */
  completeFault(): void {
    this.#owner.responseSent(this);
  }

  respondWithUpgrade(
    status: number,
    fields: string[],
    begin: (channel: UpgradeChannel) => void,
  ): void {
    if (!this.mayRespond()) return;
    const section = headerSection(status, fields, this.#reasonPhrases);
    this.#begin(status, 'connection-close');
    const start = guarded(this, () => {
      const { output } = this.#owner;
      if (output.isClosed) return;
      output.write([section]);
      const ends = {
        end: () => this.#owner.responseSent(this),
        abort: () => this.#owner.close('abort'),
        reset: () => this.#owner.close('reset', 'fault'),
      };
      begin(new UpgradeChannel(this.#owner.handOver(), this, ends));
    });
    // Deferred until the request has been dispatched.
    this.#whenInTurn(() => process.nextTick(start));
  }

  close(how: CloseMethod, reason: CloseReason): void {
    this.#owner.close(how, reason);
  }

  /** Why the response is the last on the connection, if it is. @param isOwn true if the response itself requires it */
  #lastReason(isOwn: boolean): CloseReason | undefined {
    // Without 100 (Continue), the client may or may not send content, so the start of the next message is unknown (RFC
    // 9110 10.1.1).
    const awaitsContinue = this.awaitsContinue && !this.isReceived;
    const isLast = isOwn || !this.#persists || this.#endsWithResponse || awaitsContinue;
    return this.#owner.lastReason(this) ?? (isLast ? 'connection-close' : undefined);
  }
}
