import type { Problem } from '../../http/problem.ts';
import { hasNoContent } from '../../http/status.ts';
import type { FieldLines } from '../../http/fields.ts';
import type { Connection } from '../../net/connection.ts';
import { afterIterations, WRITE_ITERATIONS } from '../../net/event-loop.ts';
import type { Exchange } from '../../server/exchange.ts';
import { guarded } from '../../server/failure.ts';
import { isWhole, type Payload } from '../../server/payload.ts';
import { pump } from '../../server/pump.ts';
import type { Http2Connection } from '../../wire/http2/connection.ts';
import type { Http2Stream } from '../../wire/http2/stream.ts';
import { ErrorCode } from '../../wire/http2/names.ts';
import type { SoundResponse } from '../http2-shared/exchange.ts';
import type { HeldCredit } from '../http2-shared/faults/no-read.ts';
import type { Sending } from '../http2-shared/faults/plan.ts';
import { responseWindow } from '../http2-shared/response-window.ts';
import { Tunnel } from './content.ts';
import type { Control } from './control.ts';
import { EngineFaultStage, type FaultyExchange, type FaultySession } from './faults/stage.ts';
import type { Output, Written } from './output.ts';
import { EngineRequest, type RequestOwner } from './request.ts';
import type { ReceivedHead } from './request-head.ts';
import { ResponseSink } from './response-sink.ts';
import { interimSection, responseSection } from './response-section.ts';

/** The session, as seen by its exchanges. */
export interface ExchangeOwner extends FaultySession, RequestOwner<EngineExchange> {
  readonly http2: Http2Connection<EngineExchange>;
  readonly output: Output;
  readonly connection: Connection;
  readonly control: Control;
  /** Call when request and response have ended. */
  finished(exchange: EngineExchange, isComplete: boolean): void;
}

/** A request and its response on a stream of an `Http2Connection`. */
export class EngineExchange
  extends EngineRequest<EngineExchange, ExchangeOwner>
  implements Exchange, FaultyExchange, Written
{
  #sink: ResponseSink | undefined;
  /** Where the end of the response is: in the output, or taken by the system. */
  #end: 'pending' | 'queued' | 'written' = 'pending';
  /** What happens to a request that is still arriving when its response has been written. */
  #afterResponse: 'close' | 'stop' | undefined;

  constructor(
    native: Http2Stream<EngineExchange>,
    received: ReceivedHead,
    isComplete: boolean,
    session: ExchangeOwner,
    now: number,
  ) {
    super(native, received, isComplete, session, now);
    this.awaitsContinue = received.head.expectsContinue && this.hasBody;
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
    this.content?.destroy();
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
    const { content } = this;
    if (!(content instanceof Tunnel)) throw new Error('only CONNECT has a tunnel');
    this.#sendHeaders(responseSection(status, fields), false);
    this.markBegun();
    content.sendTo(this.sink());
    return content;
  }

  override receivedAll(trailers: FieldLines | undefined): void {
    super.receivedAll(
      trailers && this.onTrailers?.(this, trailers) === false ? undefined : trailers,
    );
    if (this.#end === 'written' && !this.isFinished) this.session.finished(this, true);
  }

  /** Fails the reading of content that is late. The stream ends after the response, at the latest after a while. */
  endLateContent(problem: Problem, lingerTime: number): void {
    if (this.isEndQueued) this.session.observer.terminated?.('request-timeout', this.connection);
    this.failContent(problem);
    const timer = setTimeout(() => {
      if (this.isEndQueued) this.reset(ErrorCode.noError);
      else this.#afterResponse ??= 'stop';
    }, lingerTime).unref();
    this.whenFinished(() => clearTimeout(timer));
  }
}
