import {
  arrayOf,
  BOOLEAN,
  COUNT,
  enumOf,
  NUMBER,
  objectSchema,
  TEXT,
  type Infer,
  type JsonSchema,
} from '../../server/schema.ts';
import { FINDING_LEVELS, LEVELS, OUTCOMES, RISKS } from '../check.ts';
import { FRONTS } from '../front.ts';

/** Version of the JSON format. The first number changes when a key is removed or changes its meaning. */
export const FORMAT_VERSION = '1.0';

const evidenceSchema = objectSchema(
  'Evidence',
  {
    sent: TEXT,
    origin: TEXT,
    received: TEXT,
    status: COUNT,
    fields: arrayOf(arrayOf(TEXT)),
    ending: enumOf('complete', 'closed', 'reset', 'goaway', 'malformed', 'timeout'),
  },
  ['origin', 'status'],
);

/** A check of the report. */
export const checkSchema = objectSchema(
  'CheckResult',
  {
    id: TEXT,
    front: enumOf(...FRONTS),
    outcome: enumOf(...OUTCOMES),
    level: enumOf(...LEVELS),
    risk: enumOf(...RISKS),
    section: TEXT,
    rule: TEXT,
    expected: TEXT,
    found: TEXT,
    reason: TEXT,
    proven: {
      ...BOOLEAN,
      description:
        'Of a finding: whether it was seen, and stands even if it is not seen again, or was judged by time or absence.',
    },
    evidence: arrayOf(evidenceSchema),
    duration_ms: NUMBER,
  },
  ['expected', 'found', 'reason', 'proven'],
);

/** How many checks have each outcome. */
const summarySchema: JsonSchema<Readonly<Record<(typeof OUTCOMES)[number], number>>> = {
  type: 'object',
  properties: Object.fromEntries(OUTCOMES.map((outcome) => [outcome, COUNT])),
  required: [...OUTCOMES],
};

/** The JSON Schema of the report. */
export const reportSchema = objectSchema(
  'CheckReport',
  {
    format: enumOf(FORMAT_VERSION),
    wirebin: TEXT,
    target: TEXT,
    started_at: TEXT,
    duration_ms: NUMBER,
    interrupted: BOOLEAN,
    stopped: { ...TEXT, description: 'Why not all checks are finished: who no longer answers.' },
    in_flight: {
      ...arrayOf(TEXT),
      description: 'The checks that ran when the run was interrupted or stopped.',
    },
    facts: objectSchema(
      'CheckFacts',
      {
        fronts: arrayOf(enumOf(...FRONTS)),
        server: TEXT,
        via: TEXT,
        tls_version: TEXT,
        alpn: TEXT,
        origin_protocol: TEXT,
        pooling: TEXT,
        tunnel: BOOLEAN,
        origin: TEXT,
      },
      ['server', 'via', 'tls_version', 'alpn'],
    ),
    summary: summarySchema,
    summary_text: TEXT,
    levels: arrayOf(enumOf(...FINDING_LEVELS)),
    findings: arrayOf(TEXT),
    known: objectSchema('KnownProduct', {
      product: TEXT,
      version: TEXT,
      detected: BOOLEAN,
      findings: arrayOf(TEXT),
    }),
    checks: arrayOf(checkSchema),
  },
  ['stopped', 'in_flight', 'known'],
);

/** A report as JSON, parsed. */
export type CheckReport = Infer<typeof reportSchema>;
