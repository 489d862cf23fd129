import { benchReport } from './report-bench.ts';
import { checkReport } from './report-checks.ts';
import { Members, type Report } from './report-json.ts';

/**
 * Reads a JSON report of `wirebin check` or `wirebin bench`.
 *
 * @throws Error whose message says what is wrong with the file
 */
export function readReport(text: string): Report {
  const value = parsed(text);
  const isObject = typeof value === 'object' && value !== null;
  const isBench = isObject && 'kind' in value && value.kind === 'bench';
  if (!isBench && !(isObject && 'checks' in value)) {
    throw new Error('it is JSON, but no report of wirebin check or bench');
  }
  const report = new Members(value, '');
  const format = report.text('format', 20);
  const version = isBench ? '2' : '1';
  if (!format.startsWith(`${version}.`)) {
    throw new Error(`its format is ${format || 'unknown'}, and this page reads ${version}.x`);
  }
  return isBench ? benchReport(value) : checkReport(report);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`it is not JSON (${cause instanceof Error ? cause.message : ''})`, { cause });
  }
}
