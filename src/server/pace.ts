import { pause } from './pause.ts';
import { streamPieces, type TimedStream, type PullSource, type Streamed } from './payload.ts';

/** Minimum delay of a Node timer, in milliseconds. */
const MIN_DELAY = 1;

/**
 * Spreads items evenly over a duration: the first is due immediately, the last at the end. The number of due items is
 * calculated, so that the cost does not depend on the number of items.
 */
export class Schedule {
  readonly #count: number;
  /** Milliseconds between items; 0 if all are due immediately. */
  readonly #step: number;
  readonly #jitter: number;
  /** `performance.now()` at the first call of `due`. */
  #start: number | undefined;
  #due = 0;
  /** When the next item is due, in milliseconds after the start. */
  #next = 0;

  /**
   * @param seconds from the first item to the last
   * @param jitter 0 to 1: maximum deviation of an interval, as a fraction of the step. The total duration does not
   * change
   */
  constructor(count: number, seconds: number, jitter = 0) {
    this.#count = count;
    this.#step = count > 1 ? (seconds * 1000) / (count - 1) : 0;
    this.#jitter = jitter;
  }

  /** Number of items that are due by now. The first call starts the clock. */
  due(): number {
    const now = performance.now();
    this.#start ??= now;
    const time = now - this.#start;
    if (time < this.#next) return this.#due;
    // Items that are due whatever their jitter. The last item has none.
    const certain =
      this.#step > 0 ? Math.floor(time / this.#step - this.#jitter / 2) + 1 : Infinity;
    this.#advanceTo(Math.max(this.#due, Math.min(certain, this.#count - 1)));
    while (this.#due < this.#count && this.#next <= time) this.#advanceTo(this.#due + 1);
    return this.#due;
  }

  /**
   * Waits until the next item is due, but at least for the minimum delay of a timer: items at shorter intervals are
   * sent together.
   *
   * @throws AbortError when `signal` aborts
   */
  wait(signal: AbortSignal): Promise<void> {
    const left = (this.#start ?? 0) + this.#next - performance.now();
    return pause(Math.max(left, MIN_DELAY) / 1000, signal);
  }

  #advanceTo(due: number): void {
    if (due === this.#due) return;
    this.#due = due;
    const isLast = due === this.#count - 1;
    this.#next = (due + (isLast ? 0 : this.#jitter * (Math.random() - 0.5))) * this.#step;
  }
}

/** A payload of pieces made one by one, evenly over a duration; with 0 s, as fast as the client reads. */
export function pacePieces(
  count: number,
  seconds: number,
  jitter: number,
  piece: (at: number) => Uint8Array | string,
): TimedStream | Streamed {
  if (seconds === 0 || count < 2) return streamPieces(count, piece);
  const schedule = new Schedule(count, seconds, jitter);
  let at = 0;
  return {
    kind: 'timed',
    next() {
      if (at === count) return undefined;
      return at < schedule.due() ? piece(at++) : null;
    },
    wait: (signal) => schedule.wait(signal),
  };
}

/**
 * Spreads the bytes of a payload over a duration.
 *
 * @param schedule of the items in the payload
 * @param bytesOf returns the number of bytes in the first `due` items
 */
export function paceBytes(
  payload: PullSource,
  schedule: Schedule,
  bytesOf: (due: number) => number,
): TimedStream {
  const { length } = payload;
  let sent = 0;
  return {
    kind: 'timed',
    next(size) {
      if (sent === length) return undefined;
      const due = Math.min(length, bytesOf(schedule.due())) - sent;
      if (due === 0) return null;
      const piece = payload.next(Math.min(size, due));
      sent += piece?.length ?? 0;
      return piece;
    },
    wait: (signal) => schedule.wait(signal),
  };
}
