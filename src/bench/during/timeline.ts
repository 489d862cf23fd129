import { Latencies, type Percentiles } from '../latencies.ts';
import { Tally, type Counts } from '../load/tally.ts';

/** Shortest bucket in milliseconds, and how many there are at most: twice as wide when there would be more. */
const BUCKET = 100;
const MAX_BUCKETS = 600;

/** Requests that were due within the same time. */
export interface Bucket {
  /** Begin in milliseconds since the command began; below 0 before it. */
  readonly at: number;
  readonly requests: number;
  readonly errors: number;
  /** Latencies in milliseconds; undefined if no request was answered. */
  readonly latency: Percentiles | undefined;
}

/** Requests before, while or after the command ran. */
export interface Phase {
  readonly requests: number;
  /** How many failed, by reason. */
  readonly errors: Readonly<Record<string, number>>;
  /** Latencies of those answered; undefined without any. */
  readonly percentiles: Percentiles | undefined;
}

/** Requests of the same bucket or phase. */
class Part {
  readonly tally = new Tally();
  readonly latencies = new Latencies();

  count(latency: number, failure: string | undefined): void {
    this.tally.count(failure);
    if (failure === undefined) this.latencies.record(latency);
  }

  add({ tally, latencies }: Part): void {
    this.tally.add(tally);
    this.latencies.add(latencies);
  }

  get phase(): Phase {
    const { requests, errors } = this.tally;
    return { requests, errors, percentiles: this.latencies.percentiles };
  }

  bucket(at: number): Bucket {
    const { requests } = this.tally;
    const { count, percentiles } = this.latencies;
    return { at, requests, errors: requests - count, latency: percentiles };
  }
}

/**
 * The requests of a load over time, in a memory that is bounded: the command may run for as long as it likes. Times are
 * those of `performance.now()`.
 */
export class Timeline {
  readonly #all = new Tally();
  readonly #phases = { before: new Part(), during: new Part(), after: new Part() };
  #buckets = new Map<number, Part>();
  /** Buckets of half the width, which are still to be added to those. */
  #narrow: (readonly [index: number, part: Part])[] = [];
  #width = BUCKET;
  /** When the bucket 0 begins. */
  readonly #zero: number;
  #begin = Infinity;
  #end = Infinity;

  /** @param begin when the command is to begin, and with it a bucket */
  constructor(begin: number) {
    this.#zero = begin;
  }

  /** To be called when the command begins, and when it has ended, before what is recorded then. */
  began(now: number): void {
    this.#begin = now;
  }

  ended(now: number): void {
    this.#end = now;
  }

  /**
   * @param due when the request was to be sent: its latency counts from there
   * @param done when it was over, which is now
   */
  record(due: number, done: number, failure: string | undefined): void {
    this.#all.count(failure);
    this.#phases[this.#phaseOf(due, done)].count(done - due, failure);
    this.#bucket(Math.floor((due - this.#zero) / this.#width)).count(done - due, failure);
    // One at a time: adding 600 takes 60 ms, in which requests would be late.
    this.#addNarrow();
    if (this.#buckets.size > MAX_BUCKETS) this.#widen();
  }

  /** Buckets of the same width, by due time. */
  buckets(): { readonly width: number; readonly buckets: readonly Bucket[] } {
    while (this.#narrow.length > 0) this.#addNarrow();
    const indexes = [...this.#buckets.keys()];
    const first = Math.min(...indexes);
    const length = indexes.length === 0 ? 0 : Math.max(...indexes) - first + 1;
    const atOf = (index: number): number => this.#zero + index * this.#width - this.#begin;
    const none = new Part();
    const buckets = Array.from({ length }, (_, at) =>
      (this.#buckets.get(first + at) ?? none).bucket(atOf(first + at)),
    );
    return { width: this.#width, buckets };
  }

  get all(): Counts {
    return this.#all;
  }

  /** Requests that were over before the command began, that it may have met, and that were due when it had ended. */
  phases(): Readonly<Record<'before' | 'during' | 'after', Phase>> {
    const { before, during, after } = this.#phases;
    return { before: before.phase, during: during.phase, after: after.phase };
  }

  #phaseOf(due: number, done: number): 'before' | 'during' | 'after' {
    if (done < this.#begin) return 'before';
    return due <= this.#end ? 'during' : 'after';
  }

  #bucket(index: number): Part {
    const bucket = this.#buckets.get(index) ?? new Part();
    this.#buckets.set(index, bucket);
    return bucket;
  }

  #widen(): void {
    while (this.#narrow.length > 0) this.#addNarrow();
    this.#narrow = [...this.#buckets];
    this.#buckets = new Map();
    this.#width *= 2;
  }

  #addNarrow(): void {
    const [index, part] = this.#narrow.pop() ?? [];
    if (index !== undefined && part) this.#bucket(Math.floor(index / 2)).add(part);
  }
}
