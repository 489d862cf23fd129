import { Problem } from '../../http/problem.ts';
import { hasNoContent } from '../../http/status.ts';
import type { FieldLines } from '../../http/fields.ts';
import type { TerminationReason } from '../../net/close-reason.ts';
import type { Connection } from '../../net/connection.ts';
import { afterIterations, WRITE_ITERATIONS } from '../../net/event-loop.ts';
import { LINGER_TIMEOUT } from '../../net/lingering-close.ts';
import type { Exchange } from '../../server/exchange.ts';
import { guarded, isDisconnect, respondToError } from '../../server/failure.ts';
import { isLargeHead, type Fault, type FaultOf } from '../../server/fault.ts';
import { isWhole, type Payload } from '../../server/payload.ts';
import { pump } from '../../server/pump.ts';
import { responsePhaseAfter, type ResponsePhase } from '../../server/response-phase.ts';
import { UpgradeChannel } from '../../server/upgrade.ts';
import type { Http2Connection } from '../../wire/http2/connection.ts';
import type { Http2Stream } from '../../wire/http2/stream.ts';
import { ErrorCode } from '../../wire/http2/names.ts';
import { enlarge } from '../http2-shared/faults/head.ts';
import { readWithPause } from '../http2-shared/faults/no-read.ts';
import { responseWindow } from '../http2-shared/response-window.ts';
import { Tunnel } from './content.ts';
import type { Control } from './control.ts';
import { performFault, type FaultyExchange, type FaultySession } from './faults/stage.ts';
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
  /** Call when a limit has ended a stream. */
  terminated(reason: TerminationReason): void;
  reportError(error: unknown): void;
}

/** A request and its response on a stream of an `Http2Connection`. */
export class EngineExchange
  extends EngineRequest<EngineExchange>
  implements Exchange, FaultyExchange, Written
{
  terminated: TerminationReason | undefined;
  readonly #owner: ExchangeOwner;
  /** Whether the client may be waiting for 100 (Continue). */
  #awaitsContinue: boolean;
  #response: ResponsePhase = 'none';
  #sink: ResponseSink | undefined;
  /** Whether the end of the response is in the output, and below, whether the system has taken it. */
  #isEnded = false;
  #isWritten = false;
  /** What happens to a request that is still arriving when its response has been written. */
  #endsWithResponse: 'close' | 'stop' | undefined;

  constructor(
    native: Http2Stream<EngineExchange>,
    received: ReceivedHead,
    isComplete: boolean,
    owner: ExchangeOwner,
    now: number,
  ) {
    super(native, received, isComplete, owner, now);
    this.#owner = owner;
    this.#awaitsContinue = received.head.expectsContinue && this.hasBody;
  }

  /** Whether the end of the response is in the output. */
  get isSent(): boolean {
    return this.#isEnded;
  }

  /** Bytes of content that wait for flow control or for the socket. */
  get unsent(): number {
    return this.native.unsent;
  }

  sendContinueIfExpected(): void {
    if (this.#awaitsContinue) this.sendInformation(100);
  }

  sendInformation(status: number, fields: readonly string[] = []): boolean {
    if (this.isFinished || this.#response !== 'none') return false;
    const { http2, output } = this.#owner;
    http2.sendHeaders(this.native, interimSection(status, fields), false);
    output.schedule();
    if (status === 100) this.#awaitsContinue = false;
    return true;
  }

  endWithResponse(how: 'close' | 'stop'): void {
    this.#endsWithResponse = how;
  }

  refuse(): void {
    this.#endsWithResponse ??= 'stop';
    this.respond(503, ['Retry-After', '1'], '');
    this.abortWork();
  }

  sendLarge(send: () => void): void {
    this.#owner.output.sendLarge(guarded(this, send));
  }

  afterSent(call: () => void): void {
    this.#owner.output.afterSent(guarded(this, call));
  }

  failed(error: unknown): void {
    if (this.#response === 'failed' || (this.isAborted && isDisconnect(error))) return;
    const hasBegun = this.#response !== 'none';
    // A Problem after the header section is an internal error, because it cannot become a response.
    if (hasBegun || !(error instanceof Problem)) this.#owner.reportError(error);
    if (hasBegun) this.#breakOff();
    else respondToError(this, error);
    this.#response = responsePhaseAfter(this.#response, 'fail');
  }

  #breakOff(): void {
    if (!this.isFinished) this.terminate('internal-error', ErrorCode.internalError);
  }

  /** Resets the stream because of a limit or an internal error. */
  terminate(reason: TerminationReason, code: number): void {
    this.terminated ??= reason;
    this.#owner.terminated(reason);
    this.reset(code);
  }

  /** Resets the stream, which ends request and response. */
  reset(code: number): void {
    if (this.isFinished) return;
    const { http2, output } = this.#owner;
    http2.reset(this.native, code);
    output.schedule();
    this.closed(code);
  }

  /** Call when the stream was reset, or the connection has closed. @param code of RST_STREAM; 0 without */
  closed(code: number): void {
    if (this.isFinished) return;
    this.errorCode = code;
    this.#finish(this.#isWritten);
    this.content?.destroy();
  }

  #finish(isComplete: boolean): void {
    this.#owner.finished(this, isComplete);
    if (this.hasSignal) this.abortWork();
  }

  /** Call when the system has taken the whole response. */
  onWritten(isSent: boolean): void {
    if (this.isFinished) return;
    if (!isSent) {
      this.closed(0);
      return;
    }
    this.#isWritten = true;
    const ends = this.#endsWithResponse;
    if (this.isReceived) this.#finish(true);
    // Deferred, because the end of the request may be on its way.
    if (ends) afterIterations(WRITE_ITERATIONS, () => this.#endRequest(ends));
  }

  /** Ends a request whose response has been written: the client need not send the rest (RFC 9113 8.1). */
  #endRequest(how: 'close' | 'stop'): void {
    if (!this.isFinished) this.reset(ErrorCode.noError);
    if (how === 'close') this.#owner.close('graceful', 'connection-close');
  }

  /** Whether a response can begin. A second response is an internal error, and cuts off the first. */
  #mayRespond(): boolean {
    if (this.#response === 'failed' || (this.isFinished && !this.#isWritten)) return false;
    if (this.#response !== 'none') {
      this.#owner.reportError(new Error('a request has a second response'));
      this.#breakOff();
    }
    return this.#response === 'none' && this.native.isSendable;
  }

  respond(status: number, fields: string[], payload: Payload): void {
    if (!this.#mayRespond()) return;
    const hasContent = this.method !== 'HEAD' && payload !== '' && !hasNoContent(status);
    this.begin(status, fields, !hasContent);
    if (!hasContent) return;
    if (isWhole(payload)) {
      this.bytes = payload.length;
      if (this.#owner.http2.send(this.native, payload, true)) this.responseEnded();
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
    const { http2, output } = this.#owner;
    this.status = status;
    this.markBegun();
    this.discard();
    http2.sendHeaders(this.native, section, isEnd);
    if (isEnd) this.responseEnded();
    output.schedule();
  }

  /** Call when a response begins, even if its first bytes are no HEADERS. */
  markBegun(): void {
    if (this.#response === 'none') this.#response = responsePhaseAfter(this.#response, 'begin');
  }

  /** Where the content of the response is written. */
  sink(): ResponseSink {
    const { http2, output } = this.#owner;
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
    this.#isEnded = true;
    this.#owner.output.whenWritten(this);
  }

  respondWithFault(status: number, fields: string[], payload: Payload, fault: Fault): void {
    if (isLargeHead(fault)) {
      enlarge(fields, status, fault);
      this.respond(status, fields, payload);
      return;
    }
    if (fault.kind === 'no-read') this.#respondLate(status, fields, payload, fault);
    else {
      const endsWithHead = this.method === 'HEAD' || hasNoContent(status);
      const content = endsWithHead ? '' : payload;
      performFault(this, fault, { status, fields, content, endsWithHead }, this.#owner);
    }
  }

  #respondLate(
    status: number,
    fields: string[],
    payload: Payload,
    fault: FaultOf<'no-read'>,
  ): void {
    if (!this.#mayRespond()) return;
    this.status = status;
    const { http2, output } = this.#owner;
    const credit = {
      hold: () => http2.holdCredit(),
      release: () => {
        http2.releaseCredit();
        output.schedule();
      },
    };
    readWithPause(this, credit, fault)
      .then(() => this.respond(status, fields, payload))
      .catch((error: unknown) => this.failed(error));
  }

  /** Call before a fault begins the response. @returns false if none can begin */
  mayBeginFault(status: number): boolean {
    if (!this.#mayRespond()) return false;
    this.status = status;
    this.discard();
    return true;
  }

  /** Ends the response without a frame: a fault has sent the bytes of it. */
  abandon(): void {
    if (this.isFinished) return;
    this.#owner.http2.stopSending(this.native);
    this.#endsWithResponse ??= this.isReceived ? undefined : 'stop';
    this.responseEnded();
    this.#owner.output.schedule();
  }

  respondWithUpgrade(
    status: number,
    fields: string[],
    begin: (channel: UpgradeChannel) => void,
  ): void {
    if (!this.#mayRespond()) return;
    const tunnel = this.content;
    if (!(tunnel instanceof Tunnel)) throw new Error('only CONNECT has a tunnel');
    // The request timeout does not apply, because the content lasts as long as the connection.
    this.isProgressing = () => true;
    const { http2, output } = this.#owner;
    const section = responseSection(status, fields);
    this.status = status;
    this.markBegun();
    http2.sendHeaders(this.native, section, false);
    output.schedule();
    tunnel.sendTo(this.sink());
    const end = (): void => {
      tunnel.end();
      // The client may never end its direction.
      const close = (): void => this.reset(ErrorCode.noError);
      const timer = setTimeout(close, LINGER_TIMEOUT).unref();
      this.whenFinished(() => clearTimeout(timer));
    };
    const ends = {
      end,
      abort: () => this.reset(ErrorCode.cancel),
      reset: () => this.reset(ErrorCode.internalError),
    };
    guarded(this, () => begin(new UpgradeChannel(tunnel, this, ends)))();
  }

  protected override keepsTrailers(trailers: FieldLines): boolean {
    return this.onTrailers?.(this, trailers) !== false;
  }

  protected override requestEnded(): void {
    if (this.#isWritten && !this.isFinished) this.#finish(true);
  }

  /** Fails the reading of content that is late. The stream ends after the response, at the latest after a while. */
  endLateContent(problem: Problem, lingerTime: number): void {
    if (this.#isEnded) this.#owner.terminated('request-timeout');
    this.failContent(problem);
    const timer = setTimeout(() => {
      if (this.#isEnded) this.reset(ErrorCode.noError);
      else this.#endsWithResponse ??= 'stop';
    }, lingerTime).unref();
    this.whenFinished(() => clearTimeout(timer));
  }
}
