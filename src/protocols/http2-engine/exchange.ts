import type { Readable } from 'node:stream';
import type { Problem } from '../../http/problem.ts';
import { hasNoContent } from '../../http/status.ts';
import type { FieldLines } from '../../http/fields.ts';
import type { Target } from '../../http/target.ts';
import type { CloseReason } from '../../net/close-reason.ts';
import { afterIterations, WRITE_ITERATIONS } from '../../net/event-loop.ts';
import type { Exchange } from '../../server/exchange.ts';
import { guarded } from '../../server/failure.ts';
import { isWhole, type Payload } from '../../server/payload.ts';
import { pump } from '../../server/pump.ts';
import type { Windows } from '../../server/request.ts';
import type { Http2Connection } from '../../wire/http2/connection.ts';
import type { RequestValidator } from '../../wire/http2/request-validator.ts';
import type { Http2Stream } from '../../wire/http2/stream.ts';
import { ErrorCode } from '../../wire/http2/names.ts';
import {
  StreamExchange,
  type SoundResponse,
  type StreamSession,
} from '../http2-shared/exchange.ts';
import type { HeldCredit } from '../http2-shared/faults/no-read.ts';
import type { Sending } from '../http2-shared/faults/plan.ts';
import { responseWindow } from '../http2-shared/response-window.ts';
import { Content, Tunnel } from './content.ts';
import { EngineFaultStage, type FaultyExchange, type FaultySession } from './faults/stage.ts';
import type { Written } from './output.ts';
import type { ReceivedHead, RequestHead } from './request-head.ts';
import { ResponseSink } from './response-sink.ts';
import { interimSection, responseSection } from './response-section.ts';

/** The session, as seen by its exchanges. */
export interface ExchangeOwner extends FaultySession, StreamSession {
  readonly http2: Http2Connection<EngineExchange>;
  /** Whether the session has ended. */
  readonly isOver: boolean;
  /** Sends GOAWAY, and completes open streams (RFC 9113 6.8). */
  close(how: 'graceful', reason: CloseReason): void;
  /** Call when request and response have ended. */
  finished(exchange: EngineExchange, isComplete: boolean): void;
}

const NO_FIELDS: FieldLines = [];

/** A request and its response on a stream of an `Http2Connection`. */
export class EngineExchange
  extends StreamExchange<ExchangeOwner>
  implements Exchange, FaultyExchange, Written
{
  readonly hasBody: boolean;
  readonly receivedAt: number;
  target: Target | undefined;
  readonly native: Http2Stream<EngineExchange>;
  /** Validates what follows the header section; undefined if nothing does. */
  readonly validator: RequestValidator | undefined;
  /** Since when the content has been arriving, or its time limit was renewed, from performance.now(). */
  arrivingSince: number;
  protected override errorCode = 0;
  readonly #head: RequestHead;
  /** Without any, an empty stream is created when `body` is first read. */
  #content: Content | Tunnel | undefined;
  #sink: ResponseSink | undefined;
  /** Where the end of the response is: in the output, or taken by the system. */
  #end: 'pending' | 'queued' | 'written' = 'pending';
  /** What happens to a request that is still arriving when its response has been written. */
  #afterResponse: 'close' | 'stop' | undefined;

  constructor(
    native: Http2Stream<EngineExchange>,
    { head, validator }: ReceivedHead,
    isComplete: boolean,
    session: ExchangeOwner,
    now: number,
  ) {
    super(session);
    this.native = native;
    this.#head = head;
    this.validator = validator;
    this.receivedAt = now;
    this.arrivingSince = now;
    this.target = head.target;
    this.hasBody = !isComplete;
    this.awaitsContinue = head.expectsContinue && this.hasBody;
    const isConnect = head.method === 'CONNECT';
    if (this.hasBody || isConnect) {
      const returnCredit = (bytes: number): void => {
        session.http2.returnCredit(native, bytes);
        session.output.schedule();
      };
      this.#content = isConnect ? new Tunnel(returnCredit) : new Content(returnCredit);
      if (isComplete) this.#content.finish(NO_FIELDS);
    }
  }

  get method(): string {
    return this.#head.method;
  }

  get rawTarget(): string {
    return this.#head.rawTarget;
  }

  get fields(): FieldLines {
    return this.#head.fields;
  }

  get repeatedSection(): object | undefined {
    return this.#head.isRepeated ? this.#head : undefined;
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
    return !this.hasBody || this.#content?.isComplete === true;
  }

  protected override get id(): number {
    return this.native.id;
  }

  protected override windows(): Windows | undefined {
    const { http2, isOver } = this.session;
    if (isOver) return undefined;
    const { sendWindow, receiveWindow, peer } = http2;
    return {
      connection: { toClient: sendWindow, toServer: receiveWindow },
      stream: { initialToClient: peer.initialWindowSize, toServer: this.native.receiving.left },
    };
  }

  /** Call with content of the request. */
  received(piece: Buffer): void {
    this.#content?.add(piece);
  }

  /** Call when the client has ended the stream. @param trailers undefined without any */
  receivedAll(trailers: FieldLines | undefined): void {
    const isKept = trailers && this.onTrailers?.(this, trailers) !== false;
    this.#content?.finish(isKept ? trailers : NO_FIELDS);
    if (this.#end === 'written' && !this.isFinished) this.session.finished(this, true);
  }

  discardUnread(): void {
    // The content of CONNECT waits for the response, because it may be WebSocket frames.
    if (this.method !== 'CONNECT') this.discard();
  }

  /** Discards the content unless something reads it: the stream would otherwise stay half-closed. */
  protected override discard(): void {
    if (this.#content?.readableFlowing === null) this.#content.resume();
  }

  get isEndQueued(): boolean {
    return this.#end !== 'pending';
  }

  /** Bytes of content that wait for flow control or for the socket. */
  get unsent(): number {
    return this.native.unsent;
  }

  protected override get isGone(): boolean {
    return this.isFinished && this.#end !== 'written';
  }

  protected override sendInterim(status: number, fields: readonly string[]): boolean {
    if (this.isFinished) return false;
    this.#sendHeaders(interimSection(status, fields), false);
    return true;
  }

  endWithResponse(how: 'close' | 'stop'): void {
    this.#afterResponse = how;
  }

  refuse(): void {
    this.#afterResponse ??= 'stop';
    this.respond(503, ['Retry-After', '1'], '');
    this.abortWork();
  }

  sendLarge(send: () => void): void {
    this.session.output.sendLarge(guarded(this, send));
  }

  afterSent(call: () => void): void {
    this.session.output.afterSent(guarded(this, call));
  }

  reset(code: number): void {
    if (this.isFinished) return;
    const { http2, output } = this.session;
    http2.reset(this.native, code);
    output.schedule();
    this.endedEarly(code);
  }

  /** Call when the stream was reset, or the connection has closed. @param code of RST_STREAM; 0 without */
  endedEarly(code: number): void {
    if (this.isFinished) return;
    this.errorCode = code;
    this.session.finished(this, this.#end === 'written');
    this.#content?.destroy();
  }

  /** Call when the system has taken the whole response. */
  onWritten(isSent: boolean): void {
    if (this.isFinished) return;
    if (!isSent) {
      this.endedEarly(0);
      return;
    }
    this.#end = 'written';
    const after = this.#afterResponse;
    if (this.isReceived) this.session.finished(this, true);
    // Deferred, because the end of the request may be on its way.
    if (after) afterIterations(WRITE_ITERATIONS, () => this.#endRequest(after));
  }

  /** Ends a request whose response has been written: the client need not send the rest (RFC 9113 8.1). */
  #endRequest(how: 'close' | 'stop'): void {
    if (!this.isFinished) this.reset(ErrorCode.noError);
    if (how === 'close') this.session.close('graceful', 'connection-close');
  }

  respond(status: number, fields: string[], payload: Payload): void {
    if (!this.mayRespond()) return;
    const hasContent = this.method !== 'HEAD' && payload !== '' && !hasNoContent(status);
    this.begin(status, fields, !hasContent);
    if (!hasContent) return;
    if (isWhole(payload)) {
      this.bytes = payload.length;
      if (this.session.http2.send(this.native, payload, true)) this.responseEnded();
    } else this.send(payload);
  }

  /** Sends the content of the response as the client takes it. */
  send(payload: Payload): void {
    pump(this.sink().trailersOf(payload), payload, responseWindow(this.connection), this);
  }

  /** Sends the header section. @throws TypeError before that if a field is invalid */
  begin(status: number, fields: readonly string[], isEnd: boolean): void {
    this.beginVerbatim(status, responseSection(status, fields), isEnd);
  }

  /** Sends a header section as it is. @param section names in lower case, unless that is to be wrong */
  beginVerbatim(status: number, section: FieldLines, isEnd: boolean): void {
    this.status = status;
    this.markBegun();
    this.discard();
    this.#sendHeaders(section, isEnd);
    if (isEnd) this.responseEnded();
  }

  #sendHeaders(section: FieldLines, isEnd: boolean): void {
    const { http2, output } = this.session;
    http2.sendHeaders(this.native, section, isEnd);
    output.schedule();
  }

  /** Call when a response begins, even if its first bytes are no HEADERS. */
  markBegun(): void {
    if (this.response === 'none') this.advance('begin');
  }

  /** Where the content of the response is written. */
  sink(): ResponseSink {
    const { http2, output } = this.session;
    this.#sink ??= new ResponseSink(http2, this.native, output, this);
    return this.#sink;
  }

  /** Call when the connection has sent all content that it was given. */
  onSent(): void {
    if (this.#sink) this.#sink.onSent();
    else this.responseEnded();
  }

  /** Call when the end of the response is in the output. */
  responseEnded(): void {
    this.#end = 'queued';
    this.session.output.whenWritten(this);
  }

  protected override get credit(): HeldCredit {
    const { http2, output } = this.session;
    return {
      hold: () => http2.holdCredit(),
      release: () => {
        http2.releaseCredit();
        output.schedule();
      },
    };
  }

  protected override get sending(): Sending {
    const { maxFrameSize } = this.session.http2.peer;
    return { maxFrameSize, window: Infinity, sendsAnyFrame: true };
  }

  protected override stageOf(response: SoundResponse): EngineFaultStage {
    return new EngineFaultStage(this, response, this.session);
  }

  /** Ends the response without a frame: a fault has sent the bytes of it. */
  abandon(): void {
    if (this.isFinished) return;
    this.session.http2.stopSending(this.native);
    this.#afterResponse ??= this.isReceived ? undefined : 'stop';
    this.responseEnded();
    this.session.output.schedule();
  }

  protected override openTunnel(status: number, fields: readonly string[]): Tunnel {
    const tunnel = this.#content;
    if (!(tunnel instanceof Tunnel)) throw new Error('only CONNECT has a tunnel');
    this.#sendHeaders(responseSection(status, fields), false);
    this.markBegun();
    tunnel.sendTo(this.sink());
    return tunnel;
  }

  /** Fails the reading of content that is late. The stream ends after the response, at the latest after a while. */
  endLateContent(problem: Problem, lingerTime: number): void {
    if (this.isEndQueued) this.session.observer.terminated?.('request-timeout', this.connection);
    const content = this.#content;
    // Without a listener, `error` would become an uncaught exception.
    if (content && content.listenerCount('error') > 0) content.emit('error', problem);
    const timer = setTimeout(() => {
      if (this.isEndQueued) this.reset(ErrorCode.noError);
      else this.#afterResponse ??= 'stop';
    }, lingerTime).unref();
    this.whenFinished(() => clearTimeout(timer));
  }
}
