import { benchElements } from '../bench/report/elements.ts';
import * as bench from '../bench/report/report.ts';
import { hasErrors, headLines, isInvalidRow } from '../bench/report/table.ts';
import { capabilityElements } from '../check/report/capability-lines.ts';
import * as check from '../check/report/json-schema.ts';
import { resultElements } from '../check/report/results.ts';
import { counted } from '../check/words.ts';
import { listElement, type Element } from '../pages/element.ts';
import { guard, type Guard } from '../server/schema.ts';

/** What the page shows of a report, like the report in HTML. Its texts come from the file, and may be anything. */
interface Report {
  /** Summary of the result, shown after the file name. */
  readonly summary: string;
  readonly isBad: boolean;
  readonly elements: readonly Element[];
}

const isCheckReport = guard(check.reportSchema);
const isBenchReport = guard(bench.reportSchema);

/**
 * Reads a JSON report of `wirebin check` or `wirebin bench`.
 *
 * @throws Error whose message says what is wrong with the file
 */
export function readReport(text: string): Report {
  const value = parsed(text);
  if (typeof value === 'object' && value !== null) {
    if ('kind' in value && value.kind === 'bench') {
      return benchReport(valid(value, bench.FORMAT_VERSION, isBenchReport));
    }
    if ('checks' in value) return checkReport(valid(value, check.FORMAT_VERSION, isCheckReport));
  }
  throw new Error('it is JSON, but no report of wirebin check or bench');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`it is not JSON (${cause instanceof Error ? cause.message : ''})`, { cause });
  }
}

/** The report, if its format has the same first number. @throws Error */
function valid<R>(value: object, version: string, isReport: Guard<R>): R {
  const format = 'format' in value ? String(value.format).slice(0, 20) : 'unknown';
  const [major] = version.split('.');
  if (!format.startsWith(`${major}.`)) {
    throw new Error(`its format is ${format}, and this page reads ${major}.x`);
  }
  const report: unknown = { ...value, format: version };
  if (isReport(report)) return report;
  throw new Error('a member is missing, or has another type');
}

function checkReport(report: check.CheckReport): Report {
  const { facts, known, summary_text: summary } = report;
  const records = known ? [...(known.others ?? []), known] : [];
  const run = {
    results: report.checks,
    // Only findings that count: levels and baseline were options of the command.
    counted: new Set(report.findings),
    recorded: new Map(
      records.flatMap(({ product, version, findings }) =>
        findings.map((key) => [key, `${product} ${version}`] as const),
      ),
    ),
  };
  const lines = [
    report.target,
    report.started_at,
    ...(facts.server === undefined ? [] : [`Server: ${facts.server}`]),
    `origin: ${facts.origin_protocol}`,
    facts.pooling,
    ...(report.interrupted ? ['interrupted'] : []),
  ];
  return {
    summary,
    isBad: report.findings.length > 0,
    elements: [
      ...listElement(lines, 'hint'),
      ...capabilityElements(report.capabilities ?? []),
      ...resultElements(run, { heading: 3, fragment: 'reports/', hasTopics: false }),
    ],
  };
}

function benchReport(report: bench.Report): Report {
  const { rows, failed_gates: failures, verdict } = report;
  const wrong = rows.filter(hasErrors).length;
  const invalid = rows.filter(isInvalidRow).length;
  const parts = [
    `${counted(rows.length, 'row')}, ${wrong || 'none'} with errors`,
    ...(invalid > 0 ? [`${invalid} invalid`] : []),
    ...(failures.length > 0 ? [`${counted(failures.length, 'gate')} failed`] : []),
  ];
  return {
    // With --during, there are no rows.
    summary: rows.length > 0 ? parts.join(', ') : verdict,
    isBad: wrong + invalid + failures.length > 0,
    elements: [
      ...listElement([...headLines(report), report.started_at], 'hint'),
      ...benchElements(report, { heading: 3, hasVerdict: false }),
    ],
  };
}
