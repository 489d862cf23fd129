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

/** Version of the JSON format: the first number changes when a key is removed or gets another meaning. */
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
  samples: arrayOf(NUMBER),
  load_busy: {
    ...NUMBER,
    description: 'Share of the time in which the load generator was busy at full load.',
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

const quartiles = shape({ low: NUMBER, high: NUMBER });

const rowSchema = objectSchema(
  'BenchRow',
  {
    scenario: TEXT,
    protocol: enumOf(...PROTOCOLS),
    request: TEXT,
    response_bytes: COUNT,
    target: sideSchema,
    direct: nullable(sideSchema),
    ratio: nullable(shape({ median: NUMBER, low: NUMBER, high: NUMBER })),
    added_ms: nullable(shape({ p50: NUMBER, p99: NUMBER })),
    added_quartiles_ms: {
      ...shape({ p50: quartiles, p99: quartiles }),
      description: 'Of the differences of the rounds, if there are two or more.',
    },
    limited_by: enumOf(...LIMITS),
    note: TEXT,
  },
  ['added_quartiles_ms'],
);
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
});

/** A finished run. */
export type Report = Infer<typeof schema>;

/** The JSON Schema of the report. */
export const reportSchema: JsonSchema<Report> = schema;

export const jsonReport = (report: Report): string => jsonText(report);

/** The number of requests that failed. */
export function errorCount({ errors }: SideView): number {
  return Object.values(errors).reduce((sum, count) => sum + count, 0);
}

/** Whether each request was answered as it should be. */
export const hasErrors = ({ target, direct }: Row): boolean =>
  errorCount(target) + (direct ? errorCount(direct) : 0) > 0;
