import { mapSchema, objectSchema, type JsonSchema } from '../server/schema.ts';

type Counts = Readonly<Record<string, number>>;

/** The counts of one period. */
export interface Statistics {
  readonly total_requests: number;
  /** Responses with status 2xx. */
  readonly successes: number;
  /** Responses with status 400 and above. */
  readonly failures: number;
  /** Requests by path pattern. */
  readonly endpoint_hits: Counts;
  /** Connections closed because of their PROXY header, by reason. */
  readonly proxy_faults: Counts;
  /** Connections, streams and requests that wirebin terminated, by reason. */
  readonly terminations: Counts;
}

export interface MetricsView {
  readonly all_time: Statistics;
  readonly last_hour: Statistics;
}

/** Provides the metrics of this process or of all workers. */
export interface MetricsSource {
  view(): MetricsView | Promise<MetricsView>;
}

export const EMPTY_STATISTICS: Statistics = {
  total_requests: 0,
  successes: 0,
  failures: 0,
  endpoint_hits: {},
  proxy_faults: {},
  terminations: {},
};

/** The difference between two snapshots of a process's statistics. */
export function statisticsSince(previous: Statistics, current: Statistics): Statistics {
  return {
    total_requests: current.total_requests - previous.total_requests,
    successes: current.successes - previous.successes,
    failures: current.failures - previous.failures,
    endpoint_hits: countsSince(previous.endpoint_hits, current.endpoint_hits),
    proxy_faults: countsSince(previous.proxy_faults, current.proxy_faults),
    terminations: countsSince(previous.terminations, current.terminations),
  };
}

function countsSince(previous: Counts, current: Counts): Counts {
  const increase: Record<string, number> = {};
  for (const [key, count] of Object.entries(current)) increase[key] = count - (previous[key] ?? 0);
  return increase;
}

const COUNT: JsonSchema = { type: 'integer', format: 'int64', minimum: 0 };

const statisticsSchema = objectSchema('Statistics', {
  total_requests: COUNT,
  successes: { ...COUNT, description: 'Responses with status 2xx.' },
  failures: { ...COUNT, description: 'Responses with status 400 and above.' },
  endpoint_hits: { ...mapSchema(COUNT), description: 'Requests by path pattern.' },
});

/** The JSON of `/metrics`, which only has request counts. */
export function metricsObject({ all_time, last_hour }: MetricsView): Record<string, unknown> {
  return { all_time: requestCounts(all_time), last_hour: requestCounts(last_hour) };
}

function requestCounts(statistics: Statistics): Omit<Statistics, 'proxy_faults' | 'terminations'> {
  const { total_requests, successes, failures, endpoint_hits } = statistics;
  return { total_requests, successes, failures, endpoint_hits };
}

export const metricsSchema = objectSchema('Metrics', {
  all_time: statisticsSchema,
  last_hour: statisticsSchema,
});
