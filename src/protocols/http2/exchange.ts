import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { isLargeHead, type Fault, type FaultOf } from '../../server/fault.ts';
import { perform } from '../../server/fault-plan.ts';
import { ExchangeState, REQUEST_ABORTED, type Exchange } from '../../server/exchange.ts';
import type { StreamFacts, Windows } from '../../server/request.ts';
import { hasNoContent } from '../../http/status.ts';
import type { FieldLines } from '../../http/fields.ts';
import { trailersOf, type Payload } from '../../server/payload.ts';
import { guarded, isDisconnect, respondToError } from '../../server/failure.ts';
import { pump } from '../../server/pump.ts';
import {
  responsePhaseAfter,
  type ResponsePhase,
  type ResponseStep,
} from '../../server/response-phase.ts';
import { UpgradeChannel } from '../../server/upgrade.ts';
import { Problem } from '../../http/problem.ts';
import { DEFAULT_MAX_FRAME_SIZE } from '../../wire/http2/frame.ts';
import { parseTarget, type Target } from '../../http/target.ts';
import type { TerminationReason } from '../../net/close-reason.ts';
import type { Connection } from '../../net/connection.ts';
import { LINGER_TIMEOUT } from '../../net/lingering-close.ts';
import { onTrailers, resetStream } from '../../net/node-internals-http2.ts';
import { enlarge } from '../http2-shared/faults/head.ts';
import { readWithPause } from '../http2-shared/faults/no-read.ts';
import { responseWindow } from '../http2-shared/response-window.ts';
import { holdWindow, releaseWindow } from './faults/held-window.ts';
import { planOf, type PlannedFault } from '../http2-shared/faults/plan.ts';
import { Http2FaultStage, type FaultySession } from './faults/stage.ts';
import { beginResponse, fieldSection } from './field-section.ts';

const NO_WINDOWS: Windows = {
  connection: { toClient: 0, toServer: 0 },
  stream: { initialToClient: 0, toServer: 0 },
};
const NO_TRAILERS: FieldLines = [];

/** A request and its response on the core stream API of `node:http2`. */
export class Http2Exchange extends ExchangeState implements Exchange {
  readonly method: string;
  readonly version = 'HTTP/2.0';
  readonly rawTarget: string;
  target: Target | undefined;
  readonly fields: FieldLines;
  readonly connection: Connection;
  readonly requestNumber: number;
  readonly #openStreams: number;
  readonly receivedAt = performance.now();
  terminated: TerminationReason | undefined;
  readonly hasBody: boolean;
  readonly #stream: ServerHttp2Stream;
  /** Whether the client may be waiting for 100 (Continue). */
  #awaitsContinue: boolean;
  readonly #session: FaultySession;
  #response: ResponsePhase = 'none';
  trailers: FieldLines = NO_TRAILERS;
  #abort: AbortController | undefined;

  constructor(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    flags: number,
    fields: FieldLines,
    session: FaultySession,
  ) {
    super();
    const { connection } = session;
    this.#stream = stream;
    this.#session = session;
    this.connection = connection;
    this.requestNumber = connection.requests.nextNumber();
    this.#openStreams = connection.requests.open;
    this.method = headers[':method'] ?? '';
    // CONNECT has no :path (RFC 9113 8.5): its target is the authority.
    this.rawTarget = headers[':path'] ?? headers[':authority'] ?? '';
    // Extended CONNECT has a path like other methods (RFC 8441 4).
    const form = headers[':protocol'] === undefined ? this.method : 'GET';
    this.target = parseTarget(form, this.rawTarget);
    this.fields = fields;
    this.hasBody = (flags & constants.NGHTTP2_FLAG_END_STREAM) === 0;
    this.#awaitsContinue =
      this.hasBody &&
      headers.expect !== undefined &&
      headers.expect.toLowerCase().includes('100-continue');
    if (!this.hasBody) return;
    onTrailers(stream, (lines) => {
      if (this.onTrailers?.(this, lines) !== false) this.trailers = lines;
    });
  }

  get stream(): StreamFacts {
    const stream = this.#stream;
    return {
      id: stream.id ?? 0,
      open: this.#openStreams,
      errorCode: stream.rstCode,
      session: this.#session.control,
      opening: this.#session.opening,
      windows: () => flowControlWindows(stream),
    };
  }

  /**
   * Whether the whole response was handed over for sending; valid once the stream has closed. `writableFinished` is
   * wrong in two cases. Node also sets it for a stream that was reset early, which `aborted` tells. And it may not set it
   * if the request content was read to its end: then a stream that closes with NO_ERROR counts as sent, although the
   * client may have reset it with that code.
   */
  get isSent(): boolean {
    const { writableFinished, writableEnded, rstCode, aborted } = this.#stream;
    const isClosedInOrder = this.hasBody && writableEnded && rstCode === constants.NGHTTP2_NO_ERROR;
    return (writableFinished || isClosedInOrder) && !aborted;
  }

  get isReceived(): boolean {
    const halfClosed = constants.NGHTTP2_STREAM_STATE_HALF_CLOSED_REMOTE;
    return !this.hasBody || this.#stream.state.state === halfClosed;
  }

  get body(): Readable {
    return this.#stream;
  }

  get signal(): AbortSignal {
    this.#abort ??= abortOnClose(this.#stream);
    return this.#abort.signal;
  }

  get isAborted(): boolean {
    const { destroyed, closed } = this.#stream;
    return this.#abort?.signal.aborted ?? (destroyed || closed);
  }

  sendContinueIfExpected(): void {
    if (this.#awaitsContinue) this.sendInformation(100);
  }

  sendInformation(status: number, fields: readonly string[] = []): boolean {
    const stream = this.#stream;
    if (stream.closed || stream.destroyed || this.#response !== 'none') return false;
    stream.additionalHeaders(fieldSection(status, fields));
    if (status === 100) this.#awaitsContinue = false;
    return true;
  }

  endWithResponse(how: 'close' | 'stop'): void {
    const stream = this.#stream;
    // Deferred, because nghttp2 would send RST_STREAM before the end of the response.
    const end = (): void => {
      stream.close(constants.NGHTTP2_NO_ERROR);
      if (how === 'close') this.#session.close('graceful', 'connection-close');
    };
    stream.once('finish', () => {
      // Trailers are sent after the last DATA, for which the window may have to open.
      if (this.#response === 'trailing') stream.once('wantTrailers', () => setImmediate(end));
      else setImmediate(end);
    });
  }

  discardUnread(): void {
    const stream = this.#stream;
    // The content of CONNECT waits for the response, because it may be WebSocket frames.
    if (stream.readableFlowing === null && this.method !== 'CONNECT') stream.resume();
  }

  refuse(): void {
    // Has no content, which flow control could block. Not REFUSED_STREAM, which Node treats as an error.
    this.respond(503, ['Retry-After', '1'], '');
    // Tells the client to stop sending (RFC 9113 8.1). Deferred, because nghttp2 would send it before the response.
    if (this.hasBody) setImmediate(() => this.#stream.close(constants.NGHTTP2_NO_ERROR));
    this.#abort ??= new AbortController();
    this.#abort.abort(REQUEST_ABORTED);
  }

  sendLarge(send: () => void): void {
    this.#session.backlog.sendLarge(guarded(this, send));
  }

  afterSent(call: () => void): void {
    this.#session.backlog.afterSent(guarded(this, call));
  }

  failed(error: unknown): void {
    if (this.#response === 'failed' || (this.signal.aborted && isDisconnect(error))) return;
    const hasBegun = this.#response !== 'none';
    // A Problem after the header section is an internal error, because it cannot become a response.
    if (hasBegun || !(error instanceof Problem)) this.#session.observer.internalError?.(error);
    if (hasBegun) this.#breakOff();
    else respondToError(this, error);
    this.#advance('fail');
  }

  #breakOff(): void {
    const stream = this.#stream;
    if (stream.closed) return;
    this.terminated ??= 'internal-error';
    this.#session.observer.terminated?.('internal-error', this.connection);
    this.#reset(constants.NGHTTP2_INTERNAL_ERROR);
  }

  #reset(code: number): void {
    const stream = this.#stream;
    // Deferred, because this may be called within an nghttp2 callback.
    setImmediate(() => {
      if (!stream.closed) resetStream(stream, code);
    });
  }

  /** Whether a response can begin. A second response is an internal error, and cuts off the first. */
  #mayRespond(): boolean {
    const { destroyed, closed } = this.#stream;
    if (destroyed || closed || this.#response === 'failed') return false;
    if (this.#response !== 'none') {
      this.#session.observer.internalError?.(new Error('a request has a second response'));
      this.#breakOff();
    }
    return this.#response === 'none';
  }

  #advance(step: ResponseStep): void {
    this.#response = responsePhaseAfter(this.#response, step);
  }

  respond(status: number, fields: string[], payload: Payload): void {
    if (!this.#mayRespond()) return;
    const stream = this.#stream;
    this.status = status;
    // Discards unread content. Node would keep a paused stream half-closed, and reset one that nothing has read.
    if (this.hasBody && !stream.readableEnded) stream.resume();
    const endStream = this.method === 'HEAD' || payload === '';
    const trailers = trailersOf(payload);
    if (trailers && !endStream) this.#beginWithTrailers(status, fields, trailers);
    else {
      beginResponse(stream, status, fields, endStream);
      this.#advance('begin');
    }
    if (!endStream) pump(stream, payload, responseWindow(this.connection), this);
  }

  #beginWithTrailers(status: number, fields: readonly string[], trailers: FieldLines): void {
    const stream = this.#stream;
    const send = guarded(this, () => {
      this.#advance('trail');
      stream.sendTrailers(fieldSection(undefined, trailers));
    });
    stream.once('wantTrailers', send);
    stream.respond(fieldSection(status, fields), { waitForTrailers: true });
    this.#advance('begin-trailing');
  }

  respondWithFault(status: number, fields: string[], payload: Payload, fault: Fault): void {
    if (isLargeHead(fault)) {
      // Synchronous, because dispatch calls this within the turn budget if the header section is large.
      enlarge(fields, status, fault);
      this.respond(status, fields, payload);
      return;
    }
    if (fault.kind === 'no-read') this.#respondLater(status, fields, payload, fault);
    else this.#perform(status, fields, payload, fault);
  }

  #respondLater(
    status: number,
    fields: string[],
    payload: Payload,
    fault: FaultOf<'no-read'>,
  ): void {
    if (!this.#mayRespond()) return;
    this.status = status;
    const { native } = this.#session;
    const credit = { hold: () => holdWindow(native), release: () => releaseWindow(native) };
    readWithPause(this, credit, fault)
      .then(() => this.respond(status, fields, payload))
      .catch((error: unknown) => this.failed(error));
  }

  #perform(status: number, fields: string[], payload: Payload, fault: PlannedFault): void {
    const stream = this.#stream;
    const { maxFrameSize = DEFAULT_MAX_FRAME_SIZE } = this.#session.native.remoteSettings;
    const isSecure = this.connection.tls !== undefined;
    const content = this.method === 'HEAD' || hasNoContent(status) ? '' : payload;
    const windows = flowControlWindows(stream) ?? NO_WINDOWS;
    const acceptable = Math.min(windows.connection.toClient, windows.stream.initialToClient);
    const sound = {
      stream: stream.id ?? 0,
      status,
      fields,
      isSecure,
      maxFrameSize,
      content,
      window: acceptable,
      sendsAnyFrame: false,
    };
    const steps = planOf(fault, sound);
    if (!this.#mayRespond()) return;
    this.status = status;
    // As in `respond`.
    stream.resume();
    const session = this.#session;
    const queueWindow = responseWindow(this.connection);
    const trailers = trailersOf(content);
    const begun = (): void => this.#advance('begin');
    const begin = (own: readonly string[]): void => {
      if (trailers) {
        this.#beginWithTrailers(status, own, trailers);
        return;
      }
      stream.respond(fieldSection(status, own));
      begun();
    };
    const response = {
      stream,
      session,
      begin,
      begun,
      payload: content,
      delivery: this,
      queueWindow,
    };
    // Deferred, because this may be called within an nghttp2 callback.
    turn()
      .then(async () => {
        if (!stream.destroyed) await perform(steps, content, new Http2FaultStage(response));
      })
      .catch((error: unknown) => this.failed(error));
  }

  respondWithUpgrade(
    status: number,
    fields: string[],
    begin: (channel: UpgradeChannel) => void,
  ): void {
    if (!this.#mayRespond()) return;
    const stream = this.#stream;
    this.status = status;
    // The request timeout does not apply, because the content lasts as long as the connection.
    this.isProgressing = () => true;
    stream.respond(fieldSection(status, fields));
    this.#advance('begin');
    const end = (): void => {
      stream.end();
      // Closes the stream after a while, because the client may never end its direction.
      const close = (): void => stream.close(constants.NGHTTP2_NO_ERROR);
      const timer = setTimeout(close, LINGER_TIMEOUT).unref();
      stream.once('close', () => clearTimeout(timer));
    };
    const ends = {
      end,
      abort: () => this.#reset(constants.NGHTTP2_CANCEL),
      reset: () => this.#reset(constants.NGHTTP2_INTERNAL_ERROR),
    };
    guarded(this, () => begin(new UpgradeChannel(stream, this, ends)))();
  }
}

function flowControlWindows({ session, state }: ServerHttp2Stream): Windows | undefined {
  if (!session || session.destroyed) return undefined;
  // The defaults are for the type only: both values are set while the session is open.
  const { remoteWindowSize = 0, localWindowSize = 0 } = session.state;
  const { initialWindowSize = 0 } = session.remoteSettings;
  return {
    connection: { toClient: remoteWindowSize, toServer: localWindowSize },
    stream: { initialToClient: initialWindowSize, toServer: state.localWindowSize ?? 0 },
  };
}

function abortOnClose(stream: ServerHttp2Stream): AbortController {
  const controller = new AbortController();
  if (stream.destroyed || stream.closed) controller.abort(REQUEST_ABORTED);
  else stream.once('close', () => controller.abort(REQUEST_ABORTED));
  return controller;
}
