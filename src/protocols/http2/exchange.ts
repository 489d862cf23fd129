import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { Readable } from 'node:stream';
import type { Exchange } from '../../server/exchange.ts';
import type { Windows } from '../../server/request.ts';
import type { FieldLines } from '../../http/fields.ts';
import { trailersOf, type Payload } from '../../server/payload.ts';
import { guarded } from '../../server/failure.ts';
import { pump } from '../../server/pump.ts';
import { DEFAULT_MAX_FRAME_SIZE } from '../../wire/http2/frame.ts';
import { parseTarget, type Target } from '../../http/target.ts';
import { onTrailers, resetStream } from '../../net/node-internals-http2.ts';
import { StreamExchange, type SoundResponse } from '../http2-shared/exchange.ts';
import type { HeldCredit } from '../http2-shared/faults/no-read.ts';
import type { Sending } from '../http2-shared/faults/plan.ts';
import { responseWindow } from '../http2-shared/response-window.ts';
import { holdWindow, releaseWindow } from './faults/held-window.ts';
import { Http2FaultStage, type FaultyExchange, type FaultySession } from './faults/stage.ts';
import { beginResponse, fieldSection } from './field-section.ts';

const NO_WINDOWS: Windows = {
  connection: { toClient: 0, toServer: 0 },
  stream: { initialToClient: 0, toServer: 0 },
};
const NO_TRAILERS: FieldLines = [];

/** A request and its response on the core stream API of `node:http2`. */
export class Http2Exchange
  extends StreamExchange<FaultySession>
  implements Exchange, FaultyExchange
{
  readonly method: string;
  readonly rawTarget: string;
  target: Target | undefined;
  readonly fields: FieldLines;
  readonly receivedAt = performance.now();
  readonly hasBody: boolean;
  readonly native: ServerHttp2Stream;
  trailers: FieldLines = NO_TRAILERS;

  constructor(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    flags: number,
    fields: FieldLines,
    session: FaultySession,
  ) {
    super(session);
    this.native = stream;
    this.method = headers[':method'] ?? '';
    // CONNECT has no :path (RFC 9113 8.5): its target is the authority.
    this.rawTarget = headers[':path'] ?? headers[':authority'] ?? '';
    // Extended CONNECT has a path like other methods (RFC 8441 4).
    const form = headers[':protocol'] === undefined ? this.method : 'GET';
    this.target = parseTarget(form, this.rawTarget);
    this.fields = fields;
    this.hasBody = (flags & constants.NGHTTP2_FLAG_END_STREAM) === 0;
    this.awaitsContinue =
      this.hasBody &&
      headers.expect !== undefined &&
      headers.expect.toLowerCase().includes('100-continue');
    if (!this.hasBody) return;
    onTrailers(stream, (lines) => {
      if (this.onTrailers?.(this, lines) !== false) this.trailers = lines;
    });
  }

  protected override get id(): number {
    return this.native.id ?? 0;
  }

  protected override get errorCode(): number {
    return this.native.rstCode;
  }

  protected override windows(): Windows | undefined {
    return flowControlWindows(this.native);
  }

  /**
   * Whether the whole response was handed over for sending; valid once the stream has closed. `writableFinished` is
   * wrong in two cases. Node also sets it for a stream that was reset early, which `aborted` tells. And it may not set it
   * if the request content was read to its end: then a stream that closes with NO_ERROR counts as sent, although the
   * client may have reset it with that code.
   */
  get isSent(): boolean {
    const { writableFinished, writableEnded, rstCode, aborted } = this.native;
    const isClosedInOrder = this.hasBody && writableEnded && rstCode === constants.NGHTTP2_NO_ERROR;
    return (writableFinished || isClosedInOrder) && !aborted;
  }

  get isReceived(): boolean {
    const halfClosed = constants.NGHTTP2_STREAM_STATE_HALF_CLOSED_REMOTE;
    return !this.hasBody || this.native.state.state === halfClosed;
  }

  get body(): Readable {
    return this.native;
  }

  override get isAborted(): boolean {
    return this.isGone || super.isAborted;
  }

  protected override get isGone(): boolean {
    const { destroyed, closed } = this.native;
    return destroyed || closed;
  }

  protected override sendInterim(status: number, fields: readonly string[]): boolean {
    if (this.isGone) return false;
    this.native.additionalHeaders(fieldSection(status, fields));
    return true;
  }

  endWithResponse(how: 'close' | 'stop'): void {
    const stream = this.native;
    // Deferred, because nghttp2 would send RST_STREAM before the end of the response.
    const end = (): void => {
      stream.close(constants.NGHTTP2_NO_ERROR);
      if (how === 'close') this.session.close('graceful', 'connection-close');
    };
    stream.once('finish', () => {
      // Trailers are sent after the last DATA, for which the window may have to open.
      if (this.response === 'trailing') stream.once('wantTrailers', () => setImmediate(end));
      else setImmediate(end);
    });
  }

  discardUnread(): void {
    const stream = this.native;
    // The content of CONNECT waits for the response, because it may be WebSocket frames.
    if (stream.readableFlowing === null && this.method !== 'CONNECT') stream.resume();
  }

  refuse(): void {
    // Has no content, which flow control could block. Not REFUSED_STREAM, which Node treats as an error.
    this.respond(503, ['Retry-After', '1'], '');
    // Tells the client to stop sending (RFC 9113 8.1). Deferred, because nghttp2 would send it before the response.
    if (this.hasBody) setImmediate(() => this.native.close(constants.NGHTTP2_NO_ERROR));
    this.abortWork();
  }

  sendLarge(send: () => void): void {
    this.session.backlog.sendLarge(guarded(this, send));
  }

  afterSent(call: () => void): void {
    this.session.backlog.afterSent(guarded(this, call));
  }

  protected override breakOff(): void {
    if (!this.native.closed) super.breakOff();
  }

  reset(code: number): void {
    const stream = this.native;
    // Deferred, because this may be called within an nghttp2 callback.
    setImmediate(() => {
      if (!stream.closed) resetStream(stream, code);
    });
  }

  respond(status: number, fields: string[], payload: Payload): void {
    if (!this.mayRespond()) return;
    const stream = this.native;
    this.status = status;
    // Discards unread content. Node would keep a paused stream half-closed, and reset one that nothing has read.
    if (this.hasBody && !stream.readableEnded) stream.resume();
    const endStream = this.method === 'HEAD' || payload === '';
    const trailers = trailersOf(payload);
    if (trailers && !endStream) this.#beginWithTrailers(status, fields, trailers);
    else {
      beginResponse(stream, status, fields, endStream);
      this.advance('begin');
    }
    if (!endStream) pump(stream, payload, responseWindow(this.connection), this);
  }

  #beginWithTrailers(status: number, fields: readonly string[], trailers: FieldLines): void {
    const stream = this.native;
    const send = guarded(this, () => {
      this.advance('trail');
      stream.sendTrailers(fieldSection(undefined, trailers));
    });
    stream.once('wantTrailers', send);
    stream.respond(fieldSection(status, fields), { waitForTrailers: true });
    this.advance('begin-trailing');
  }

  protected override get credit(): HeldCredit {
    const { native } = this.session;
    return { hold: () => holdWindow(native), release: () => releaseWindow(native) };
  }

  protected override get sending(): Sending {
    const { maxFrameSize = DEFAULT_MAX_FRAME_SIZE } = this.session.native.remoteSettings;
    const windows = this.windows() ?? NO_WINDOWS;
    const window = Math.min(windows.connection.toClient, windows.stream.initialToClient);
    return { maxFrameSize, window, sendsAnyFrame: false };
  }

  protected override discard(): void {
    this.native.resume();
  }

  protected override stageOf(response: SoundResponse): Http2FaultStage {
    return new Http2FaultStage(this, response, this.session);
  }

  begin(status: number, fields: readonly string[], content: Payload): void {
    const trailers = trailersOf(content);
    if (trailers) this.#beginWithTrailers(status, fields, trailers);
    else {
      this.native.respond(fieldSection(status, fields));
      this.markBegun();
    }
  }

  markBegun(): void {
    this.advance('begin');
  }

  protected override openTunnel(status: number, fields: readonly string[]): ServerHttp2Stream {
    this.begin(status, fields, '');
    return this.native;
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
