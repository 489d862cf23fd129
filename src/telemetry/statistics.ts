import { COUNT, mapSchema, objectSchema, shape, type Infer } from '../server/schema.ts';

const LONG_COUNT = { ...COUNT, format: 'int64' };
const counts = mapSchema(LONG_COUNT);

const requestCounts = {
  total_requests: LONG_COUNT,
  successes: { ...LONG_COUNT, description: 'Responses with status 2xx.' },
  failures: { ...LONG_COUNT, description: 'Responses with status 400 and above.' },
  endpoint_hits: { ...counts, description: 'Requests by path pattern.' },
  faults: { ...counts, description: 'Faults that requests asked for, by kind.' },
  chaos: { ...counts, description: 'Requests disturbed by --chaos, by kind.' },
};

/** The counts of one period. */
export const statisticsSchema = shape({
  ...requestCounts,
  // Connections closed because of their PROXY header, by reason.
  proxy_faults: counts,
  // Connections, streams and requests that wirebin terminated, by reason.
  terminations: counts,
});
export type Statistics = Infer<typeof statisticsSchema>;

export const metricsViewSchema = shape({ all_time: statisticsSchema, last_hour: statisticsSchema });
export type MetricsView = Infer<typeof metricsViewSchema>;

/** Provides the metrics of this process or of all workers. */
export interface MetricsSource {
  view(): MetricsView | Promise<MetricsView>;
}

/** A mutable sum. */
export type Tally = { -readonly [Name in keyof Statistics]: Statistics[Name] };

export function emptyStatistics(): Tally {
  return {
    total_requests: 0,
    successes: 0,
    failures: 0,
    endpoint_hits: {},
    faults: {},
    chaos: {},
    proxy_faults: {},
    terminations: {},
  };
}

export function addStatistics(sum: Tally, more: Statistics): void {
  sum.total_requests += more.total_requests;
  sum.successes += more.successes;
  sum.failures += more.failures;
  addEach(sum.endpoint_hits, more.endpoint_hits);
  addEach(sum.faults, more.faults);
  addEach(sum.chaos, more.chaos);
  addEach(sum.proxy_faults, more.proxy_faults);
  addEach(sum.terminations, more.terminations);
}

export function addEach(sum: Record<string, number>, more: Readonly<Record<string, number>>): void {
  for (const [key, count] of Object.entries(more)) sum[key] = (sum[key] ?? 0) + count;
}

/** The difference between two snapshots of a process's statistics. */
export function statisticsSince(previous: Statistics, current: Statistics): Statistics {
  return {
    total_requests: current.total_requests - previous.total_requests,
    successes: current.successes - previous.successes,
    failures: current.failures - previous.failures,
    endpoint_hits: countsSince(previous.endpoint_hits, current.endpoint_hits),
    faults: countsSince(previous.faults, current.faults),
    chaos: countsSince(previous.chaos, current.chaos),
    proxy_faults: countsSince(previous.proxy_faults, current.proxy_faults),
    terminations: countsSince(previous.terminations, current.terminations),
  };
}

/** The counts that have increased. */
function countsSince(
  previous: Statistics['terminations'],
  current: Statistics['terminations'],
): Statistics['terminations'] {
  const increase: Record<string, number> = {};
  for (const [key, count] of Object.entries(current)) {
    const before = previous[key] ?? 0;
    if (count > before) increase[key] = count - before;
  }
  return increase;
}

const requestCountsSchema = objectSchema('Statistics', requestCounts);

/** The response of `/metrics`, which only has request counts. */
export const metricsSchema = objectSchema('Metrics', {
  all_time: requestCountsSchema,
  last_hour: requestCountsSchema,
});

export function metricsObject({ all_time, last_hour }: MetricsView): Infer<typeof metricsSchema> {
  return { all_time: requestCountsOf(all_time), last_hour: requestCountsOf(last_hour) };
}

function requestCountsOf({
  total_requests,
  successes,
  failures,
  endpoint_hits,
  faults,
  chaos,
}: Statistics): Infer<typeof requestCountsSchema> {
  return { total_requests, successes, failures, endpoint_hits, faults, chaos };
}
