import type { Endpoint } from '../http/endpoint.ts';

/** What `/metrics` says of a period. */
export interface Statistics {
  readonly total_requests: number;
  readonly successes: number;
  readonly failures: number;
  readonly endpoint_hits: Record<string, number>;
}

const OTHER = '/other';
const MINUTE = 60_000;
const BUCKETS = 60;

/** The metrics key of an endpoint: `/bytes/{n}` is counted as `/bytes/:n`. */
export function metricsKey(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}

/** Counters of one period. */
class Tally {
  total = 0;
  successes = 0;
  failures = 0;
  readonly hits = new Map<string, number>();

  count(key: string, status: number | undefined): void {
    this.total++;
    if (status !== undefined && status >= 200 && status < 300) this.successes++;
    else if (status !== undefined && status >= 400) this.failures++;
    this.hits.set(key, (this.hits.get(key) ?? 0) + 1);
  }

  add(other: Tally): void {
    this.total += other.total;
    this.successes += other.successes;
    this.failures += other.failures;
    for (const [key, hits] of other.hits) this.hits.set(key, (this.hits.get(key) ?? 0) + hits);
  }

  view(): Statistics {
    return {
      total_requests: this.total,
      successes: this.successes,
      failures: this.failures,
      endpoint_hits: Object.fromEntries(this.hits),
    };
  }
}

/**
 * Request counts since the start and over the last sixty minutes, which are one bucket a minute of
 * a monotonic clock: the wall clock may jump.
 */
export class Metrics {
  readonly #allTime = new Tally();
  readonly #minutes: (Tally | undefined)[] = Array.from({ length: BUCKETS });
  readonly #now: () => number;
  #minute: number;

  /** @param now a monotonic clock, in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#minute = Math.floor(now() / MINUTE);
  }

  /** @param status undefined when the client went before there was an answer */
  count(endpoint: Endpoint | undefined, status: number | undefined): void {
    const key = endpoint ? metricsKey(endpoint.path) : OTHER;
    this.#allTime.count(key, status);
    this.#advance();
    const slot = this.#minute % BUCKETS;
    (this.#minutes[slot] ??= new Tally()).count(key, status);
  }

  view(): { readonly all_time: Statistics; readonly last_hour: Statistics } {
    this.#advance();
    const hour = new Tally();
    for (const minute of this.#minutes) if (minute) hour.add(minute);
    return { all_time: this.#allTime.view(), last_hour: hour.view() };
  }

  /** Empties the buckets that the clock has passed since the last call. */
  #advance(): void {
    const minute = Math.floor(this.#now() / MINUTE);
    const passed = Math.min(minute - this.#minute, BUCKETS);
    for (let step = 1; step <= passed; step++)
      this.#minutes[(this.#minute + step) % BUCKETS] = undefined;
    this.#minute = minute;
  }
}
