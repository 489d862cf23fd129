import { COUNT, mapSchema, objectSchema, shape, type Infer } from '../server/schema.ts';
import { addNumbers, durationsSchema, noDurations, type Durations } from './durations.ts';
import { emptySample, sampleSchema } from './sample.ts';

const LONG_COUNT = { ...COUNT, format: 'int64' };
const counts = mapSchema(LONG_COUNT);

const requestCounts = {
  total_requests: LONG_COUNT,
  successes: { ...LONG_COUNT, description: 'With status 2xx; calls of gRPC with OK.' },
  failures: {
    ...LONG_COUNT,
    description: 'With status 400 and above; calls of gRPC with another status than OK.',
  },
  endpoint_hits: counts,
  faults: { ...counts, description: 'By kind.' },
  chaos: { ...counts, description: 'By kind, with --chaos.' },
  grpc: { ...counts, description: 'Calls by status, such as UNAVAILABLE.' },
  unhandled_rejections: COUNT,
};

/** The counts of one period. */
export const statisticsSchema = shape({
  ...requestCounts,
  transports: mapSchema(
    shape({
      // Requests by status class, such as `2xx`, or `none` if the client disconnected before the response.
      statuses: counts,
      // From the end of the header section to the end of the response.
      durations: durationsSchema,
    }),
  ),
  // Connections closed because of their PROXY header, by reason.
  proxy_faults: counts,
  // Connections, streams and requests that wirebin terminated, by reason.
  terminations: counts,
  // Accepted connections by transport, or `none` if they were closed before it was known.
  connections: counts,
  // TLS handshakes by result.
  handshakes: counts,
  // Complete TLS handshakes by the name of their group, or `none`.
  groups: counts,
});
export type Statistics = Infer<typeof statisticsSchema>;

const periods = { all_time: statisticsSchema, last_hour: statisticsSchema };
const periodsSchema = shape(periods);
export type Periods = Infer<typeof periodsSchema>;

export const metricsViewSchema = shape({ ...periods, sample: sampleSchema });
export type MetricsView = Infer<typeof metricsViewSchema>;

/** Mutable statistics. */
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
    grpc: {},
    unhandled_rejections: 0,
    transports: {},
    proxy_faults: {},
    terminations: {},
    connections: {},
    handshakes: {},
    groups: {},
  };
}

/** Metrics with all values 0. */
export function emptyMetrics(): MetricsView {
  return { all_time: emptyStatistics(), last_hour: emptyStatistics(), sample: emptySample() };
}

/** The statistics of a transport, which are added if necessary. */
export function transportTally({ transports }: Tally, transport: string): TransportTally {
  return (transports[transport] ??= { statuses: {}, durations: noDurations() });
}

/** The increase between two snapshots of a process's statistics. */
export function statisticsSince(previous: Statistics, current: Statistics): Statistics {
  const increase = emptyStatistics();
  for (const transport of Object.keys(current.transports)) transportTally(increase, transport);
  addNumbers(increase, current, previous);
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
  grpc,
  unhandled_rejections,
}: Statistics): Infer<typeof requestCountsSchema> {
  return {
    total_requests,
    successes,
    failures,
    endpoint_hits,
    faults,
    chaos,
    grpc,
    unhandled_rejections,
  };
}
