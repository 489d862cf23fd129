import { frameMemory, type SeenFrame, type Stream } from './stream.ts';

/** Maximum frames kept of each stream, and of the connection. */
const MAX_FRAMES = 100;
/** Maximum streams kept, including open ones. */
const MAX_STREAMS = 256;
/** Maximum closed streams kept. More would outlive V8's young generation under load. */
const MAX_CLOSED = 64;

/** Estimated bytes of a stream without its frames. */
const STREAM_COST = 1000;

/** Keeps the streams of a connection and their frames, within limits. */
export class StreamStore {
  readonly #maxKept: () => number;
  readonly #streams = new Map<number, Stream>();
  /** Closed streams, in the order in which they were closed. */
  readonly #closed = new Set<Stream>();
  /** Estimated bytes of the kept streams and frames. */
  kept = 0;
  /** Number of streams that are no longer kept. */
  streamsLeftOut = 0;
  /** Number of frames that are not, or no longer, kept. */
  framesLeftOut = 0;

  /** @param maxKept estimated bytes that all kept frames may take now */
  constructor(maxKept: () => number) {
    this.#maxKept = maxKept;
  }

  /** Number of streams that were added. */
  get count(): number {
    return this.#streams.size + this.streamsLeftOut;
  }

  /** Number of streams that are not closed. */
  get open(): number {
    return this.#streams.size - this.#closed.size;
  }

  get(id: number): Stream | undefined {
    return this.#streams.get(id);
  }

  all(): Iterable<Stream> {
    return this.#streams.values();
  }

  /** Adds a stream. Drops closed ones if memory is short; if there are too many, a closed one or else the oldest. */
  add(stream: Stream): void {
    this.#streams.set(stream.id, stream);
    this.kept += STREAM_COST;
    while (this.kept > this.#maxKept() && this.#forgetClosed());
    if (this.#streams.size <= MAX_STREAMS || this.#forgetClosed()) return;
    const [oldest] = this.#streams.values();
    if (oldest) this.#forget(oldest);
  }

  /** Call when a stream is closed: from now on, it may be dropped. */
  closed(stream: Stream): void {
    if (this.#streams.get(stream.id) !== stream) return;
    this.#closed.add(stream);
    if (this.#closed.size > MAX_CLOSED) this.#forgetClosed();
  }

  /** Keeps a frame of a stream or of the connection, and drops closed streams if there is no room. */
  keep(seen: SeenFrame, stream: Stream): void {
    const cost = frameMemory(seen);
    const maxKept = this.#maxKept();
    if (stream.frames.length >= MAX_FRAMES || cost > maxKept) {
      this.#leaveOut(stream);
      return;
    }
    while (this.kept + cost > maxKept && this.#forgetClosed());
    // The dropped stream may be the one of this frame.
    const isForgotten = stream.id !== 0 && this.#streams.get(stream.id) !== stream;
    if (this.kept + cost > maxKept || isForgotten) {
      this.#leaveOut(stream);
      return;
    }
    stream.frames.push(seen);
    stream.kept += cost;
    this.kept += cost;
  }

  #leaveOut(stream: Stream): void {
    this.framesLeftOut++;
    stream.leftOut++;
  }

  /** @returns false if no stream is closed */
  #forgetClosed(): boolean {
    const [stream] = this.#closed;
    if (stream) this.#forget(stream);
    return stream !== undefined;
  }

  #forget(stream: Stream): void {
    this.#closed.delete(stream);
    this.#streams.delete(stream.id);
    this.kept -= STREAM_COST + stream.kept;
    this.streamsLeftOut++;
    this.framesLeftOut += stream.frames.length;
  }
}
