import type { Infer } from '../../server/schema.ts';
import { resultKey } from '../front.ts';
import { isKnown } from '../known.ts';
import type { Result } from '../result.ts';
import { FORMAT_VERSION, type CheckReport, type checkSchema } from './json-schema.ts';
import { jsonText } from './json-text.ts';
import { countOutcomes } from './outcomes.ts';
import { protocolsText, summaryLine, type Report } from './report.ts';

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
    in_flight: report.inFlight,
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

function resultView({ duration, isProven, ...result }: Result): Infer<typeof checkSchema> {
  const proven = result.outcome === 'fail' ? isProven : undefined;
  return { ...result, proven, duration_ms: Math.round(duration) };
}
