import type { Infer } from '../../server/schema.ts';
import { resultKey } from '../front.ts';
import type { Known, ProductRecord } from '../known.ts';
import type { Result } from '../result.ts';
import { capabilitiesIn } from './shown-capabilities.ts';
import { shownRemedy } from './shown-remedy.ts';
import { FORMAT_VERSION, type CheckReport, type checkSchema } from './json-schema.ts';
import { jsonText } from './json-text.ts';
import { countOutcomes } from './outcomes.ts';
import { bannerOf } from './banner.ts';
import { levelsOf } from './findings.ts';
import { notTried } from './not-tried.ts';
import { protocolsText, summaryText, type Report } from './report.ts';

/** A report as JSON. */
export function jsonReport(report: Report): string {
  const { facts, results, findings, known } = report;
  const banner = bannerOf(report);
  const view: CheckReport = {
    format: FORMAT_VERSION,
    standing: banner.standing,
    banner: banner.text,
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
      meaning: facts.meaning,
      tls_version: facts.tls?.version,
      alpn: facts.tls?.alpn,
      origin_protocol: protocolsText(facts),
      pooling: facts.pooling,
      tunnel: facts.isTunnel,
      origin: facts.wirebin,
    },
    capabilities: capabilitiesIn(report),
    summary: countOutcomes(results),
    summary_text: summaryText(report),
    levels: levelsOf(report.failOn),
    fail_on: report.failOn,
    findings: findings.map(resultKey),
    gaps: report.gaps.map(({ kind, id, front, reason }) => ({ kind, id, front, reason })),
    not_tried: notTried(results),
    known: known && {
      ...recordView(known, findings),
      detected: known.isDetected,
      others: known.others.map((each) => recordView(each, findings)),
    },
    checks: results.map((result) => resultView(result, known)),
  };
  return jsonText(view);
}

function recordView(record: ProductRecord, findings: readonly Result[]) {
  const { product, version } = record;
  const keys = findings.map(resultKey);
  return { product, version, findings: keys.filter((key) => record.findings.has(key)) };
}

function resultView(
  { duration, isProven, ...result }: Result,
  known: Known | undefined,
): Infer<typeof checkSchema> {
  const proven = result.outcome === 'fail' ? isProven : undefined;
  return {
    ...result,
    remedy: shownRemedy(result, known),
    proven,
    duration_ms: Math.round(duration),
  };
}
