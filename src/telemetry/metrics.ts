import { Problem } from '../http/problem.ts';
import type { Connection } from '../net/connection.ts';
import type { Endpoint } from '../server/endpoint.ts';
import type { Exchange } from '../server/exchange.ts';
import type { ExchangeObserver } from '../server/observer.ts';
import { InvalidProxyHeader } from '../net/proxy-protocol/header.ts';
import type { TerminationReason } from '../net/close-reason.ts';
import type { MetricsView, Statistics } from './statistics.ts';

/** Key of all requests without an endpoint, so that clients cannot create arbitrary keys. */
const OTHER = '/other';
const OTHER_SLOT = 0;
const MINUTE = 60_000;
const MINUTES_PER_HOUR = 60;

/** Converts a path pattern to its metrics key: `/bytes/{n}` becomes `/bytes/:n`. */
export function metricsKey(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}

/** The counts of a period. Counting a request takes one or two increments. */
class Tally {
  successes = 0;
  failures = 0;
  /** Requests by slot of the metrics key. Trailing slots may be missing. */
  readonly hits: number[] = [];
  readonly proxyFaults = new Map<string, number>();
  readonly terminations = new Map<string, number>();

  add(other: Tally): void {
    this.successes += other.successes;
    this.failures += other.failures;
    for (const [slot, count] of other.hits.entries()) {
      this.hits[slot] = (this.hits[slot] ?? 0) + (count ?? 0);
    }
    addTo(this.proxyFaults, other.proxyFaults);
    addTo(this.terminations, other.terminations);
  }
}

function addTo(
  sums: Map<string, number>,
  counts: Iterable<readonly [reason: string, count: number]>,
): void {
  for (const [reason, count] of counts) sums.set(reason, (sums.get(reason) ?? 0) + count);
}

/**
 * Request counts since the start and for the last 60 minutes. The hour has one bucket per minute of a
 * monotonic clock (the wall clock can jump). A request is counted only in its bucket; expired buckets
 * are added to `#past`.
 */
export class Metrics implements ExchangeObserver {
  readonly #now: () => number;
  readonly #past = new Tally();
  /** Buckets of the last hour, oldest first, with the number of their minute. At most 60. */
  #hour: { readonly minute: number; readonly tally: Tally }[] = [];
  #current = new Tally();
  /** End of the current minute. */
  #minuteEnd = -Infinity;
  readonly #keys = [OTHER];
  readonly #slots = new Map<Endpoint | undefined, number>([[undefined, OTHER_SLOT]]);

  /** @param now a monotonic clock, in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  responded({ endpoint }: Exchange, status: number | undefined): void {
    this.count(endpoint, status);
  }

  /** Counts a message that has a response, and a connection closed for its PROXY header. */
  rejected(_connection: Connection, error: Error): void {
    if (error instanceof Problem) this.count(undefined, error.status);
    else if (error instanceof InvalidProxyHeader)
      addTo(this.#minute().proxyFaults, [[error.fault, 1]]);
  }

  terminated(reason: TerminationReason): void {
    addTo(this.#minute().terminations, [[reason, 1]]);
  }

  /**
   * Counts a request.
   *
   * @param endpoint undefined if no endpoint matches, or the message was rejected by the parser
   * @param status undefined if the client disconnected before the response
   */
  count(endpoint: Endpoint | undefined, status: number | undefined): void {
    const tally = this.#minute();
    const { hits } = tally;
    const slot = this.#slots.get(endpoint) ?? this.#addSlot(endpoint);
    hits[slot] = (hits[slot] ?? 0) + 1;
    if (status === undefined) return;
    if (status >= 400) tally.failures++;
    else if (status >= 200 && status < 300) tally.successes++;
  }

  /** Adds statistics of another process to the current minute. */
  add({ successes, failures, endpoint_hits, proxy_faults, terminations }: Statistics): void {
    const tally = this.#minute();
    for (const [key, count] of Object.entries(endpoint_hits)) {
      const slot = this.#slotOf(key);
      tally.hits[slot] = (tally.hits[slot] ?? 0) + count;
    }
    tally.successes += successes;
    tally.failures += failures;
    addTo(tally.proxyFaults, Object.entries(proxy_faults));
    addTo(tally.terminations, Object.entries(terminations));
  }

  view(): MetricsView {
    this.#minute();
    const hour = new Tally();
    for (const { tally } of this.#hour) hour.add(tally);
    const all = new Tally();
    all.add(this.#past);
    all.add(hour);
    return { all_time: this.#statistics(all), last_hour: this.#statistics(hour) };
  }

  /** The bucket of the current minute. */
  #minute(): Tally {
    const now = this.#now();
    if (now >= this.#minuteEnd) this.#advance(now);
    return this.#current;
  }

  /** Starts the bucket for `now`, and moves buckets older than an hour to `#past`. */
  #advance(now: number): void {
    const minute = Math.floor(now / MINUTE);
    const kept = this.#hour.findIndex((bucket) => bucket.minute > minute - MINUTES_PER_HOUR);
    const expired = this.#hour.splice(0, kept < 0 ? this.#hour.length : kept);
    for (const { tally } of expired) this.#past.add(tally);
    this.#current = new Tally();
    this.#hour.push({ minute, tally: this.#current });
    this.#minuteEnd = (minute + 1) * MINUTE;
  }

  /** Endpoints with the same path share a slot. */
  #addSlot(endpoint: Endpoint | undefined): number {
    const slot = this.#slotOf(endpoint ? metricsKey(endpoint.path) : OTHER);
    this.#slots.set(endpoint, slot);
    return slot;
  }

  #slotOf(key: string): number {
    const slot = this.#keys.indexOf(key);
    return slot < 0 ? this.#keys.push(key) - 1 : slot;
  }

  #statistics({ successes, failures, hits, proxyFaults, terminations }: Tally): Statistics {
    let total = 0;
    const endpointHits: Record<string, number> = {};
    for (const [slot, count] of hits.entries()) {
      const key = this.#keys[slot];
      if (key === undefined || !count) continue;
      endpointHits[key] = count;
      total += count;
    }
    return {
      total_requests: total,
      successes,
      failures,
      endpoint_hits: endpointHits,
      proxy_faults: Object.fromEntries(proxyFaults),
      terminations: Object.fromEntries(terminations),
    };
  }
}
