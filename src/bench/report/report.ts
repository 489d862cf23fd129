import { jsonText } from '../../check/report/json-text.ts';
import {
  arrayOf,
  BOOLEAN,
  COUNT,
  enumOf,
  mapSchema,
  NUMBER,
  nullable,
  objectSchema,
  shape,
  TEXT,
  type Infer,
  type JsonSchema,
} from '../../server/schema.ts';
import { costSchema } from '../cost/schema.ts';
import { duringSchema } from '../during/schema.ts';
import { PROTOCOLS } from '../protocol.ts';
import { foundSchema, sweepSchema } from './rates-schema.ts';

/** Version of the JSON format. The first number changes when a key is removed or changes its meaning. */
export const FORMAT_VERSION = '2.0';

/**
 * What a run says of its target, beside the baseline. `undecided`: rounds scatter too much, or there is no baseline.
 * `invalid`: the result is not that of the target.
 */
export const VERDICTS = ['slower', 'faster', 'no-difference', 'undecided', 'invalid'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** What limited the requests per second. `invalid`: too many rounds were disturbed. */
const LIMITS = ['load', 'origin', 'target', 'unknown', 'invalid'] as const;
export type Limit = (typeof LIMITS)[number];

const percentiles = { p50: NUMBER, p90: NUMBER, p99: NUMBER, p99_9: NUMBER } as const;
const latencySchema = objectSchema('BenchLatency', { ...percentiles, max: NUMBER });

const sideSchema = objectSchema(
  'BenchSide',
  {
    requests_per_second: { ...NUMBER, description: 'The median of `samples`, at full load.' },
    samples: { ...arrayOf(NUMBER), description: 'Of the rounds that count.' },
    load_busy: {
      ...NUMBER,
      description: 'Share of the time in which the load generator was busy at full load.',
    },
    load_waited: {
      ...NUMBER,
      description:
        'Share of the time in which the load generator was kept from running at full load.',
    },
    load_lag_ms: {
      ...nullable(NUMBER),
      description:
        'How late the load generator sent its requests at the fixed rate: the 99th percentile. Null if it is not known.',
    },
    origin_waited: {
      ...nullable(NUMBER),
      description:
        'Share of the time in which the origin was kept from running; null if it is not known.',
    },
    rate: { ...NUMBER, description: 'Requests per second at which latencies were measured.' },
    latency_ms: {
      ...nullable(latencySchema),
      description: 'From when a request was due; null if no request was successful.',
    },
    latency_samples_ms: {
      ...arrayOf(shape(percentiles)),
      description: 'The percentiles of each round that counts.',
    },
    cpu_samples_us: {
      ...arrayOf(NUMBER),
      description:
        'CPU time of the target per request, in each round at full load; empty if it is not known.',
    },
    cost: { ...nullable(costSchema), description: 'Null of the direct side.' },
    latency_hgrm: {
      ...nullable(TEXT),
      description:
        'The distribution of `latency_ms` in the text format of HdrHistogram; null if no request was successful.',
    },
    requests: COUNT,
    errors: { ...mapSchema(COUNT), description: 'How many requests failed, by reason.' },
  },
  ['latency_hgrm'],
);
export type SideView = Infer<typeof sideSchema>;

const verdict = enumOf(...VERDICTS);

const metric = {
  target: NUMBER,
  baseline: NUMBER,
  ratio: NUMBER,
  low: NUMBER,
  high: nullable(NUMBER),
  verdict,
} as const;
const metricSchema = objectSchema('BenchMetric', metric);
/** A metric of both sides: the ratio of target to baseline, and its 95 % interval. */
export type Metric = Infer<typeof metricSchema>;

const latencyMetricSchema = objectSchema('BenchLatencyMetric', {
  ...metric,
  difference_ms: shape({ value: NUMBER, low: nullable(NUMBER), high: nullable(NUMBER) }),
});
/** A percentile of both sides, with the difference of target and baseline. */
export type LatencyMetric = Infer<typeof latencyMetricSchema>;

const metricsSchema = objectSchema('BenchMetrics', {
  requests_per_second: nullable(metricSchema),
  p50_ms: nullable(latencyMetricSchema),
  p90_ms: nullable(latencyMetricSchema),
  p99_ms: nullable(latencyMetricSchema),
  p99_9_ms: nullable(latencyMetricSchema),
  cpu_us_per_request: nullable(metricSchema),
});
export type Metrics = Infer<typeof metricsSchema>;
export type MetricName = keyof Metrics;

const rowSchema = objectSchema(
  'BenchRow',
  {
    scenario: TEXT,
    protocol: enumOf(...PROTOCOLS),
    request: TEXT,
    response_bytes: COUNT,
    target: sideSchema,
    baseline: {
      ...nullable(sideSchema),
      description: 'What `target` is compared with, unless that is `direct`.',
    },
    direct: nullable(sideSchema),
    metrics: {
      ...metricsSchema,
      description:
        'Target and baseline, their `ratio` (of requests per second and CPU the median of the rounds; of latencies the ratio of the percentiles of all rounds together) and its 95 % confidence interval, by bootstrap. In percentiles, a failed request counts for an hour. `low` is 0 and `high` null where the load generator was the limit, and with less than six rounds. Null without a baseline.',
    },
    disturbed_rounds: {
      ...shape({ full_load: COUNT, fixed_rate: COUNT }),
      description: 'How many rounds were dropped.',
    },
    limited_by: enumOf(...LIMITS),
    verdict: {
      ...verdict,
      description: 'That of the metric that decides; `invalid`: see `change`.',
    },
    change: { ...nullable(TEXT), description: 'Why the row is invalid, and what to change.' },
    note: TEXT,
    found: {
      ...foundSchema,
      description: 'With --find: the highest rate at which a condition holds.',
    },
    sweep: { ...sweepSchema, description: 'With --sweep: latency by rate.' },
  },
  ['found', 'sweep'],
);
export type Row = Infer<typeof rowSchema>;

/** More than a run can have. Tables of millions would take longer to lay out than anybody waits. */
const MAX_ROWS = 1000;

const schema = objectSchema(
  'BenchReport',
  {
    format: enumOf(FORMAT_VERSION),
    kind: enumOf('bench'),
    wirebin: TEXT,
    node: TEXT,
    target: { ...TEXT, description: 'Its URL, as the next two.' },
    baseline: {
      ...nullable(TEXT),
      description: 'What the target is compared with, unless that is `direct`.',
    },
    direct: nullable(TEXT),
    names: {
      ...nullable(shape({ target: TEXT, baseline: TEXT })),
      description: 'Of target and baseline, as they were given; null without `baseline`.',
    },
    started_at: TEXT,
    duration_seconds: NUMBER,
    interrupted: BOOLEAN,
    settings: shape({
      rounds: { ...COUNT, description: 'The least number of rounds, if there was time for them.' },
      time_seconds: { ...nullable(NUMBER), description: 'For all rows; null without --time.' },
      duration_seconds: {
        ...NUMBER,
        description: 'Of each load at a rate. A full load has half of that, and 0.1 at least.',
      },
      connections: { ...COUNT, description: 'On HTTP/1.1, and of the scenario `connections`.' },
      h2_connections: COUNT,
      streams: COUNT,
      threads: { ...COUNT, description: 'Of the load generator.' },
      rate: { ...nullable(NUMBER), description: 'Null: half of what the slower side does.' },
    }),
    machine: shape({ processor: TEXT, cores: COUNT, system: TEXT }),
    rows: { ...arrayOf(rowSchema), maxItems: MAX_ROWS },
    during: {
      ...arrayOf(duringSchema),
      maxItems: MAX_ROWS,
      description: 'With --during, in place of `rows`: a load for each.',
    },
    failed_gates: arrayOf(TEXT),
    verdict: {
      ...TEXT,
      description: 'The verdicts of the rows in a sentence, with their evidence.',
    },
  },
  ['during'],
);

/** A finished run. */
export type Report = Infer<typeof schema>;

/** The JSON Schema of the report. */
export const reportSchema: JsonSchema<Report> = schema;

export const jsonReport = (report: Report): string => jsonText(report);
