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

const counts = mapSchema(COUNT);

const minuteSchema = shape({
  start: { ...TEXT, format: 'date-time' },
  requests: COUNT,
  // Requests by status class, or `none` if the client disconnected before the response.
  statuses: counts,
  // From the end of the header section to the end of the response; null if no response ended.
  duration_ms: nullable(shape({ mean: NUMBER, p50: NUMBER, p99: NUMBER })),
  connections: { ...COUNT, description: 'Accepted, once their transport is known.' },
  // Counts by kind, as in `/metrics`; terminations by reason.
  faults: counts,
  chaos: counts,
  terminations: counts,
});

/** The metrics of one minute of the history. */
export type Minute = Infer<typeof minuteSchema>;

/** The response of `/metrics/history`. */
export const historySchema = objectSchema('MetricsHistory', {
  minutes: {
    ...arrayOf(minuteSchema),
    description: 'Oldest first, at most 60; those in which nothing happened may be missing.',
  },
});

export type History = Infer<typeof historySchema>;
