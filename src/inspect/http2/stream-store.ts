import { memoryOf, type SeenFrame, type Stream } from './stream.ts';

export interface StreamStoreOptions {
  /** Maximum frames kept of each stream, and of the connection; 100 by default. */
  readonly maxFrames?: number;
  /** Maximum streams kept, open ones included; 256 by default. */
  readonly maxStreams?: number;
  /** Maximum closed streams kept; 64 by default. More would outlive V8's young generation under load. */
  readonly maxClosed?: number;
  /** Maximum bytes that all kept frames may take now, about; 256 KiB by default. */
  readonly maxKept?: () => number;
}

const DEFAULTS = {
  maxFrames: 100,
  maxStreams: 256,
  maxClosed: 64,
  maxKept: (): number => 256 * 1024,
};

/** Bytes that a stream takes without its frames, about. */
const STREAM_COST = 1000;

/** The streams of a connection and their frames, as many as the limits allow. */
export class StreamStore {
  readonly #maxFrames: number;
  readonly #maxStreams: number;
  readonly #maxClosed: number;
  readonly #maxKept: () => number;
  readonly #streams = new Map<number, Stream>();
  /** In the order in which they were closed. */
  readonly #closed = new Set<Stream>();
  #kept = 0;
  #streamsLeftOut = 0;
  #framesLeftOut = 0;

  constructor(options: StreamStoreOptions) {
    const { maxFrames, maxStreams, maxClosed, maxKept } = { ...DEFAULTS, ...options };
    this.#maxFrames = maxFrames;
    this.#maxStreams = maxStreams;
    this.#maxClosed = maxClosed;
    this.#maxKept = maxKept;
  }

  /** Streams that were forgotten. */
  get streamsLeftOut(): number {
    return this.#streamsLeftOut;
  }

  /** Frames that were not kept, or forgotten. */
  get framesLeftOut(): number {
    return this.#framesLeftOut;
  }

  /** Bytes that the kept streams and their frames take, about. */
  get kept(): number {
    return this.#kept;
  }

  get(id: number): Stream | undefined {
    return this.#streams.get(id);
  }

  all(): Iterable<Stream> {
    return this.#streams.values();
  }

  /** @returns the stream that was forgotten for it: one that is closed, or else the oldest */
  add(stream: Stream): Stream | undefined {
    this.#streams.set(stream.id, stream);
    this.#kept += STREAM_COST;
    while (this.#kept > this.#maxKept() && this.#forgetClosed() !== undefined);
    if (this.#streams.size <= this.#maxStreams) return undefined;
    const closed = this.#forgetClosed();
    if (closed) return closed;
    const [oldest] = this.#streams.values();
    return oldest && this.#forget(oldest);
  }

  /** Call when a stream is closed: it may be forgotten from now on. */
  closed(stream: Stream): void {
    if (this.#streams.get(stream.id) !== stream) return;
    this.#closed.add(stream);
    if (this.#closed.size > this.#maxClosed) this.#forgetClosed();
  }

  /** Keeps a frame of a stream or of the connection, and forgets closed streams for it. */
  keep(seen: SeenFrame, stream: Stream): void {
    const cost = memoryOf(seen);
    const maxKept = this.#maxKept();
    if (stream.frames.length >= this.#maxFrames || cost > maxKept) {
      this.#leaveOut(stream);
      return;
    }
    while (this.#kept + cost > maxKept && this.#forgetClosed() !== undefined);
    // The stream itself may be the one that was forgotten.
    const isForgotten = stream.id !== 0 && this.#streams.get(stream.id) !== stream;
    if (this.#kept + cost > maxKept || isForgotten) {
      this.#leaveOut(stream);
      return;
    }
    stream.frames.push(seen);
    stream.kept += cost;
    this.#kept += cost;
  }

  #leaveOut(stream: Stream): void {
    this.#framesLeftOut++;
    stream.leftOut++;
  }

  #forgetClosed(): Stream | undefined {
    const [stream] = this.#closed;
    return stream && this.#forget(stream);
  }

  #forget(stream: Stream): Stream {
    this.#closed.delete(stream);
    this.#streams.delete(stream.id);
    this.#kept -= STREAM_COST + stream.kept;
    this.#streamsLeftOut++;
    this.#framesLeftOut += stream.frames.length;
    return stream;
  }
}
