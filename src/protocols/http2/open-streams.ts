import { constants, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { isResponseLate } from '../../server/exchange.ts';
import type { Http2Exchange } from './exchange.ts';

/** Bytes sent on a stream with more queued, and since when that has not changed. */
interface Pending {
  readonly sent: number;
  readonly since: number;
}

/** Bytes per second attributed to frames other than DATA, such as PING acknowledgements. */
const CONTROL_FRAMES = 4096;
/** Bytes attributed to the HEADERS of a response, and the overhead of frames and TLS records. */
const HEADERS = 1024;
const FRAMING = 1 / 16;

/**
 * The open streams of a session. Detects stalled ones: a client that acknowledges every PING may still
 * block responses with its flow-control windows (RFC 9113 5.2).
 */
export class OpenStreams {
  readonly #open = new Map<ServerHttp2Stream, Http2Exchange>();
  #pending = new Map<ServerHttp2Stream, Pending>();
  /** Finished responses, and their bytes. */
  #finished = 0;
  #finishedBytes = 0;
  /** State at the last check. */
  #last = { finished: 0, sent: 0, written: 0, window: 0 };

  opened(stream: ServerHttp2Stream, exchange: Http2Exchange): void {
    this.#open.set(stream, exchange);
  }

  exchangeOf(stream: ServerHttp2Stream): Http2Exchange | undefined {
    return this.#open.get(stream);
  }

  /** @returns the exchange of the stream */
  closed(stream: ServerHttp2Stream): Http2Exchange | undefined {
    const exchange = this.#open.get(stream);
    exchange?.onFinished?.();
    this.#finishedBytes += exchange?.bytes ?? 0;
    this.#finished++;
    this.#open.delete(stream);
    return exchange;
  }

  /**
   * Streams with queued bytes and no progress for the limit. A timed response that waits has nothing
   * queued. Call every second.
   *
   * @param now from performance.now()
   * @param limit in milliseconds
   */
  stalled(
    now: number,
    limit: number,
    session: ServerHttp2Session,
    socket: Socket,
  ): ServerHttp2Stream[] {
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
    // Node reports a piece only when all of it has been sent, which may take long for a large one.
    if (this.#hasUnreportedProgress(totalSent, session, socket)) {
      for (const [stream, { sent }] of pending) pending.set(stream, { sent, since: now });
      return [];
    }
    return [...pending].flatMap(([stream, { since }]) => (now - since >= limit ? [stream] : []));
  }

  /**
   * Streams that the client has reset with NO_ERROR while bytes were still to be sent or read. nghttp2
   * has dropped the stream, but Node waits for the bytes.
   */
  abandoned(): ServerHttp2Stream[] {
    const idle = constants.NGHTTP2_STREAM_STATE_IDLE;
    return [...this.#open.keys()].filter(
      (stream) => stream.closed && (stream.state.state ?? idle) === idle,
    );
  }

  /**
   * Streams whose responses exceed their time limit. Call at intervals.
   *
   * @param now from performance.now()
   * @param limit in milliseconds
   */
  late(now: number, limit: number): ServerHttp2Stream[] {
    return [...this.#open].flatMap(([stream, exchange]) =>
      isResponseLate(exchange, now, limit) ? [stream] : [],
    );
  }

  /** Whether more bytes were written to the socket since the last check than streams have reported. */
  #hasUnreportedProgress(sent: number, { state }: ServerHttp2Session, socket: Socket): boolean {
    const last = this.#last;
    const { remoteWindowSize: window = 0 } = state;
    this.#last = { finished: this.#finished, sent, written: socket.bytesWritten, window };
    const responses = this.#finished - last.finished;
    // Only DATA reduces the window.
    if (responses === 0 && sent === last.sent && window < last.window) return true;
    const written = socket.bytesWritten - last.written;
    const reported = sent - last.sent + responses * HEADERS + written * FRAMING;
    return written - reported > CONTROL_FRAMES;
  }
}
