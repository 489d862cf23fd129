import {
  constants,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { ProtocolOptions } from '../../server/limits.ts';
import { JOURNAL_FIELD, type ExchangeObserver } from '../../server/observer.ts';
import type { ClientStart } from '../../server/request.ts';
import { Problem } from '../../http/problem.ts';
import type { FieldLines } from '../../http/fields.ts';
import { DEFAULT_MAX_FRAME_SIZE } from '../../wire/http2/frame.ts';
import type { PrefaceCapture } from '../../net/client-preface.ts';
import type { Connection } from '../../net/connection.ts';
import { causeFromError, type CloseReason } from '../../net/close-reason.ts';
import { destroyWhenSilent } from '../../net/lingering-close.ts';
import { JavaScriptSocket } from '../../net/javascript-socket.ts';
import { deferDestroy, detachSession, releaseOnceClosed } from '../../net/node-internals-http2.ts';
import { IdleTimer } from '../../net/idle-timer.ts';
import { readTurns } from '../../net/scheduler.ts';
import { afterIterations, WRITE_ITERATIONS } from '../../net/event-loop.ts';
import { AcknowledgedFrames } from './acknowledged.ts';
import { Backlog } from './backlog.ts';
import { DetachedConnection } from './detached-connection.ts';
import type { FaultySession } from './faults/stage.ts';
import { Liveness, SessionFailed } from './liveness.ts';
import { OpenStreams } from './open-streams.ts';
import { FloodLimits } from '../http2-shared/flood-limits.ts';
import { Http2Exchange } from './exchange.ts';
import { sessionPhaseAfter, type SessionPhase, type SessionStep } from './phase.ts';
import { HeaderSections, StreamsRejected } from './header-section.ts';

/** An HTTP/2 connection: its streams, its limits and its close. */
export class Http2Session implements FaultySession {
  readonly connection: Connection;
  readonly control: AcknowledgedFrames;
  readonly backlog: Backlog;
  readonly native: ServerHttp2Session;
  readonly observer: ExchangeObserver;
  readonly #inspected: JavaScriptSocket | undefined;
  readonly #destroyNow: (error?: Error) => void;
  readonly #options: ProtocolOptions;
  readonly streams: OpenStreams;
  readonly #floodLimits: FloodLimits;
  readonly sections: HeaderSections;
  readonly #liveness: Liveness;
  readonly #idleTimer: IdleTimer;
  readonly #preface: PrefaceCapture;
  /** The connection-level send window, in bytes, when the first request arrived. */
  #firstSendWindow: number | undefined;
  #phase: SessionPhase = 'serving';
  /** Whether the maximum number of streams has been open since streams were last rejected. */
  #wasFull = false;

  /** @param socket the session's socket: that of the connection or, with --inspect, the one above it */
  constructor(
    session: ServerHttp2Session,
    socket: Socket,
    connection: Connection,
    preface: PrefaceCapture,
    options: ProtocolOptions,
  ) {
    const inspected = socket instanceof JavaScriptSocket ? socket : undefined;
    const defer = inspected && ((call: () => void): void => inspected.afterWrite(call));
    this.control = new AcknowledgedFrames(session, options);
    const rejected = (refused: StreamsRejected): void => this.#rejected(refused);
    this.sections = new HeaderSections(session, connection, preface, this.control, rejected);
    const beforeDestroy = (error?: Error): void => {
      if (error) connection.setSessionError(error);
      this.sections.close();
      // Some clients never close their side. A client that still sends frames may still be reading.
      if (this.#advance('destroy')) {
        destroyWhenSilent(connection.socket, options.lingerTime, connection.stream);
      }
    };
    this.#destroyNow = deferDestroy(session, beforeDestroy, defer);
    releaseOnceClosed(session);
    this.native = session;
    this.observer = options.observer;
    this.#inspected = inspected;
    this.connection = connection;
    this.#preface = preface;
    this.#options = options;
    this.backlog = new Backlog(session, connection, inspected, options.stallTimeout);
    this.#liveness = new Liveness(session, connection, this.backlog, options.silence);
    this.#floodLimits = new FloodLimits(options);
    const { idleTimeout, sweepInterval } = options;
    this.#idleTimer = new IdleTimer(connection, idleTimeout, sweepInterval, () => {
      this.closeIdle(performance.now(), idleTimeout, 'idle-timeout');
    });
    this.streams = new OpenStreams(session, connection, options, () => this.#countReset());
    session.on('stream', (...stream: StreamEvent) => this.#onStream(...stream));
    const onControl = (): void => {
      if (this.#floodLimits.countControlFrame()) {
        this.close('calm', 'flood');
      }
    };
    session.on('ping', onControl).on('remoteSettings', onControl);
    // Node closes the session, or destroys it if the client has sent an error.
    session.on('goaway', () => this.#advance('graceful'));
    session.on('error', (error) => {
      connection.setError(error);
      // Reported even if something else is closing the connection, such as a drain that began before.
      if (causeFromError(error).reason === 'protocol-error') this.#rejected(error);
    });
  }

  get opening(): ClientStart {
    return { frames: this.#preface.frames, sendWindow: this.#firstSendWindow };
  }

  /** @returns whether the phase has changed */
  #advance(step: SessionStep): boolean {
    const next = sessionPhaseAfter(this.#phase, step);
    this.#phase = next ?? this.#phase;
    return next !== undefined;
  }

  /** Whether nothing can be sent on the session any more. */
  get #isOver(): boolean {
    return this.#phase === 'detached' || this.#phase === 'destroyed';
  }

  #onStream(...[stream, headers, flags, fields]: StreamEvent): void {
    // Ignored, because an error closes the stream, which aborts the exchange.
    stream.on('error', ignore);
    this.sections.ended(stream.id ?? 0);
    // Ignores further streams in the bytes that nghttp2 is processing.
    if (this.#phase === 'rejecting') return;
    const { connection } = this;
    const options = this.#options;
    const { observer } = options;
    if (connection.requests.total >= options.maxRequests) {
      // The client opened the stream before it received the GOAWAY, and may send the request again (RFC 9113 8.7).
      stream.close(constants.NGHTTP2_REFUSED_STREAM);
      return;
    }
    const exchange = new Http2Exchange(stream, headers, flags, fields, this);
    readTurns.count(connection, exchange.receivedAt);
    if (exchange.hasBody) countPieces(connection, exchange.body);
    if (connection.requests.open >= this.control.maxStreams) this.#wasFull = true;
    observer.began?.(exchange);
    const { [JOURNAL_FIELD]: key } = headers;
    if (typeof key === 'string') observer.journalRequested?.(exchange, key);
    // No DATA has been sent yet, so the window is the initial one plus the client's WINDOW_UPDATE.
    if (exchange.requestNumber === 1) {
      this.#firstSendWindow = this.native.state.remoteWindowSize;
    }
    this.streams.add(stream, exchange);
    options.dispatch(exchange);
    if (exchange.hasBody) awaitContent(stream, exchange, options);
    if (options.drainState.isDraining) this.close('graceful', 'draining');
    else if (exchange.requestNumber >= options.maxRequests) this.close('graceful', 'request-limit');
  }

  /** Call when the socket has closed, before Node's own listener. */
  onSocketClosed(): void {
    this.sections.close();
    this.#advance('destroy');
    this.backlog.onSocketClosed();
  }

  /**
   * Closes the session, and with it the connection:
   *
   * - graceful: sends GOAWAY; open streams are completed (RFC 9113 6.8)
   * - calm: sends GOAWAY with ENHANCE_YOUR_CALM, after nghttp2 has processed the bytes that it is reading
   * - fail: ends both as a connection error that nghttp2 has found does (RFC 9113 5.4.1)
   * - abort: destroys both
   *
   * The last two must not be called from an nghttp2 callback.
   *
   * @param reason omitted if the client has closed the connection
   */
  close(...[how, reason]: SessionClose): void {
    switch (how) {
      case 'graceful':
        if (!this.#advance('graceful')) return;
        this.connection.setCloseReason(reason);
        // Destroyed by Node once its last stream has closed, with a second GOAWAY and FIN.
        this.native.close();
        return;
      case 'calm':
        if (!this.#advance('calm')) return;
        this.connection.setCloseReason(reason);
        this.connection.holdReading('closing');
        this.native.destroy(new Error(EXCESSES[reason]), constants.NGHTTP2_ENHANCE_YOUR_CALM);
        return;
      case 'fail':
        this.#destroyNow(new SessionFailed());
        return;
      case 'abort':
        this.#abort(reason);
    }
  }

  #abort(reason?: CloseReason): void {
    this.#destroyNow();
    const { connection } = this;
    if (reason) connection.setCloseReason(reason);
    // With --inspect, Node's last bytes, such as close_notify, take several iterations of the event loop.
    if (connection.inspector)
      afterIterations(WRITE_ITERATIONS, () => connection.close('abort', reason));
    else connection.close('abort', reason);
  }

  closeIdle(now: number, duration: number, reason: CloseReason): void {
    // A detached connection closes itself.
    if (this.#isOver || this.connection.idleFor(now) < duration) return;
    // Without open streams, only an incomplete header section keeps a closing session alive.
    if (this.#phase === 'finishing') this.close('abort', reason);
    else this.close('graceful', reason);
  }

  /** Ends the session without sending a frame. Must not be called from an nghttp2 callback. */
  detach(): DetachedConnection | undefined {
    const { connection } = this;
    if (connection.stream.destroyed || !this.#advance('detach')) return undefined;
    const { maxFrameSize = DEFAULT_MAX_FRAME_SIZE } = this.native.localSettings;
    if (this.#inspected) {
      this.#inspected.detach();
      this.#destroyNow();
    } else detachSession(this.native, connection.stream, this.#destroyNow);
    return new DetachedConnection(connection, this.#floodLimits, maxFrameSize);
  }

  /** Enforces the time limits. Call at intervals. */
  checkTimeLimits(now: number): void {
    if (this.#isOver) return;
    const { headerTimeout, maxConnectionAge } = this.#options;
    if (this.connection.requests.total === 0) this.closeIdle(now, headerTimeout, 'header-timeout');
    else this.#idleTimer.check(now);
    const isOld = now - this.connection.openedAt >= maxConnectionAge;
    if (isOld) this.close('graceful', 'connection-age');
    // `close` destroys a session without streams, and a PING on it would throw.
    if (this.#isOver) return;
    if (this.sections.isLate(now, headerTimeout)) {
      // Ends the session, not only the stream: until the section is complete, no other frame may follow (RFC 9113 4.3).
      this.close('calm', 'header-timeout');
      return;
    }
    this.streams.checkTimeLimits(now);
    const state = this.#liveness.check(now);
    if (state === 'failed') this.close('fail');
    if (state === 'silent') this.close('abort', 'silent');
  }

  #countReset(): void {
    if (this.#floodLimits.countReset()) this.close('calm', 'resets');
  }

  #rejected(error: Error): void {
    // nghttp2 refuses streams above an unacknowledged limit without reporting it.
    if (error instanceof StreamsRejected && (error.isAboveLimit ?? this.#wasFull)) {
      this.connection.requests.refusedAboveLimit(error.count);
      this.#wasFull = false;
    }
    const { inspector } = this.connection;
    const stream = 'stream' in error && typeof error.stream === 'number' ? error.stream : undefined;
    const message = inspector?.rejectedMessage(stream);
    this.observer.rejected?.(this.connection, error, message);
  }
}

/** Limits that end a session with ENHANCE_YOUR_CALM. */
const EXCESSES = {
  flood: 'too many PING or SETTINGS frames',
  resets: 'too many streams ended with an error',
  'header-timeout': 'a header section was not complete in time',
} as const;

type SessionClose =
  | [how: 'fail']
  | [how: 'abort', reason?: CloseReason]
  | [how: 'calm', reason: keyof typeof EXCESSES]
  | [how: 'graceful', reason: CloseReason];

/** Arguments of a `stream` listener. */
type StreamEvent = [
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  flags: number,
  fields: FieldLines,
];

/** Enforces the request timeout: responds with 408, or ends the stream if a response has already been sent. */
function awaitContent(
  stream: ServerHttp2Stream,
  exchange: Http2Exchange,
  { requestTimeout, lingerTime, observer }: ProtocolOptions,
): void {
  const timer = setTimeout(() => {
    if (exchange.isProgressing?.()) {
      timer.refresh();
      return;
    }
    if (stream.writableEnded) observer.terminated?.('request-timeout', exchange.connection);
    stream.emit('error', new Problem('request-timeout', 'the request was not complete in time'));
    const end = (): void => stream.close(constants.NGHTTP2_NO_ERROR);
    setTimeout(() => {
      if (stream.writableEnded) end();
      // Deferred, because nghttp2 would send RST_STREAM before the end of the response.
      else stream.once('finish', () => setImmediate(end));
    }, lingerTime).unref();
  }, requestTimeout).unref();
  const stop = (): void => clearTimeout(timer);
  stream.once('end', stop).once('close', stop);
}

const ignore = (): void => undefined;

/** Counts pieces of content for `readTurns`. Call before content is read. */
function countPieces(connection: Connection, body: Readable): void {
  const push = body.push.bind(body);
  body.push = (piece, encoding) => {
    readTurns.count(connection, performance.now());
    return push(piece, encoding);
  };
}
