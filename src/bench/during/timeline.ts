import { Latencies, type Percentiles } from '../latencies.ts';
import { quantile } from '../ratio.ts';
import { Tally } from '../load/tally.ts';

/** Shortest bucket in milliseconds, and how many there are at most: longer runs have wider ones. */
const BUCKET = 100;
const MAX_BUCKETS = 600;

/** Requests that were due within the same time. */
export interface Bucket {
  /** Begin in milliseconds since the command began; below 0 before it. */
  readonly at: number;
  readonly requests: number;
  readonly errors: number;
  /** Latencies in milliseconds; undefined if no request was answered. */
  readonly latency: Pick<Percentiles, 'p50' | 'p99' | 'max'> | undefined;
}

/** Requests before, while or after the command ran. */
export interface Phase {
  readonly requests: number;
  /** How many failed, by reason. */
  readonly errors: Readonly<Record<string, number>>;
  /** Latencies of those answered; undefined without any. */
  readonly percentiles: Percentiles | undefined;
}

/** When the command ran, in milliseconds. */
export interface Span {
  readonly begin: number;
  readonly end: number;
}

interface Outcome {
  readonly due: number;
  readonly done: number;
  readonly failure: string | undefined;
}

/** The requests of a load over time. Times are those of `performance.now()`. */
export class Timeline {
  readonly #outcomes: Outcome[] = [];

  /** @param due when the request was to be sent: its latency counts from there */
  record(due: number, done: number, failure: string | undefined): void {
    this.#outcomes.push({ due, done, failure });
  }

  /** Buckets of the same width, by due time, of which one begins with the command. */
  buckets({ begin }: Span): { readonly width: number; readonly buckets: readonly Bucket[] } {
    const dues = this.#outcomes.map(({ due }) => due - begin);
    // Not by spread: there may be more than a call has arguments.
    const first = dues.reduce((low, due) => Math.min(low, due), Infinity);
    const last = dues.reduce((high, due) => Math.max(high, due), -Infinity);
    const width = BUCKET * Math.max(1, Math.ceil((last - first) / BUCKET / MAX_BUCKETS));
    const indexOf = (due: number): number => Math.floor(due / width);
    const length = dues.length === 0 ? 0 : indexOf(last) - indexOf(first) + 1;
    const grouped = Array.from({ length }, (): Outcome[] => []);
    for (const outcome of this.#outcomes) {
      grouped[indexOf(outcome.due - begin) - indexOf(first)]?.push(outcome);
    }
    const buckets = grouped.map((group, at) => bucketOf((indexOf(first) + at) * width, group));
    return { width, buckets };
  }

  get all(): Phase {
    return phaseOf(this.#outcomes);
  }

  /** Requests that were over before the command began, that it may have met, and that were due when it had ended. */
  phases({ begin, end }: Span): Readonly<Record<'before' | 'during' | 'after', Phase>> {
    const of = (isPart: (outcome: Outcome) => boolean): Phase =>
      phaseOf(this.#outcomes.filter(isPart));
    return {
      before: of(({ done }) => done < begin),
      during: of(({ due, done }) => done >= begin && due <= end),
      after: of(({ due, done }) => done >= begin && due > end),
    };
  }
}

function bucketOf(at: number, outcomes: readonly Outcome[]): Bucket {
  const answered = outcomes.filter(({ failure }) => failure === undefined);
  const latencies = answered.map(({ due, done }) => done - due);
  const of = (share: number): number => quantile(latencies, share);
  return {
    at,
    requests: outcomes.length,
    errors: outcomes.length - answered.length,
    latency: answered.length > 0 ? { p50: of(0.5), p99: of(0.99), max: of(1) } : undefined,
  };
}

function phaseOf(outcomes: readonly Outcome[]): Phase {
  const [tally, latencies] = [new Tally(), new Latencies()];
  for (const { due, done, failure } of outcomes) {
    tally.count(failure);
    if (failure === undefined) latencies.record(done - due);
  }
  return { requests: tally.requests, errors: tally.errors, percentiles: latencies.percentiles };
}
