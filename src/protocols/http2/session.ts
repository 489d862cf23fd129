import {
  constants,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { ProtocolOptions } from '../../server/limits.ts';
import { Problem } from '../../http/problem.ts';
import type { FieldLines } from '../../http/fields.ts';
import { DEFAULT_MAX_FRAME_SIZE } from '../../wire/http2/frame.ts';
import type { PrefaceCapture } from '../../net/client-preface.ts';
import type { TcpConnection } from '../../net/tcp-connection.ts';
import { causeFromError, type CloseReason } from '../../net/close-reason.ts';
import { destroyWhenSilent } from '../../net/lingering-close.ts';
import { JavaScriptSocket } from '../../net/javascript-socket.ts';
import { deferDestroy, detachSession, releaseOnceClosed } from '../../net/node-internals-http2.ts';
import { readTurns } from '../../net/scheduler.ts';
import { afterIterations, WRITE_ITERATIONS } from '../../net/event-loop.ts';
import { NodeControl } from './node-control.ts';
import { Backlog } from './backlog.ts';
import { DetachedConnection } from './detached-connection.ts';
import type { FaultySession } from './faults/stage.ts';
import { Liveness } from './liveness.ts';
import { OpenStreams } from './open-streams.ts';
import { Session, SessionFailed, type SessionClose } from '../http2-shared/session.ts';
import { Http2Exchange } from './exchange.ts';
import { HeaderSections, StreamsRejected } from './header-section.ts';

/** An HTTP/2 connection: its streams, its limits and its close. */
export class Http2Session extends Session implements FaultySession {
  readonly control: NodeControl;
  readonly backlog: Backlog;
  readonly native: ServerHttp2Session;
  readonly #inspected: JavaScriptSocket | undefined;
  readonly #destroyNow: (error?: Error) => void;
  readonly streams: OpenStreams;
  readonly sections: HeaderSections;
  readonly #liveness: Liveness;
  /** Whether the maximum number of streams has been open since streams were last rejected. */
  #wasFull = false;

  /** @param socket the session's socket: that of the connection or, with --inspect, the one above it */
  constructor(
    session: ServerHttp2Session,
    socket: Socket,
    connection: TcpConnection,
    preface: PrefaceCapture,
    options: ProtocolOptions,
  ) {
    super(connection, preface, options);
    const inspected = socket instanceof JavaScriptSocket ? socket : undefined;
    const defer = inspected && ((call: () => void): void => inspected.afterWrite(call));
    this.control = new NodeControl(session, options);
    const rejected = (refused: StreamsRejected): void => this.#rejected(refused);
    this.sections = new HeaderSections(session, connection, preface, this.control, rejected);
    const beforeDestroy = (error?: Error): void => {
      if (error) connection.setSessionError(error);
      this.sections.close();
      this.control.end();
      // Some clients never close their side. A client that still sends frames may still be reading.
      if (this.advance('close')) {
        destroyWhenSilent(connection.socket, options.lingerTime, connection.stream);
      }
    };
    this.#destroyNow = deferDestroy(session, beforeDestroy, defer);
    releaseOnceClosed(session);
    this.native = session;
    this.#inspected = inspected;
    this.backlog = new Backlog(session, connection, inspected, options.stallTimeout);
    this.#liveness = new Liveness(session, connection, this.backlog, options.silence);
    this.streams = new OpenStreams(session, connection, options, () => this.countReset());
    session.on('stream', (...stream: StreamEvent) => this.#onStream(...stream));
    const onControl = (): void => this.countControlFrame();
    session.on('ping', onControl).on('remoteSettings', onControl);
    // Node closes the session, or destroys it if the client has sent an error.
    session.on('goaway', () => this.advance('finish'));
    session.on('error', (error) => {
      connection.setError(error);
      // A limit counts valid frames: none of them was rejected.
      if (error instanceof LimitReached) return;
      // Reported even if something else is closing the connection, such as a drain that began before.
      if (causeFromError(error).reason === 'protocol-error') this.#rejected(error);
    });
  }

  protected get sendWindow(): number | undefined {
    return this.native.state.remoteWindowSize;
  }

  #onStream(...[stream, headers, flags, fields]: StreamEvent): void {
    // Ignored, because an error closes the stream, which aborts the exchange.
    stream.on('error', ignore);
    this.sections.ended(stream.id ?? 0);
    // Ignores further streams in the bytes that nghttp2 is processing.
    if (this.phase === 'ending') return;
    const { connection } = this;
    const options = this.options;
    if (connection.requests.total >= options.maxRequests) {
      // The client opened the stream before it received the GOAWAY, and may send the request again (RFC 9113 8.7).
      stream.close(constants.NGHTTP2_REFUSED_STREAM);
      return;
    }
    const exchange = new Http2Exchange(stream, headers, flags, fields, this);
    readTurns.count(connection, exchange.receivedAt);
    if (exchange.hasBody) countPieces(connection, exchange.body);
    if (connection.requests.open >= this.control.maxStreams) this.#wasFull = true;
    this.streams.add(stream, exchange);
    this.serve(exchange);
    if (exchange.hasBody) awaitContent(stream, exchange, options);
  }

  /** Call when the socket has closed, before Node's own listener. */
  onSocketClosed(): void {
    this.sections.close();
    this.control.end();
    this.advance('close');
    if (this.#inspected) {
      // Node's adapter of the socket (lib/internal/js_stream_socket.js) is still open. A session that is destroyed after
      // it does not learn that its last write has ended: it refers to the streams of that write forever, and they to it.
      this.streams.cancelAll();
      this.#destroyNow();
    }
    this.backlog.onSocketClosed();
  }

  /**
   * Closes the session. With `fail`, session and connection end as by a connection error that nghttp2 has found (RFC 9113
   * 5.4.1). GOAWAY with ENHANCE_YOUR_CALM follows after nghttp2 has processed the bytes that it is reading. Call neither
   * `fail` nor `abort` from an nghttp2 callback.
   */
  close(...[how, reason]: SessionClose | [how: 'fail', reason?: undefined]): void {
    switch (how) {
      case 'graceful':
        if (!this.advance('finish')) return;
        if (reason) this.connection.setCloseReason(reason);
        // Destroyed by Node once its last stream has closed, with a second GOAWAY and FIN.
        this.native.close();
        return;
      case 'calm':
        if (!this.advance('end')) return;
        this.connection.setCloseReason(reason);
        this.connection.holdReading('closing');
        this.native.destroy(new LimitReached(reason), constants.NGHTTP2_ENHANCE_YOUR_CALM);
        return;
      case 'fail':
        // As later versions than Node 20 report it.
        this.#destroyNow(new SessionFailed('Protocol error', 'ERR_HTTP2_ERROR'));
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

  /** Ends the session without sending a frame. Must not be called from an nghttp2 callback. */
  detach(): DetachedConnection | undefined {
    const { connection } = this;
    if (connection.stream.destroyed || !this.advance('detach')) return undefined;
    const { maxFrameSize = DEFAULT_MAX_FRAME_SIZE } = this.native.localSettings;
    if (this.#inspected) {
      this.#inspected.detach();
      this.#destroyNow();
    } else detachSession(this.native, connection.stream, this.#destroyNow);
    return new DetachedConnection(connection, this.floodLimits, maxFrameSize);
  }

  checkTimeLimits(now: number): void {
    if (this.isOver) return;
    this.checkAge(now);
    // `close` destroys a session without streams, and a PING on it would throw.
    if (this.isOver) return;
    if (this.sections.isLate(now, this.options.headerTimeout)) {
      // Ends the session, not only the stream: until the section is complete, no other frame may follow (RFC 9113 4.3).
      this.close('calm', 'header-timeout');
      return;
    }
    this.streams.checkTimeLimits(now);
    const state = this.#liveness.check(now);
    if (state === 'failed') this.close('fail');
    if (state === 'silent') this.close('abort', 'silent');
  }

  #rejected(error: Error): void {
    // nghttp2 refuses streams above an unacknowledged limit without reporting it.
    if (error instanceof StreamsRejected && (error.isAboveLimit ?? this.#wasFull)) {
      this.connection.requests.refusedAboveLimit(error.count);
      this.#wasFull = false;
    }
    const { inspector } = this.connection;
    const stream = 'stream' in error && typeof error.stream === 'number' ? error.stream : undefined;
    const message =
      stream === undefined ? inspector?.rejectedFrame() : inspector?.rejectedMessage(stream);
    this.observer.rejected?.(this.connection, error, message);
  }
}

/** A limit has ended a session with ENHANCE_YOUR_CALM. */
class LimitReached extends Error {}

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
function countPieces(connection: TcpConnection, body: Readable): void {
  const push = body.push.bind(body);
  body.push = (piece, encoding) => {
    readTurns.count(connection, performance.now());
    return push(piece, encoding);
  };
}
