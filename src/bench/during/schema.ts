import {
  arrayOf,
  COUNT,
  enumOf,
  mapSchema,
  NUMBER,
  nullable,
  objectSchema,
  shape,
  TEXT,
  type Infer,
} from '../../server/schema.ts';
import { PROTOCOLS } from '../protocol.ts';

const errors = { ...mapSchema(COUNT), description: 'How many requests failed, by reason.' };

const phaseSchema = objectSchema('BenchPhase', {
  requests: COUNT,
  errors,
  latency_ms: {
    ...nullable(shape({ p50: NUMBER, p90: NUMBER, p99: NUMBER, p99_9: NUMBER, max: NUMBER })),
    description: 'From when a request was due; null if none was answered.',
  },
});
export type PhaseView = Infer<typeof phaseSchema>;

const described = (description: string) => ({ ...COUNT, description });

const journalSchema = objectSchema('BenchArrivals', {
  lost: described('Failed, and never arrived at the origin.'),
  responses_lost: described('Failed, although they had arrived.'),
  answered_elsewhere: described('Answered, but never arrived: by a cache, or by another origin.'),
  repeated: described('Arrived more than once.'),
  unknown: described(
    'Cannot be told: the origin was restarted, or its journal was not read in time, before it removed entries.',
  ),
});

/** The requests of a scenario while a command ran. */
export const duringSchema = objectSchema('BenchDuring', {
  scenario: TEXT,
  protocol: enumOf(...PROTOCOLS),
  request: TEXT,
  command: shape({
    text: TEXT,
    exit_code: { ...nullable(COUNT), description: 'Null if a signal ended it.' },
    duration_ms: NUMBER,
  }),
  rate: { ...NUMBER, description: 'Requests per second.' },
  load_lag_ms: {
    ...NUMBER,
    description: 'How late the load generator sent its requests: the 99th percentile.',
  },
  requests: COUNT,
  errors,
  not_sent: described(
    'Of those that failed: they waited for a free connection, or stream, for longer than --timeout.',
  ),
  journal: {
    ...nullable(journalSchema),
    description:
      'What the journal of the origin says of those that were sent; null if it cannot be read.',
  },
  before: { ...phaseSchema, description: 'Requests that were over before the command began.' },
  during: { ...phaseSchema, description: 'Requests in flight while the command ran.' },
  after: { ...phaseSchema, description: 'Requests that were due after the command had ended.' },
  bucket_ms: { ...NUMBER, description: 'Width of each of `buckets`.' },
  buckets: {
    ...arrayOf(
      shape({
        at_ms: {
          ...NUMBER,
          description:
            'When it begins, from the begin of the command on. One begins when the command was to begin. Requests count when they were due.',
        },
        requests: COUNT,
        errors: COUNT,
        p50_ms: nullable(NUMBER),
        p99_ms: nullable(NUMBER),
        max_ms: nullable(NUMBER),
      }),
    ),
    maxItems: 1000,
  },
  note: TEXT,
});
export type DuringView = Infer<typeof duringSchema>;
