import type { Latencies } from '../latencies.ts';

/** A load at a rate, as it was measured. */
export interface Trial {
  /** Requests per second that were asked for. */
  readonly rate: number;
  /** Requests per second that were responded to or failed, in the time of the load. */
  readonly completed: number;
  readonly requests: number;
  readonly errors: number;
  /** Of successful requests, from when each was due. */
  readonly latencies: Latencies;
  /** How late the load generator sent requests that did not wait for a slot: 99th percentile, in milliseconds. */
  readonly lagP99: number;
  /** Share of the requests that waited for a slot. */
  readonly queued: number;
  /** Share of the time in which other processes kept the load generator from running. */
  readonly waited: number;
  /** Share of the time in which any process of the machine of the load waited for a core; undefined if not known. */
  readonly pressure: number | undefined;
  /** Length of the load, in seconds. */
  readonly seconds: number;
}

/** Share of the rate below which a side does not keep it. */
const KEPT = 0.98;

/**
 * Whether a side does what is asked for, to one request. Without a limit of the latency, nothing else tells that it does
 * not.
 *
 * @param late milliseconds by which the load generator may have been late itself
 */
export const isKept = (
  { completed, rate, seconds }: Pick<Trial, 'completed' | 'rate' | 'seconds'>,
  late = 0,
): boolean => completed >= rate * (KEPT - late / (seconds * 1000)) - 1 / seconds;

/**
 * A percentile of the latencies, in milliseconds, of all requests: one that failed is taken for slower than any other.
 *
 * @param percent from 0 to 100
 */
export function latencyAt(
  { latencies, requests, errors }: Pick<Trial, 'latencies' | 'requests' | 'errors'>,
  percent: number,
): number {
  const share = (percent * requests) / (requests - errors);
  return share <= 100 ? latencies.at(share) : Infinity;
}
