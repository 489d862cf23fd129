import { constants, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import { setImmediate as turn } from 'node:timers/promises';
import { isResponseLate } from '../../server/exchange.ts';
import type { ProtocolOptions } from '../../server/limits.ts';
import { observeEnd } from '../../server/observer.ts';
import type { TerminationReason } from '../../net/close-reason.ts';
import type { TcpConnection } from '../../net/tcp-connection.ts';
import { outliveStreams, resetStream } from '../../net/node-internals-http2.ts';
import { afterIterations, WRITE_ITERATIONS } from '../../net/event-loop.ts';
import type { Http2Exchange } from './exchange.ts';

/** Bytes sent on a stream with more bytes queued, and since when the number has not changed. */
interface Pending {
  readonly sent: number;
  readonly since: number;
}

/** Bytes written between two checks that are assumed to be frames other than DATA, such as PING acknowledgements. */
const CONTROL_FRAMES = 4096;
/** Bytes assumed for the HEADERS of a response. */
const HEADERS = 1024;
/** Share of written bytes assumed to be overhead of frames and TLS records. */
const FRAMING = 1 / 16;

/** The open streams of a session. Notices their end, and enforces the time limits of their responses. */
export class OpenStreams {
  readonly #session: ServerHttp2Session;
  readonly #connection: TcpConnection;
  readonly #options: ProtocolOptions;
  readonly #onReset: () => void;
  /** One listener for all streams. */
  readonly #onClose: (this: ServerHttp2Stream) => void;
  readonly #open = new Map<ServerHttp2Stream, Http2Exchange>();
  #pending = new Map<ServerHttp2Stream, Pending>();
  /** Number of finished responses. */
  #finished = 0;
  /** Total bytes of content in finished responses. */
  #finishedBytes = 0;
  /** State at the last check. */
  #last = { finished: 0, sent: 0, written: 0, window: 0 };
  /** Open streams that wait for the others to close. */
  readonly #waiting = new Set<ServerHttp2Stream>();
  #onClosed: Set<() => void> | undefined;

  /** @param onReset called for each stream that ended with an error */
  constructor(
    session: ServerHttp2Session,
    connection: TcpConnection,
    options: ProtocolOptions,
    onReset: () => void,
  ) {
    this.#session = session;
    this.#connection = connection;
    this.#options = options;
    this.#onReset = onReset;
    const outlive = outliveStreams(session);
    const closed = (stream: ServerHttp2Stream): void => this.#closed(stream);
    this.#onClose = function onClose() {
      outlive(this);
      closed(this);
    };
  }

  add(stream: ServerHttp2Stream, exchange: Http2Exchange): void {
    this.#open.set(stream, exchange);
    stream.on('close', this.#onClose);
  }

  #closed(stream: ServerHttp2Stream): void {
    this.#connection.requests.noteFinished();
    const exchange = this.#open.get(stream);
    exchange?.finish();
    this.#finishedBytes += exchange?.bytes ?? 0;
    this.#finished++;
    this.#open.delete(stream);
    this.#waiting.delete(stream);
    // A reset that the client requested as a fault is not counted: it costs no more than a response.
    if (stream.rstCode !== constants.NGHTTP2_NO_ERROR && !exchange?.fault) this.#onReset();
    if (exchange) observeEnd(this.#options.observer, exchange, exchange.isSent);
    if (this.#onClosed) for (const check of this.#onClosed) check();
  }

  /** Closes all streams, as Node does when the socket of a session closes. */
  cancelAll(): void {
    for (const stream of this.#open.keys()) stream.close(constants.NGHTTP2_CANCEL);
  }

  async untilIdle(): Promise<void> {
    await this.#until(() => this.#connection.requests.open === 0);
  }

  async untilAlone(stream: ServerHttp2Stream, limit: number): Promise<void> {
    if (this.#open.has(stream)) this.#waiting.add(stream);
    await this.#until(() => this.#connection.requests.open <= this.#waiting.size, limit);
    this.#waiting.delete(stream);
  }

  /** Waits for a condition that may become true when a stream closes. @param limit in milliseconds */
  async #until(condition: () => boolean, limit?: number): Promise<void> {
    const listeners = (this.#onClosed ??= new Set());
    await new Promise<void>((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        listeners.delete(check);
        resolve();
      };
      const check = (): void => {
        if (condition()) end();
      };
      const timer = limit === undefined ? undefined : setTimeout(end, limit).unref();
      listeners.add(check);
      // Checks the conditions of all waiting requests now: a new one may make those of others true.
      for (const each of listeners) each();
    });
    // Deferred, because a stream may close within an nghttp2 callback.
    await turn();
  }

  /** Ends streams whose responses exceed a time limit. Call every second. @param now from performance.now() */
  checkTimeLimits(now: number): void {
    this.#destroyAbandoned();
    this.#abort('stalled', this.#stalled(now));
    const { answerTimeout } = this.#options;
    const late = [...this.#open].filter(([, each]) => isResponseLate(each, now, answerTimeout));
    this.#abort(
      'answer-timeout',
      Array.from(late, ([stream]) => stream),
    );
  }

  #abort(reason: TerminationReason, streams: readonly ServerHttp2Stream[]): void {
    for (const stream of streams) {
      // Until RST_STREAM can be written, each check finds the stream again.
      this.#open.get(stream)?.noteTermination(reason);
      // A stream that wirebin has already closed cannot be reset, and still waits for its response to be sent.
      if (stream.closed) stream.destroy();
      else resetStream(stream, constants.NGHTTP2_CANCEL);
    }
  }

  /**
   * Destroys streams that the client has reset with NO_ERROR while bytes were still to be sent or read. nghttp2 has
   * dropped these streams, but Node waits for the bytes.
   */
  #destroyAbandoned(): void {
    const idle = constants.NGHTTP2_STREAM_STATE_IDLE;
    const abandoned = [...this.#open.keys()].filter(
      (stream) => stream.closed && (stream.state.state ?? idle) === idle,
    );
    if (abandoned.length === 0) return;
    // Deferred, because nghttp2 also drops a finished stream before its last bytes have been written.
    afterIterations(WRITE_ITERATIONS, () => {
      for (const stream of abandoned) {
        if (stream.destroyed) continue;
        if (!stream.writableFinished) this.#onReset();
        stream.destroy();
      }
    });
  }

  /**
   * Streams with queued bytes and no progress for as long as the limit. A client that acknowledges every PING may still
   * block responses with its flow-control windows (RFC 9113 5.2). A timed response that is waiting has nothing queued.
   * RST_STREAM ends the stream only: a connection that takes no bytes is ended by `Liveness`, and by `Backlog` if calls
   * wait for its bytes.
   */
  #stalled(now: number): ServerHttp2Stream[] {
    const { stallTimeout } = this.#options;
    const before = this.#pending;
    const pending = new Map<ServerHttp2Stream, Pending>();
    let totalSent = this.#finishedBytes;
    for (const [stream, { bytes }] of this.#open) {
      const sent = bytes - stream.writableLength;
      totalSent += sent;
      if (stream.writableLength === 0) continue;
      const last = before.get(stream);
      pending.set(stream, last?.sent === sent ? last : { sent, since: now });
    }
    this.#pending = pending;
    if (pending.size === 0) return [];
    // Node reports a piece only after it has been sent completely, which may take long.
    if (this.#hasUnreportedProgress(totalSent)) {
      for (const [stream, { sent }] of pending) pending.set(stream, { sent, since: now });
      return [];
    }
    return [...pending].flatMap(([stream, { since }]) =>
      now - since >= stallTimeout ? [stream] : [],
    );
  }

  /** Whether more bytes have been written to the socket since the last check than the streams have reported. */
  #hasUnreportedProgress(sent: number): boolean {
    const last = this.#last;
    const { socket } = this.#connection;
    const { remoteWindowSize: window = 0 } = this.#session.state;
    this.#last = { finished: this.#finished, sent, written: socket.bytesWritten, window };
    const responses = this.#finished - last.finished;
    // Only DATA reduces the connection-level window, so some was sent.
    if (responses === 0 && sent === last.sent && window < last.window) return true;
    const written = socket.bytesWritten - last.written;
    const reported = sent - last.sent + responses * HEADERS + written * FRAMING;
    return written - reported > CONTROL_FRAMES;
  }
}
