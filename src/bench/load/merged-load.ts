import { Latencies } from '../latencies.ts';
import type { ThreadRateLoad } from './fixed-rate.ts';
import type { ThreadFullLoad } from './full-load.ts';
import type { FullLoad, RateLoad } from './generator.ts';
import { threadLoadOf } from './thread-load.ts';

/** The full load of all threads together. */
export function mergedFull(threads: readonly ThreadFullLoad[]): FullLoad {
  return {
    requestsPerSecond: threads.reduce((sum, each) => sum + each.requestsPerSecond, 0),
    ...threadLoadOf(threads.map(({ use }) => use)),
  };
}

/** The load of all threads together at a fixed rate, of which each had a part. */
export function mergedRate(threads: readonly ThreadRateLoad[]): RateLoad {
  const lag = new Latencies();
  let [queued, count, completed] = [0, 0, 0];
  for (const each of threads) {
    lag.addHistogram(each.lag);
    queued += each.queued;
    count += each.count;
    if (each.milliseconds > 0) completed += (each.completed * 1000) / each.milliseconds;
  }
  return {
    queued: queued / count,
    completed,
    lagP99: lag.percentiles?.p99 ?? 0,
    ...threadLoadOf(threads.map(({ use }) => use)),
  };
}
