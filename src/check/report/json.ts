import {
  arrayOf,
  COUNT,
  enumOf,
  NUMBER,
  objectSchema,
  TEXT,
  type Infer,
  type JsonSchema,
} from '../../server/schema.ts';
import { FINDING_LEVELS, LEVELS, OUTCOMES, RISKS, type Outcome } from '../check.ts';
import { FRONTS, resultKey } from '../front.ts';
import { isKnown } from '../known.ts';
import type { Result } from '../result.ts';
import { jsonText } from './json-text.ts';
import { countOutcomes } from './outcomes.ts';
import { FORMAT_VERSION, protocolsText, summaryLine, type Report } from './report.ts';

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
    evidence: arrayOf(evidenceSchema),
    duration_ms: NUMBER,
  },
  ['expected', 'found', 'reason'],
);

/** How many checks have each outcome. */
const summarySchema: JsonSchema<Readonly<Record<Outcome, number>>> = {
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
    interrupted: { type: 'boolean' },
    stopped: { ...TEXT, description: 'Why not all checks are finished: who no longer answers.' },
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
        tunnel: { type: 'boolean' },
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
      detected: { type: 'boolean' },
      findings: arrayOf(TEXT),
    }),
    checks: arrayOf(checkSchema),
  },
  ['stopped', 'known'],
);

/** A report as JSON, parsed. */
export type CheckReport = Infer<typeof reportSchema>;

/** A report as JSON. */
export function jsonReport(report: Report): string {
  const { facts, results, findings, known } = report;
  const view: CheckReport = {
    format: FORMAT_VERSION,
    wirebin: report.version,
    target: report.target,
    started_at: report.startedAt,
    duration_ms: Math.round(report.duration),
    interrupted: report.isInterrupted,
    stopped: report.stopped,
    facts: {
      fronts: facts.fronts,
      server: facts.server,
      via: facts.via,
      tls_version: facts.tls?.version,
      alpn: facts.tls?.alpn,
      origin_protocol: protocolsText(facts),
      pooling: facts.pooling,
      tunnel: facts.isTunnel,
      origin: facts.wirebin,
    },
    summary: countOutcomes(results),
    summary_text: summaryLine(report),
    levels: report.levels,
    findings: findings.map(resultKey),
    known: known && {
      product: known.product,
      version: known.version,
      detected: known.isDetected,
      findings: findings.filter((finding) => isKnown(finding, known)).map(resultKey),
    },
    checks: results.map(resultView),
  };
  return jsonText(view);
}

function resultView({ duration, ...result }: Result): Infer<typeof checkSchema> {
  return { ...result, duration_ms: Math.round(duration) };
}
