import type { ProtocolOptions } from '../../server/limits.ts';
import { observeEnd } from '../../server/observer.ts';
import { guarded } from '../../server/failure.ts';
import { PrefaceCapture } from '../../net/client-preface.ts';
import type { CloseMethod, CloseReason } from '../../net/close-reason.ts';
import type { TcpConnection } from '../../net/tcp-connection.ts';
import type { ConnectionEvents } from '../../wire/http2/connection-events.ts';
import { Http2Connection } from '../../wire/http2/connection.ts';
import { Flag, FrameType, MAX_STREAM, type FrameHeader } from '../../wire/http2/frame.ts';
import type { Setting } from '../../wire/http2/frame-payload.ts';
import type { HeaderBlock } from '../../wire/http2/header-block.ts';
import type { SectionKind } from '../../wire/http2/message-section.ts';
import { errorCode, ErrorCode } from '../../wire/http2/names.ts';
import type { Http2Stream } from '../../wire/http2/stream.ts';
import { streamError, type Violation } from '../../wire/http2/violation.ts';
import { Session, SessionFailed, type SessionClose } from '../http2-shared/session.ts';
import type { UnreadTotal } from '../unread.ts';
import { Control } from './control.ts';
import { connectionOptions, validationOptions } from './connection-options.ts';
import { EngineExchange, type ExchangeOwner } from './exchange.ts';
import { Output } from './output.ts';
import { Reading, type ReadingOwner } from './reading.ts';
import { rejectedStream, StreamRejected } from './rejected.ts';
import { linesOf, RequestHeads } from './request-head.ts';
import { TimeLimits, type LimitedSession } from './time-limits.ts';

type Stream = Http2Stream<EngineExchange>;

const MB = 1_000_000;
/** Reasons to close a connection that its client may be about to use. */
const ANNOUNCED: ReadonlySet<CloseReason> = new Set(['connection-age', 'draining', 'idle-timeout']);
/** Milliseconds for which a closing connection waits for the acknowledgement of its PING. */
const ROUND_TRIP_LIMIT = 1000;

/** An HTTP/2 connection that is served by wirebin's own frames: its streams, its limits and its close. */
export class EngineSession
  extends Session
  implements ConnectionEvents<EngineExchange>, ExchangeOwner, ReadingOwner, LimitedSession
{
  readonly http2: Http2Connection<EngineExchange>;
  readonly output: Output;
  readonly control: Control;
  readonly #heads: RequestHeads;
  readonly #limits: TimeLimits;
  readonly #reading: Reading;
  readonly #whenIdle = new Set<() => void>();

  /** @param total counts the unread bytes on all connections of the adapter */
  constructor(connection: TcpConnection, options: ProtocolOptions, total: UnreadTotal) {
    const preface = new PrefaceCapture();
    super(connection, preface, options);
    const { stream, tls, inspector } = connection;
    const keeping = inspector ? 'always' : tls ? 'never' : 'pending';
    this.http2 = new Http2Connection(this, connectionOptions(options, keeping === 'pending'));
    this.output = new Output(stream, this.http2, keeping);
    this.control = new Control(this.http2, () => this.output.schedule(), options);
    this.#heads = new RequestHeads(validationOptions(options, this.http2.local));
    this.#limits = new TimeLimits(this, options);
    this.#reading = new Reading(this, total);
    const onData = (piece: Buffer): void => {
      if (this.isOver) return;
      preface.add(piece);
      this.#reading.add(piece);
    };
    stream.on('data', guarded(this, onData));
    // An HTTP/2 client that sends FIN has disconnected.
    stream.once('end', () => this.close('abort'));
  }

  protected get sendWindow(): number {
    return this.http2.sendWindow;
  }

  /** Resets the connection because of an internal error in reading it. */
  failed(error: unknown): void {
    this.observer.internalError?.(error);
    this.cut('reset', 'internal-error');
  }

  onHeaders(stream: Stream, block: HeaderBlock, kind: SectionKind, isEnd: boolean): void {
    this.#limits.endBlock();
    if (kind === 'trailers') {
      this.#onTrailers(stream, block);
      return;
    }
    const received = this.#heads.read(block, !isEnd);
    if ('scope' in received) {
      this.#refuse(stream, received, block);
      return;
    }
    const { waitingLength } = this.http2;
    if (waitingLength > this.options.maxSessionMemory * MB) {
      const reason = `${waitingLength} bytes of responses wait on the connection`;
      this.#refuse(stream, streamError('RFC 9113 10.5', reason, 'ENHANCE_YOUR_CALM'), block);
      return;
    }
    const now = performance.now();
    const exchange = new EngineExchange(stream, received, isEnd, this, now);
    stream.owner = exchange;
    this.serve(exchange);
    this.#reading.countRequest(now);
  }

  #onTrailers(stream: Stream, block: HeaderBlock): void {
    const { owner: exchange } = stream;
    const verdict = exchange?.validator?.section(block, true, true);
    if (!exchange || !verdict) return;
    const [refusal] = verdict.refusalReasons;
    if (refusal) this.#refuse(stream, refusal, block);
    else exchange.receivedAll(linesOf(block, verdict));
  }

  onContent(stream: Stream, bytes: Buffer, start: number, end: number): void {
    const { owner: exchange } = stream;
    if (!exchange) return;
    const refusal = exchange.validator?.data(end - start, false);
    if (refusal) {
      this.#refuse(stream, refusal);
      return;
    }
    this.#reading.countPiece();
    const piece = bytes.subarray(start, end);
    // A small piece would keep all that has arrived with it in memory.
    exchange.received(2 * piece.length < bytes.length ? Buffer.from(piece) : piece);
  }

  mayEnd(stream: Stream): boolean {
    const refusal = stream.owner?.validator?.data(0, true);
    if (refusal) this.#refuse(stream, refusal);
    return !refusal;
  }

  onEnd({ owner: exchange }: Stream): void {
    if (exchange?.isReceived === false) exchange.receivedAll(undefined);
  }

  /** Resets a stream whose message is malformed (RFC 9113 8.1.1), too large or one too many. */
  #refuse(stream: Stream, violation: Violation, block?: HeaderBlock): void {
    const code = errorCode(violation.code);
    this.http2.reset(stream, code);
    this.onReset(stream, code, violation, block);
  }

  onReset(
    stream: Stream,
    code: number,
    violation: Violation | undefined,
    block?: HeaderBlock,
  ): void {
    const { owner: exchange } = stream;
    if (!exchange && violation) this.#observeRejected(stream.id, violation, block);
    exchange?.endedEarly(code);
    this.#countReset(code, exchange);
  }

  onLateReset(_id: number, code: number): void {
    this.#countReset(code, undefined);
  }

  /** @param block the header section, if it is known */
  #observeRejected(
    id: number,
    { reason, section }: Pick<Violation, 'reason' | 'section'>,
    block: HeaderBlock | undefined,
  ): void {
    const { connection } = this;
    const message = rejectedStream(connection, id, block);
    this.observer.rejected?.(connection, new StreamRejected(id, reason, section), message);
  }

  /** A reset that the client requested as a fault is not counted: it costs no more than a response. */
  #countReset(code: number, exchange: EngineExchange | undefined): void {
    const isInOrder = code === ErrorCode.noError && exchange?.isEndQueued !== false;
    if (isInOrder || exchange?.fault) return;
    this.countReset();
  }

  onRefused(id: number, block: HeaderBlock): void {
    this.connection.requests.refusedAboveLimit(1);
    const { maxConcurrentStreams: most } = this.http2.local;
    const reason = `above SETTINGS_MAX_CONCURRENT_STREAMS of ${most}`;
    this.#observeRejected(id, { reason, section: 'RFC 9113 5.1.2' }, block);
    this.#countReset(ErrorCode.refusedStream, undefined);
  }

  onSent({ owner: exchange }: Stream): void {
    exchange?.onSent();
  }

  /** Counts frames that have to be acknowledged, or have no effect. */
  onFrame({ type, flags, length }: FrameHeader): void {
    const isEmpty = type === FrameType.data && length === 0 && (flags & Flag.endStream) === 0;
    const isRequest = type === FrameType.ping || type === FrameType.settings;
    const isCounted =
      isEmpty || type === FrameType.priority || (isRequest && (flags & Flag.ack) === 0);
    if (isCounted) this.countControlFrame();
  }

  onSettingsAck(settings: readonly Setting[]): void {
    this.control.onSettingsAck(settings);
  }

  onPong(payload: Buffer): void {
    this.control.pingEnded(payload, true);
  }

  onGoaway(_lastStream: number, code: number): void {
    // The client closes the connection.
    this.close('graceful');
    if (code !== ErrorCode.noError)
      this.#end(undefined, new SessionFailed('GOAWAY', 'ERR_HTTP2_SESSION_ERROR'));
  }

  onConnectionError(violation: Violation): void {
    const isFlood = violation.code === 'ENHANCE_YOUR_CALM';
    const reason = isFlood ? 'flood' : 'protocol-error';
    const message = `${violation.reason} (${violation.section})`;
    const error = new SessionFailed(message, 'ERR_HTTP2_ERROR');
    const { connection } = this;
    if (!isFlood) {
      const frame = connection.inspector?.rejectedFrame(violation.reason);
      this.observer.rejected?.(connection, error, frame);
    }
    this.#end(reason, error);
  }

  close(...[how, reason]: SessionClose): void {
    switch (how) {
      case 'graceful':
        if (reason && ANNOUNCED.has(reason)) this.#announce(reason);
        else this.#finish(reason);
        return;
      case 'calm':
        if (this.isOver) return;
        this.http2.goAway(ErrorCode.enhanceYourCalm);
        this.#end(reason, new SessionFailed(reason, 'ERR_HTTP2_ERROR'));
        this.connection.holdReading('closing');
        return;
      case 'abort':
        this.cut('abort', reason);
    }
  }

  /**
   * Announces the close, and closes after a round trip: what the client has sent until then is served (RFC 9113 6.8).
   * Some clients keep too little of a large request to send it again.
   */
  #announce(reason: CloseReason): void {
    if (!this.advance('announce')) return;
    this.connection.setCloseReason(reason);
    this.http2.goAway(ErrorCode.noError, MAX_STREAM);
    void this.control.ping(ROUND_TRIP_LIMIT).then(() => this.#finish());
  }

  #finish(reason?: CloseReason): void {
    if (!this.advance('finish')) return;
    if (reason) this.connection.setCloseReason(reason);
    this.http2.goAway(ErrorCode.noError);
    this.output.schedule();
    this.#closeIfDone();
  }

  /** Closes the connection without GOAWAY. */
  cut(how: CloseMethod, reason?: CloseReason): void {
    if (!this.advance('end') && this.phase === 'closed') return;
    this.http2.stop();
    if (how === 'graceful' || how === 'truncate') this.output.flush();
    this.connection.close(how, reason);
    this.#abandonAll();
  }

  /** Reads nothing more, ends all requests, and closes the connection when the frames made so far have been written. */
  #end(reason?: CloseReason, error?: SessionFailed): void {
    if (!this.advance('end')) return;
    if (reason) this.connection.setCloseReason(reason);
    if (error) this.connection.setSessionError(error);
    this.http2.stop();
    this.#abandonAll();
    this.output.whenEmptied(() =>
      this.connection.close('graceful', reason, this.options.lingerTime),
    );
  }

  /** Ends all requests. Content that waits is not sent: after GOAWAY with an error, nothing else may follow. */
  #abandonAll(): void {
    this.control.end();
    this.abandon(ErrorCode.noError, 0);
  }

  abandon(code: number, above: number): void {
    for (const stream of this.http2.openStreams) {
      if (stream.id <= above) continue;
      this.http2.stopSending(stream);
      stream.owner?.endedEarly(code);
    }
  }

  #closeIfDone(): void {
    if (this.phase === 'finishing' && this.connection.requests.open === 0) this.#end();
  }

  checkTimeLimits(now: number): void {
    if (this.phase !== 'closed') this.#limits.check(now);
  }

  finished(exchange: EngineExchange, isComplete: boolean): void {
    this.connection.requests.noteFinished();
    exchange.finish();
    observeEnd(this.observer, exchange, isComplete);
    if (this.connection.requests.open > 0) return;
    this.#callWhenIdle();
    this.#closeIfDone();
  }

  async untilIdle(): Promise<void> {
    if (this.connection.requests.open === 0) return;
    await new Promise<void>((resolve) => {
      this.#whenIdle.add(resolve);
    });
  }

  /** Call when the connection has closed. */
  onClosed(): void {
    this.advance('close');
    this.http2.stop();
    this.#reading.end();
    // Before what waits for the output goes on: it must not respond any more.
    this.#abandonAll();
    this.output.onClosed();
    this.#callWhenIdle();
  }

  #callWhenIdle(): void {
    for (const call of this.#whenIdle) call();
    this.#whenIdle.clear();
  }
}
