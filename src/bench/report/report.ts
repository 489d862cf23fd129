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
import { LIMITS } from '../limits.ts';
import { PROTOCOLS } from '../protocol.ts';

/** Version of the JSON format. The first number changes when a key is removed or changes its meaning. */
export const FORMAT_VERSION = '1.0';

const latencySchema = objectSchema('BenchLatency', {
  p50: NUMBER,
  p90: NUMBER,
  p99: NUMBER,
  p99_9: NUMBER,
  max: NUMBER,
});

const sideSchema = objectSchema('BenchSide', {
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
  origin_waited: {
    ...nullable(NUMBER),
    description: 'The same of the origin; null if it is not known.',
  },
  rate: { ...NUMBER, description: 'Requests per second at which latencies were measured.' },
  latency_ms: {
    ...nullable(latencySchema),
    description: 'From when a request was due; null if no request was successful.',
  },
  requests: COUNT,
  errors: { ...mapSchema(COUNT), description: 'How many requests failed, by reason.' },
});
export type SideView = Infer<typeof sideSchema>;

const interval = shape({ low: NUMBER, high: NUMBER });

const rowSchema = objectSchema('BenchRow', {
  scenario: TEXT,
  protocol: enumOf(...PROTOCOLS),
  request: TEXT,
  response_bytes: COUNT,
  target: sideSchema,
  direct: nullable(sideSchema),
  ratio: {
    ...nullable(shape({ median: NUMBER, low: NUMBER, high: nullable(NUMBER) })),
    description:
      'Requests per second, target to direct: the median of the rounds and its 99 % confidence interval. `low` is 0 and `high` null where the load generator was the limit. Null in an invalid row.',
  },
  added_ms: {
    ...nullable(shape({ p50: NUMBER, p99: NUMBER })),
    description: 'What the target adds to percentiles: the median of the rounds.',
  },
  added_interval_ms: {
    ...nullable(shape({ p50: interval, p99: interval })),
    description: 'Their 99 % confidence intervals; null with a single round.',
  },
  disturbed_rounds: {
    ...shape({ full_load: COUNT, fixed_rate: COUNT }),
    description: 'How many rounds were dropped.',
  },
  limited_by: enumOf(...LIMITS),
  note: TEXT,
});
export type Row = Infer<typeof rowSchema>;

const schema = objectSchema('BenchReport', {
  format: enumOf(FORMAT_VERSION),
  kind: enumOf('bench'),
  wirebin: TEXT,
  node: TEXT,
  target: TEXT,
  direct: nullable(TEXT),
  started_at: TEXT,
  duration_seconds: NUMBER,
  interrupted: BOOLEAN,
  settings: shape({
    rounds: COUNT,
    duration_seconds: NUMBER,
    connections: { ...COUNT, description: 'On HTTP/1.1, and of the scenario `connections`.' },
    h2_connections: COUNT,
    streams: COUNT,
    rate: { ...nullable(NUMBER), description: 'Null: half of what the slower side does.' },
  }),
  machine: shape({ processor: TEXT, cores: COUNT, system: TEXT }),
  rows: arrayOf(rowSchema),
  failed_gates: arrayOf(TEXT),
  verdict: { ...TEXT, description: 'Whether to believe the report.' },
});

/** A finished run. */
export type Report = Infer<typeof schema>;

/** The JSON Schema of the report. */
export const reportSchema: JsonSchema<Report> = schema;

export const jsonReport = (report: Report): string => jsonText(report);
