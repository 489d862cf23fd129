import {
  arrayOf,
  COUNT,
  enumOf,
  NUMBER,
  nullable,
  objectSchema,
  shape,
  TEXT,
  type Infer,
} from '../../server/schema.ts';

/** What is beyond its limit at a knee. */
const SIGNS = ['rate', 'errors', 'p99'] as const;
export type KneeSign = (typeof SIGNS)[number];

const foundSideSchema = objectSchema('BenchFoundSide', {
  rate: {
    ...NUMBER,
    description: 'Highest rate at which the condition holds, in requests per second; 0 if at none.',
  },
  low: { ...NUMBER, description: 'Where it is with a probability of 95 %, with `high`.' },
  high: { ...nullable(NUMBER), description: 'Null where the load generator was the limit.' },
  limited_by: {
    ...enumOf('side', 'load', 'none'),
    description:
      '`load`: a better load generator may find a higher rate. `none`: the condition holds at no rate that was tried.',
  },
  trials: COUNT,
  note: { ...TEXT, description: 'Why it is not that of the side; empty if it is.' },
});
export type FoundSide = Infer<typeof foundSideSchema>;

export const foundSchema = objectSchema('BenchFound', {
  condition: TEXT,
  target: foundSideSchema,
  baseline: nullable(foundSideSchema),
  direct: nullable(foundSideSchema),
});

const pointSchema = objectSchema('BenchPoint', {
  rate: { ...NUMBER, description: 'Requests per second that were asked for.' },
  completed: {
    ...NUMBER,
    description: 'Requests per second that were responded to or failed, in the time of the load.',
  },
  requests: COUNT,
  errors: COUNT,
  load_lag_ms: {
    ...NUMBER,
    description: 'How late the load generator sent its requests: the 99th percentile.',
  },
  latency_ms: {
    ...nullable(shape({ p50: NUMBER, p90: NUMBER, p99: NUMBER, p99_9: NUMBER, max: NUMBER })),
    description: 'Null if no request was successful.',
  },
});
export type PointView = Infer<typeof pointSchema>;

const sweepSideSchema = objectSchema('BenchSweepSide', {
  points: { ...arrayOf(pointSchema), maxItems: 50 },
  knee: {
    ...nullable(shape({ below: nullable(NUMBER), above: NUMBER, sign: enumOf(...SIGNS) })),
    description:
      'Rates before and at the knee, and what is beyond its limit there: less than 98 % of the rate is done (`rate`), more than 1 % of the requests fail (`errors`), or the 99th percentile is more than twice the lowest of lower rates, and 0.1 ms (`p99`).',
  },
});
export type SweepSide = Infer<typeof sweepSideSchema>;

export const sweepSchema = objectSchema('BenchSweep', {
  target: sweepSideSchema,
  baseline: nullable(sweepSideSchema),
  direct: nullable(sweepSideSchema),
});
