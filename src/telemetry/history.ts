import { toMicrosecond } from '../server/duration.ts';
import {
  arrayOf,
  COUNT,
  mapSchema,
  nullable,
  NUMBER,
  objectSchema,
  shape,
  TEXT,
  type Infer,
} from '../server/schema.ts';
import { addDurations, noDurations, quantile } from './durations.ts';
import { addEach, type MetricsView, type Statistics } from './statistics.ts';

const SECOND = 1000;
const counts = mapSchema(COUNT);

const minuteSchema = shape({
  start: { ...TEXT, format: 'date-time' },
  requests: COUNT,
  // By class of status; `none` if the client disconnected before the response.
  statuses: counts,
  // From the end of the header section to the end of the response; null if none has ended.
  duration_ms: nullable(shape({ mean: NUMBER, p50: NUMBER, p99: NUMBER })),
  connections: { ...COUNT, description: 'Accepted, once their transport is known.' },
  // By kind, as in `/metrics`; terminations by reason.
  faults: counts,
  chaos: counts,
  terminations: counts,
});

/** The response of `/metrics/history`. */
export const historySchema = objectSchema('MetricsHistory', {
  minutes: {
    ...arrayOf(minuteSchema),
    description: 'Oldest first, at most 60; those in which nothing happened may be missing.',
  },
});
export type History = Infer<typeof historySchema>;

/** Provides the metrics of this process or of all workers. */
export interface MetricsSource {
  view(): MetricsView | Promise<MetricsView>;
  history(): History | Promise<History>;
}

/** @param start of the minute, in milliseconds since the epoch */
export function minuteView(start: number, counted: Statistics): Infer<typeof minuteSchema> {
  const statuses: Record<string, number> = {};
  const durations = noDurations();
  for (const transport of Object.values(counted.transports)) {
    addEach(statuses, transport.statuses);
    addDurations(durations, transport.durations);
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
