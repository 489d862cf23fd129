import type { TargetOptions } from '../../check/target.ts';
import type { Latencies } from '../latencies.ts';
import type { Protocol } from '../protocol.ts';
import type { LoadRequests } from './load-connection.ts';
import type { Concurrency } from './slots.ts';
import type { Counts } from './tally.ts';
import type { ThreadLoad } from './thread-load.ts';

/** What is loaded, and with which requests. */
export interface LoadPlan {
  readonly target: TargetOptions;
  readonly protocol: Protocol;
  /** What is sent, each by its weight. */
  readonly requests: LoadRequests;
  readonly concurrency: Concurrency;
  /** Whether connections resume TLS sessions. */
  readonly isResumed: boolean;
  /** Limit of each request, in milliseconds. */
  readonly timeout: number;
}

export interface LoadTimes {
  readonly seconds: number;
  /** Seconds at the beginning that are not measured. */
  readonly warmUp: number;
}

/** What was done at full load. */
export interface FullLoad extends ThreadLoad {
  readonly requestsPerSecond: number;
}

/** How the requests of a fixed rate were sent. */
export interface RateLoad extends ThreadLoad {
  /** Share of the requests that waited for a slot. */
  readonly queued: number;
  /** Requests per second that were sent, and responded to or failed, in the measured time. */
  readonly completed: number;
  /**
   * 99th percentile of how long the load generator itself was late, in milliseconds: from when a request was due, and
   * did not have to wait for a slot, until it was sent; 0 if all waited.
   */
  readonly lagP99: number;
}

/** The results of all requests of a load. */
export interface Finished extends Counts {
  /** Of the measured requests of a fixed rate that succeeded, from when each was due. */
  readonly latencies: Latencies;
}

/**
 * A load: its connections are opened, then `full` or `fixed` is called, then `finish`. `close` ends it at any time, and
 * so does the signal.
 */
export interface Generator {
  /** Opens the connections. A connection that cannot be opened fails the first request on it. */
  open(): Promise<void>;
  /** A closed loop: each slot sends its next request when it has received the response. */
  full(times: LoadTimes): Promise<FullLoad>;
  /** An open loop: requests are sent when they are due. @param rate in requests per second */
  fixed(times: LoadTimes, rate: number): Promise<RateLoad>;
  /** Waits until no request is in flight. @returns the results of all requests */
  finish(): Promise<Finished>;
  close(): void;
}
