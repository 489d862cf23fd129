import { mapSchema, objectSchema, type JsonSchema } from '../http/schema.ts';

/** What `/metrics` says of a period. */
export interface Statistics {
  readonly total_requests: number;
  /** Answers of 2xx. */
  readonly successes: number;
  /** Answers of 400 and above. */
  readonly failures: number;
  /** Requests by path pattern. */
  readonly endpoint_hits: Readonly<Record<string, number>>;
}

/** The metrics object. */
export interface MetricsView {
  readonly all_time: Statistics;
  readonly last_hour: Statistics;
}

/** Where the metrics object comes from: this process, or the one that asks all. */
export interface MetricsSource {
  view(): MetricsView | Promise<MetricsView>;
}

/** The counts of nothing. */
export const NO_STATISTICS: Statistics = {
  total_requests: 0,
  successes: 0,
  failures: 0,
  endpoint_hits: {},
};

/** What came to a process's counts between two looks at them. */
export function growthOf(before: Statistics, after: Statistics): Statistics {
  const hits: Record<string, number> = {};
  for (const [key, count] of Object.entries(after.endpoint_hits)) {
    hits[key] = count - (before.endpoint_hits[key] ?? 0);
  }
  return {
    total_requests: after.total_requests - before.total_requests,
    successes: after.successes - before.successes,
    failures: after.failures - before.failures,
    endpoint_hits: hits,
  };
}

const COUNT: JsonSchema = { type: 'integer', format: 'int64', minimum: 0 };

const statisticsSchema = objectSchema('Statistics', {
  total_requests: COUNT,
  successes: { ...COUNT, description: 'Answers of 2xx.' },
  failures: { ...COUNT, description: 'Answers of 400 and above.' },
  endpoint_hits: { ...mapSchema(COUNT), description: 'Requests by path pattern.' },
});

/** The metrics object (service description, 2.3). */
export const metricsSchema = objectSchema('Metrics', {
  all_time: statisticsSchema,
  last_hour: statisticsSchema,
});
