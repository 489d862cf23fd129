import { createHistogram } from 'node:perf_hooks';

const NANOSECONDS = 1e6;

/** Percentiles in milliseconds. */
export interface Percentiles {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly p99_9: number;
  readonly max: number;
}

/** Latencies in a histogram of bounded size, whose percentiles are exact to 0.1 %. */
export class Latencies {
  readonly #nanoseconds = createHistogram();

  /** @param milliseconds zero is recorded as a nanosecond, the least that the histogram has */
  record(milliseconds: number): void {
    this.#nanoseconds.record(Math.max(1, Math.round(milliseconds * NANOSECONDS)));
  }

  /** Records all of another. */
  add(other: Latencies): void {
    // A histogram without values has no minimum, which would be recorded as one.
    if (other.#nanoseconds.count > 0) this.#nanoseconds.add(other.#nanoseconds);
  }

  /** Undefined if none was recorded. */
  get percentiles(): Percentiles | undefined {
    if (this.#nanoseconds.count === 0) return undefined;
    const at = (percent: number): number => this.#nanoseconds.percentile(percent) / NANOSECONDS;
    return { p50: at(50), p90: at(90), p99: at(99), p99_9: at(99.9), max: at(100) };
  }
}
