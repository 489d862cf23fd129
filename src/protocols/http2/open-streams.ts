import { constants, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { isResponseLate } from '../../server/exchange.ts';
import type { Http2Exchange } from './exchange.ts';

/** What is waiting on a stream, and since when nothing of it has been taken. */
interface Waiting {
  readonly taken: number;
  readonly since: number;
}

/** Bytes a second that may be frames other than DATA, such as answers to PING. */
const CONTROL_FRAMES = 4096;
/** Bytes of each answer's HEADERS, and the part of all bytes that frames and TLS records add. */
const HEADERS = 1024;
const FRAMING = 1 / 16;

/**
 * The answers that are open on a session. It finds those of which the client takes nothing, though
 * it may well answer every PING: its windows hold them back (RFC 9113 5.2).
 */
export class OpenStreams {
  readonly #open = new Map<ServerHttp2Stream, Http2Exchange>();
  #waiting = new Map<ServerHttp2Stream, Waiting>();
  /** Answers that are over, and their bytes. */
  #over = 0;
  #overBytes = 0;
  /** As of the last look. */
  #seen = { over: 0, taken: 0, written: 0, window: 0 };

  opened(stream: ServerHttp2Stream, exchange: Http2Exchange): void {
    this.#open.set(stream, exchange);
  }

  closed(stream: ServerHttp2Stream): void {
    const exchange = this.#open.get(stream);
    exchange?.onFinished?.();
    this.#overBytes += exchange?.bytes ?? 0;
    this.#over++;
    this.#open.delete(stream);
  }

  /**
   * Streams with bytes waiting of which the client has taken none for that long. An answer that
   * waits for its own time has none. To be called every second.
   *
   * @param now by performance.now()
   * @param limit in milliseconds
   */
  stalled(
    now: number,
    limit: number,
    session: ServerHttp2Session,
    socket: Socket,
  ): ServerHttp2Stream[] {
    const before = this.#waiting;
    const waiting = new Map<ServerHttp2Stream, Waiting>();
    let allTaken = this.#overBytes;
    for (const [stream, { bytes }] of this.#open) {
      const taken = bytes - stream.writableLength;
      allTaken += taken;
      if (stream.writableLength === 0) continue;
      const last = before.get(stream);
      waiting.set(stream, last?.taken === taken ? last : { taken, since: now });
    }
    this.#waiting = waiting;
    if (waiting.size === 0) return [];
    // Node tells of a piece when all of it has been taken, which for a large one may be long.
    if (this.#takesUntold(allTaken, session, socket)) {
      for (const [stream, { taken }] of waiting) waiting.set(stream, { taken, since: now });
      return [];
    }
    return [...waiting].flatMap(([stream, { since }]) => (now - since >= limit ? [stream] : []));
  }

  /**
   * Streams that the client has reset with NO_ERROR while bytes waited, to be sent or to be read.
   * nghttp2 has dropped the stream, but Node waits for the bytes.
   */
  abandoned(): ServerHttp2Stream[] {
    const idle = constants.NGHTTP2_STREAM_STATE_IDLE;
    return [...this.#open.keys()].filter(
      (stream) => stream.closed && (stream.state.state ?? idle) === idle,
    );
  }

  /** Whether all are given, and their streams closed on our side. */
  get areFinished(): boolean {
    return [...this.#open.keys()].every(
      ({ closed, writableFinished }) => closed && writableFinished,
    );
  }

  /**
   * Streams whose answers take longer than they may. To be called at intervals.
   *
   * @param now by performance.now()
   * @param limit in milliseconds
   */
  late(now: number, limit: number): ServerHttp2Stream[] {
    return [...this.#open].flatMap(([stream, exchange]) =>
      isResponseLate(exchange, now, limit) ? [stream] : [],
    );
  }

  /** Whether more has been sent since the last look than all that is known to have been taken. */
  #takesUntold(taken: number, { state }: ServerHttp2Session, socket: Socket): boolean {
    const seen = this.#seen;
    const { remoteWindowSize: window = 0 } = state;
    this.#seen = { over: this.#over, taken, written: socket.bytesWritten, window };
    const answers = this.#over - seen.over;
    // Only DATA makes it smaller.
    if (answers === 0 && taken === seen.taken && window < seen.window) return true;
    const written = socket.bytesWritten - seen.written;
    const told = taken - seen.taken + answers * HEADERS + written * FRAMING;
    return written - told > CONTROL_FRAMES;
  }
}
