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

  /** @param milliseconds recorded with a precision of nanoseconds, of which 1 is the minimum */
  record(milliseconds: number): void {
    this.#nanoseconds.record(Math.max(1, Math.round(milliseconds * NANOSECONDS)));
  }

  /** Adds all values of another histogram. */
  add(other: Latencies): void {
    // An empty histogram has no minimum, for which a wrong value would be added.
    if (other.#nanoseconds.count > 0) this.#nanoseconds.add(other.#nanoseconds);
  }

  /** undefined without values. */
  get percentiles(): Percentiles | undefined {
    if (this.#nanoseconds.count === 0) return undefined;
    const at = (percent: number): number => this.#nanoseconds.percentile(percent) / NANOSECONDS;
    return { p50: at(50), p90: at(90), p99: at(99), p99_9: at(99.9), max: at(100) };
  }
}
