import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';

const NANOSECONDS = 1e6;

/** Percentages at which steps end: the closer, the slower the latencies are. */
const STEP_ENDS = [
  ...Array.from({ length: 90 }, (_, at) => at + 1),
  ...Array.from({ length: 36 }, (_, at) => 90 + (at + 1) / 4),
  ...Array.from({ length: 20 }, (_, at) => 99 + (at + 1) / 20),
];

/** Percentiles in milliseconds. */
export interface Percentiles {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly p99_9: number;
  readonly max: number;
}

/** Values that are near each other: one of them, in milliseconds, and how many they are. */
export interface LatencyStep {
  readonly value: number;
  readonly count: number;
}

/** Latencies in a histogram of bounded size, whose percentiles are exact to 0.1 %. */
export class Latencies {
  readonly #nanoseconds = createHistogram();
  #steps: readonly LatencyStep[] = [];

  /** @param milliseconds recorded with a precision of nanoseconds, of which 1 is the minimum */
  record(milliseconds: number): void {
    this.#nanoseconds.record(Math.max(1, Math.round(milliseconds * NANOSECONDS)));
  }

  /** Adds all values of others. */
  add(other: Latencies): void {
    this.addHistogram(other.histogram);
  }

  /** Adds all values of the histogram of others, such as those of another thread. */
  addHistogram(histogram: RecordableHistogram): void {
    // An empty histogram has no minimum, for which a wrong value would be added.
    if (histogram.count > 0) this.#nanoseconds.add(histogram);
  }

  /** The values in nanoseconds. */
  get histogram(): RecordableHistogram {
    return this.#nanoseconds;
  }

  get count(): number {
    return this.#nanoseconds.count;
  }

  /** Mean in milliseconds; NaN without values. */
  get mean(): number {
    return this.#nanoseconds.mean / NANOSECONDS;
  }

  /** Standard deviation in milliseconds; NaN without values. */
  get deviation(): number {
    return this.#nanoseconds.stddev / NANOSECONDS;
  }

  /** A percentile in milliseconds. @param percent above 0, up to 100 @returns Infinity without values */
  at(percent: number): number {
    return this.count === 0 ? Infinity : this.#nanoseconds.percentile(percent) / NANOSECONDS;
  }

  /** The distribution in some 150 steps, which takes less time to go through than a histogram; all values, if they are few. */
  get steps(): readonly LatencyStep[] {
    const { count: all } = this;
    if (this.#steps.reduce((sum, { count }) => sum + count, 0) !== all) {
      const ends = STEP_ENDS.map((end) => Math.round((end * all) / 100));
      this.#steps = [...new Set(ends)].flatMap((end, at, { [at - 1]: start = 0 }) =>
        end === start
          ? []
          : { value: this.at((100 * Math.ceil((start + 1 + end) / 2)) / all), count: end - start },
      );
    }
    return this.#steps;
  }

  /** undefined without values. */
  get percentiles(): Percentiles | undefined {
    if (this.count === 0) return undefined;
    return {
      p50: this.at(50),
      p90: this.at(90),
      p99: this.at(99),
      p99_9: this.at(99.9),
      max: this.at(100),
    };
  }
}
