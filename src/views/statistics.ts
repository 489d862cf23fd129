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

/** The metrics object; plain data, so that those of several processes can be added up. */
export interface MetricsView {
  readonly all_time: Statistics;
  readonly last_hour: Statistics;
}

/** The sum of several processes' metrics. */
export function addUp(views: readonly MetricsView[]): MetricsView {
  return {
    all_time: sumOf(views.map((view) => view.all_time)),
    last_hour: sumOf(views.map((view) => view.last_hour)),
  };
}

function sumOf(periods: readonly Statistics[]): Statistics {
  const sum = { total_requests: 0, successes: 0, failures: 0 };
  const hits: Record<string, number> = {};
  for (const period of periods) {
    sum.total_requests += period.total_requests;
    sum.successes += period.successes;
    sum.failures += period.failures;
    for (const [key, count] of Object.entries(period.endpoint_hits)) {
      hits[key] = (hits[key] ?? 0) + count;
    }
  }
  return { ...sum, endpoint_hits: hits };
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
