import { toMicrosecond } from '../server/timing.ts';
import { addNumbers, noDurations, quantile } from './durations.ts';
import type { History, Minute } from './history-schema.ts';
import type { MetricsView, Statistics } from './statistics.ts';

const SECOND = 1000;

/** Source of metrics: of this process, or of all workers. */
export interface MetricsSource {
  view(): MetricsView | Promise<MetricsView>;
  history(): History | Promise<History>;
}

/** @param start start of the minute, in milliseconds since the epoch */
export function minuteView(start: number, counted: Statistics): Minute {
  const statuses: Record<string, number> = {};
  const durations = noDurations();
  for (const transport of Object.values(counted.transports)) {
    addNumbers(statuses, transport.statuses);
    addNumbers(durations, transport.durations);
  }
  const finished = sumOf(durations.counts);
  const { total_requests: requests, faults, chaos, terminations } = counted;
  return {
    start: new Date(start).toISOString(),
    requests,
    statuses,
    duration_ms:
      finished === 0
        ? null
        : {
            mean: toMicrosecond(durations.sum_us / finished / 1000),
            p50: toMicrosecond(quantile(durations, 0.5) * SECOND),
            p99: toMicrosecond(quantile(durations, 0.99) * SECOND),
          },
    connections: sumOf(Object.values(counted.connections)),
    faults,
    chaos,
    terminations,
  };
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
