import { pause } from './pause.ts';
import { streamPieces, type TimedStream, type PullSource, type Streamed } from './payload.ts';

/** Milliseconds that a timer of Node takes at least. */
const TIMER = 1;

/**
 * Spreads things over a duration: the first is due at once, the last when it is over, the others in
 * even steps between them. How many are due is a matter of arithmetic: their number costs nothing.
 */
export class Schedule {
  readonly #count: number;
  /** In milliseconds; 0 where all are due at once. */
  readonly #step: number;
  readonly #jitter: number;
  /** By performance.now(): the first look. */
  #start: number | undefined;
  #due = 0;
  /** When the next is due, in milliseconds since the start. */
  #next = 0;

  /**
   * @param seconds from the first to the last
   * @param jitter 0 to 1: the most that the time between two neighbours is off, as a part of a step;
   * the duration stays what it is
   */
  constructor(count: number, seconds: number, jitter = 0) {
    this.#count = count;
    this.#step = count > 1 ? (seconds * 1000) / (count - 1) : 0;
    this.#jitter = jitter;
  }

  /** How many are due by now. The time begins with the first look. */
  due(): number {
    const now = performance.now();
    this.#start ??= now;
    const time = now - this.#start;
    if (time < this.#next) return this.#due;
    // Those whose time is over whatever their jitter; the last has none.
    const certain =
      this.#step > 0 ? Math.floor(time / this.#step - this.#jitter / 2) + 1 : Infinity;
    this.#goTo(Math.max(this.#due, Math.min(certain, this.#count - 1)));
    while (this.#due < this.#count && this.#next <= time) this.#goTo(this.#due + 1);
    return this.#due;
  }

  /**
   * Waits until more are due, or a little less; at least as long as a timer takes, so that what is due
   * in steps shorter than that comes together.
   *
   * @throws AbortError as soon as `signal` aborts
   */
  wait(signal: AbortSignal): Promise<void> {
    const left = (this.#start ?? 0) + this.#next - performance.now();
    return pause(Math.max(left, TIMER) / 1000, signal);
  }

  #goTo(due: number): void {
    if (due === this.#due) return;
    this.#due = due;
    const isLast = due === this.#count - 1;
    this.#next = (due + (isLast ? 0 : this.#jitter * (Math.random() - 0.5))) * this.#step;
  }
}

/** Pieces made one by one, spread as above; what is due at once goes as fast as the client takes it. */
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
 * The same bytes, spread over a duration.
 *
 * @param schedule of as many things as there are
 * @param bytesOf how many bytes so many things are
 */
export function paceBytes(
  payload: PullSource,
  schedule: Schedule,
  bytesOf: (due: number) => number,
): TimedStream {
  const { length } = payload;
  let taken = 0;
  return {
    kind: 'timed',
    next(size) {
      if (taken === length) return undefined;
      const due = Math.min(length, bytesOf(schedule.due())) - taken;
      if (due === 0) return null;
      const piece = payload.next(Math.min(size, due));
      taken += piece?.length ?? 0;
      return piece;
    },
    wait: (signal) => schedule.wait(signal),
  };
}
