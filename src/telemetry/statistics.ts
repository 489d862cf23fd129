import { mapSchema, objectSchema, type JsonSchema } from '../server/schema.ts';

type Counts = Readonly<Record<string, number>>;

/** What is counted in a period. */
export interface Statistics {
  readonly total_requests: number;
  /** Answers of 2xx. */
  readonly successes: number;
  /** Answers of 400 and above. */
  readonly failures: number;
  /** Requests by path pattern. */
  readonly endpoint_hits: Counts;
  /** Connections closed for their PROXY header, by reason. */
  readonly proxy_faults: Counts;
  /** Connections and streams that were cut, by reason. */
  readonly cuts: Counts;
}

/** What is counted, by period. */
export interface MetricsView {
  readonly all_time: Statistics;
  readonly last_hour: Statistics;
}

/** Where the counts come from: this process, or the one that asks all. */
export interface MetricsSource {
  view(): MetricsView | Promise<MetricsView>;
}

/** The counts of nothing. */
export const NO_STATISTICS: Statistics = {
  total_requests: 0,
  successes: 0,
  failures: 0,
  endpoint_hits: {},
  proxy_faults: {},
  cuts: {},
};

/** What came to a process's counts between two looks at them. */
export function growthOf(before: Statistics, after: Statistics): Statistics {
  return {
    total_requests: after.total_requests - before.total_requests,
    successes: after.successes - before.successes,
    failures: after.failures - before.failures,
    endpoint_hits: growthByKey(before.endpoint_hits, after.endpoint_hits),
    proxy_faults: growthByKey(before.proxy_faults, after.proxy_faults),
    cuts: growthByKey(before.cuts, after.cuts),
  };
}

function growthByKey(before: Counts, after: Counts): Counts {
  const growth: Record<string, number> = {};
  for (const [key, count] of Object.entries(after)) growth[key] = count - (before[key] ?? 0);
  return growth;
}

const COUNT: JsonSchema = { type: 'integer', format: 'int64', minimum: 0 };

const statisticsSchema = objectSchema('Statistics', {
  total_requests: COUNT,
  successes: { ...COUNT, description: 'Answers of 2xx.' },
  failures: { ...COUNT, description: 'Answers of 400 and above.' },
  endpoint_hits: { ...mapSchema(COUNT), description: 'Requests by path pattern.' },
});

/** The metrics object (service description, 2.3): of requests, and of nothing else. */
export function metricsObject({ all_time, last_hour }: MetricsView): Record<string, unknown> {
  return { all_time: requestsOf(all_time), last_hour: requestsOf(last_hour) };
}

function requestsOf(statistics: Statistics): Omit<Statistics, 'proxy_faults' | 'cuts'> {
  const { total_requests, successes, failures, endpoint_hits } = statistics;
  return { total_requests, successes, failures, endpoint_hits };
}

/** Describes it. */
export const metricsSchema = objectSchema('Metrics', {
  all_time: statisticsSchema,
  last_hour: statisticsSchema,
});
