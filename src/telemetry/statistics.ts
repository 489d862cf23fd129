import { COUNT, mapSchema, objectSchema, shape, type Infer } from '../server/schema.ts';
import {
  addDurations,
  durationsSchema,
  durationsSince,
  noDurations,
  type Durations,
} from './durations.ts';
import { emptySample, sampleSchema } from './sample.ts';

const LONG_COUNT = { ...COUNT, format: 'int64' };
const counts = mapSchema(LONG_COUNT);
type Counts = Infer<typeof counts>;

const requestCounts = {
  total_requests: LONG_COUNT,
  successes: { ...LONG_COUNT, description: 'With status 2xx.' },
  failures: { ...LONG_COUNT, description: 'With status 400 and above.' },
  endpoint_hits: counts,
  faults: { ...counts, description: 'By kind.' },
  chaos: { ...counts, description: 'By kind, with --chaos.' },
  unhandled_rejections: COUNT,
};

/** The counts of one period. */
export const statisticsSchema = shape({
  ...requestCounts,
  transports: mapSchema(
    shape({
      // Requests by class of status: `2xx`; `none` if the client disconnected before the response.
      statuses: counts,
      // From the end of the header section to the end of the response.
      durations: durationsSchema,
    }),
  ),
  // Connections closed because of their PROXY header, by reason.
  proxy_faults: counts,
  // Connections, streams and requests that wirebin terminated, by reason.
  terminations: counts,
  // Accepted connections by transport; `none` if they closed before it was known.
  connections: counts,
  // TLS handshakes by result.
  handshakes: counts,
});
export type Statistics = Infer<typeof statisticsSchema>;

const periods = { all_time: statisticsSchema, last_hour: statisticsSchema };
const periodsSchema = shape(periods);
export type Periods = Infer<typeof periodsSchema>;

export const metricsViewSchema = shape({ ...periods, sample: sampleSchema });
export type MetricsView = Infer<typeof metricsViewSchema>;

/** A mutable sum. */
export type Tally = {
  -readonly [Name in Exclude<keyof Statistics, 'transports'>]: Statistics[Name];
} & { readonly transports: Record<string, TransportTally> };

export interface TransportTally {
  readonly statuses: Record<string, number>;
  readonly durations: Durations;
}

export function emptyStatistics(): Tally {
  return {
    total_requests: 0,
    successes: 0,
    failures: 0,
    endpoint_hits: {},
    faults: {},
    chaos: {},
    unhandled_rejections: 0,
    transports: {},
    proxy_faults: {},
    terminations: {},
    connections: {},
    handshakes: {},
  };
}

/** The metrics of a service that has done nothing yet. */
export function emptyMetrics(): MetricsView {
  return { all_time: emptyStatistics(), last_hour: emptyStatistics(), sample: emptySample() };
}

/** The tally of a transport, which is added if there is none. */
export function transportTally({ transports }: Tally, transport: string): TransportTally {
  return (transports[transport] ??= { statuses: {}, durations: noDurations() });
}

export function addStatistics(sum: Tally, more: Statistics): void {
  sum.total_requests += more.total_requests;
  sum.successes += more.successes;
  sum.failures += more.failures;
  addEach(sum.endpoint_hits, more.endpoint_hits);
  addEach(sum.faults, more.faults);
  addEach(sum.chaos, more.chaos);
  sum.unhandled_rejections += more.unhandled_rejections;
  addEach(sum.proxy_faults, more.proxy_faults);
  addEach(sum.terminations, more.terminations);
  addEach(sum.connections, more.connections);
  addEach(sum.handshakes, more.handshakes);
  for (const [transport, { statuses, durations }] of Object.entries(more.transports)) {
    const tally = transportTally(sum, transport);
    addEach(tally.statuses, statuses);
    addDurations(tally.durations, durations);
  }
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
    unhandled_rejections: current.unhandled_rejections - previous.unhandled_rejections,
    proxy_faults: countsSince(previous.proxy_faults, current.proxy_faults),
    terminations: countsSince(previous.terminations, current.terminations),
    connections: countsSince(previous.connections, current.connections),
    handshakes: countsSince(previous.handshakes, current.handshakes),
    transports: Object.fromEntries(
      Object.entries(current.transports).map(([transport, { statuses, durations }]) => {
        const before = previous.transports[transport];
        const increase = {
          statuses: countsSince(before?.statuses ?? {}, statuses),
          durations: durationsSince(before?.durations ?? noDurations(), durations),
        };
        return [transport, increase];
      }),
    ),
  };
}

/** The counts that have increased. */
function countsSince(previous: Counts, current: Counts): Counts {
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

export function metricsObject({ all_time, last_hour }: Periods): Infer<typeof metricsSchema> {
  return { all_time: requestCountsOf(all_time), last_hour: requestCountsOf(last_hour) };
}

function requestCountsOf({
  total_requests,
  successes,
  failures,
  endpoint_hits,
  faults,
  chaos,
  unhandled_rejections,
}: Statistics): Infer<typeof requestCountsSchema> {
  return {
    total_requests,
    successes,
    failures,
    endpoint_hits,
    faults,
    chaos,
    unhandled_rejections,
  };
}
