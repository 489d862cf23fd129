import {
  arrayOf,
  BOOLEAN,
  COUNT,
  enumOf,
  NUMBER,
  objectSchema,
  shape,
  TEXT,
  type Infer,
  type JsonSchema,
} from '../../server/schema.ts';
import { ANSWERS } from '../capability.ts';
import {
  FAIL_ON,
  FINDING_LEVELS,
  GAP_KINDS,
  LEVELS,
  OUTCOMES,
  RISKS,
  STANDINGS,
} from '../check.ts';
import { FRONTS } from '../front.ts';

/** Version of the JSON format. The first number changes when a key is removed or changes its meaning. */
export const FORMAT_VERSION = '1.1';

const evidenceSchema = objectSchema(
  'Evidence',
  {
    sent: TEXT,
    origin: TEXT,
    received: TEXT,
    status: COUNT,
    fields: arrayOf(arrayOf(TEXT)),
    meaning: {
      ...arrayOf(TEXT),
      description: 'Explanations of Cache-Status, Proxy-Status and similar fields of the response.',
    },
    ending: enumOf('complete', 'closed', 'reset', 'goaway', 'malformed', 'timeout'),
  },
  ['origin', 'status', 'meaning'],
);

/** What to do about a result. */
export const remedySchema = objectSchema(
  'Remedy',
  {
    advice: { ...TEXT, description: 'In one sentence, for any product.' },
    directives: {
      ...arrayOf(shape({ product: TEXT, place: TEXT, lines: arrayOf(TEXT) })),
      description: 'Lines for the configuration of the product, if it is known; each was tried.',
    },
    passes_in: {
      ...TEXT,
      description: 'A later version of the product, which passes by its recorded report.',
    },
  },
  ['advice', 'passes_in'],
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
    remedy: { ...remedySchema, description: 'Of a result that fails or differs.' },
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
  ['remedy', 'expected', 'found', 'reason', 'proven'],
);

/** What the target does, as the run has seen it. */
export const capabilitySchema = objectSchema(
  'Capability',
  {
    id: TEXT,
    name: TEXT,
    answer: enumOf(...ANSWERS),
    words: { ...TEXT, description: 'Details of the answer; for `not seen`, why.' },
    recorded: { ...TEXT, description: 'What the recorded report of the product has.' },
  },
  ['recorded'],
);

const knownRecord = { product: TEXT, version: TEXT, findings: arrayOf(TEXT) } as const;

/** How many checks have each outcome. */
const summarySchema: JsonSchema<Readonly<Record<(typeof OUTCOMES)[number], number>>> = {
  type: 'object',
  properties: Object.fromEntries(OUTCOMES.map((outcome) => [outcome, COUNT])),
  required: [...OUTCOMES],
};

const gapSchema = objectSchema(
  'Gap',
  { kind: enumOf(...GAP_KINDS), id: TEXT, front: enumOf(...FRONTS), reason: TEXT },
  ['front'],
);

const notTriedSchema = objectSchema('NotTried', {
  means: { ...TEXT, description: 'What would bring it, such as --destructive.' },
  results: COUNT,
  must: { ...COUNT, description: 'How many of the results are of the level must.' },
});

/** The JSON Schema of the report. */
export const reportSchema = objectSchema(
  'CheckReport',
  {
    format: enumOf(FORMAT_VERSION),
    standing: {
      ...enumOf(...STANDINGS),
      description:
        'fail: findings or gaps that count; incomplete: none, and checks of the level must that should have a verdict have none.',
    },
    banner: { ...TEXT, description: 'The result in a line, such as FAIL: 3 must findings.' },
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
        meaning: {
          ...arrayOf(TEXT),
          description:
            'Explanations of Cache-Status, Proxy-Status and similar fields of a response.',
        },
        tls_version: TEXT,
        alpn: TEXT,
        origin_protocol: TEXT,
        pooling: TEXT,
        tunnel: BOOLEAN,
        origin: TEXT,
      },
      ['server', 'via', 'meaning', 'tls_version', 'alpn'],
    ),
    capabilities: arrayOf(capabilitySchema),
    summary: summarySchema,
    summary_text: TEXT,
    levels: arrayOf(enumOf(...FINDING_LEVELS)),
    fail_on: arrayOf(enumOf(...FAIL_ON)),
    findings: arrayOf(TEXT),
    gaps: {
      ...arrayOf(gapSchema),
      description:
        'Checks without a verdict that count: required, lost since the baseline, blocked.',
    },
    not_tried: {
      ...arrayOf(notTriedSchema),
      description: 'What was not tried for want of something that a run can be given.',
    },
    known: objectSchema(
      'KnownProduct',
      {
        ...knownRecord,
        detected: BOOLEAN,
        others: {
          ...arrayOf(objectSchema('KnownRecord', knownRecord)),
          description: 'Other products that Server and Via name: the target is a chain of them.',
        },
      },
      ['others'],
    ),
    checks: arrayOf(checkSchema),
  },
  // Reports of format 1.0 have no `capabilities`, `standing`, `banner`, `fail_on`, `gaps` and `not_tried`.
  [
    'capabilities',
    'stopped',
    'in_flight',
    'known',
    'standing',
    'banner',
    'fail_on',
    'gaps',
    'not_tried',
  ],
);

/** A report as JSON, parsed. */
export type CheckReport = Infer<typeof reportSchema>;
