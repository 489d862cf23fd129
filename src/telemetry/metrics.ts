import type { Endpoint } from '../server/endpoint.ts';
import type { ProxyHeaderError } from '../net/proxy-protocol/header.ts';
import type { TerminationReason } from '../net/close-reason.ts';
import type { MetricsView, Statistics } from './statistics.ts';

/** Counts what has no endpoint, whatever its path: hostile traffic cannot make keys. */
const OTHER = '/other';
const OTHER_SLOT = 0;
const MINUTE = 60_000;
const MINUTES = 60;

/** The metrics key of an endpoint: `/bytes/{n}` is counted as `/bytes/:n`. */
export function metricsKey(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}

/** Counts of one minute, or of all that are past; every request is one increment or two. */
class Tally {
  successes = 0;
  failures = 0;
  /** By the key's slot; shorter where the later keys were not hit. */
  readonly hits: number[] = [];
  readonly proxyFaults = new Map<string, number>();
  readonly cuts = new Map<string, number>();

  add(other: Tally): void {
    this.successes += other.successes;
    this.failures += other.failures;
    for (const [slot, count] of other.hits.entries()) {
      this.hits[slot] = (this.hits[slot] ?? 0) + (count ?? 0);
    }
    addTo(this.proxyFaults, other.proxyFaults);
    addTo(this.cuts, other.cuts);
  }
}

function addTo(
  sums: Map<string, number>,
  counts: Iterable<readonly [reason: string, count: number]>,
): void {
  for (const [reason, count] of counts) sums.set(reason, (sums.get(reason) ?? 0) + count);
}

/**
 * Request counts since the start and over the last sixty minutes, which are one bucket a minute of
 * a monotonic clock: the wall clock may jump. A request is counted in its minute alone; what falls
 * out of the hour is added to the past.
 */
export class Metrics {
  readonly #now: () => number;
  readonly #past = new Tally();
  /** Oldest first, at most sixty, each with the number of its minute. */
  #hour: { readonly minute: number; readonly tally: Tally }[] = [];
  #current = new Tally();
  /** When the current minute is over. */
  #until = -Infinity;
  readonly #keys = [OTHER];
  readonly #slots = new Map<Endpoint | undefined, number>([[undefined, OTHER_SLOT]]);

  /** @param now a monotonic clock, in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /**
   * Counts a request.
   *
   * @param endpoint undefined where no endpoint has the path, or the message was never a request
   * @param status undefined when the client went before there was an answer
   */
  count(endpoint: Endpoint | undefined, status: number | undefined): void {
    const now = this.#now();
    if (now >= this.#until) this.#advance(now);
    const { hits } = this.#current;
    const slot = this.#slots.get(endpoint) ?? this.#addSlot(endpoint);
    hits[slot] = (hits[slot] ?? 0) + 1;
    if (status === undefined) return;
    if (status >= 400) this.#current.failures++;
    else if (status >= 200 && status < 300) this.#current.successes++;
  }

  /** Counts a connection that was closed for its PROXY header. */
  countProxyFault(fault: ProxyHeaderError): void {
    const now = this.#now();
    if (now >= this.#until) this.#advance(now);
    addTo(this.#current.proxyFaults, [[fault, 1]]);
  }

  /** Counts a connection, or a stream, that was cut. */
  countCut(reason: TerminationReason): void {
    const now = this.#now();
    if (now >= this.#until) this.#advance(now);
    addTo(this.#current.cuts, [[reason, 1]]);
  }

  /** Counts in this minute what another process has counted since it was last asked. */
  add({ successes, failures, endpoint_hits, proxy_faults, cuts }: Statistics): void {
    const now = this.#now();
    if (now >= this.#until) this.#advance(now);
    const { hits } = this.#current;
    for (const [key, count] of Object.entries(endpoint_hits)) {
      const slot = this.#slotOf(key);
      hits[slot] = (hits[slot] ?? 0) + count;
    }
    this.#current.successes += successes;
    this.#current.failures += failures;
    addTo(this.#current.proxyFaults, Object.entries(proxy_faults));
    addTo(this.#current.cuts, Object.entries(cuts));
  }

  view(): MetricsView {
    const now = this.#now();
    if (now >= this.#until) this.#advance(now);
    const hour = new Tally();
    for (const { tally } of this.#hour) hour.add(tally);
    const all = new Tally();
    all.add(this.#past);
    all.add(hour);
    return { all_time: this.#statistics(all), last_hour: this.#statistics(hour) };
  }

  /** Begins the minute that `now` is in, and lets go of those it leaves more than an hour behind. */
  #advance(now: number): void {
    const minute = Math.floor(now / MINUTE);
    const stays = this.#hour.findIndex((bucket) => bucket.minute > minute - MINUTES);
    const left = this.#hour.splice(0, stays < 0 ? this.#hour.length : stays);
    for (const { tally } of left) this.#past.add(tally);
    this.#current = new Tally();
    this.#hour.push({ minute, tally: this.#current });
    this.#until = (minute + 1) * MINUTE;
  }

  /** Endpoints of one path share a slot. */
  #addSlot(endpoint: Endpoint | undefined): number {
    const slot = this.#slotOf(endpoint ? metricsKey(endpoint.path) : OTHER);
    this.#slots.set(endpoint, slot);
    return slot;
  }

  #slotOf(key: string): number {
    const known = this.#keys.indexOf(key);
    return known < 0 ? this.#keys.push(key) - 1 : known;
  }

  #statistics({ successes, failures, hits, proxyFaults, cuts }: Tally): Statistics {
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
      cuts: Object.fromEntries(cuts),
    };
  }
}
