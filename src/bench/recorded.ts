import { basename } from 'node:path';
import { readInput } from '../check/files.ts';
import { parseObject } from '../check/origin.ts';
import { guard } from '../server/schema.ts';
import { SettingsError } from '../settings/settings-error.ts';
import { FORMAT_VERSION, reportSchema, type Report } from './report/report.ts';

const isReport = guard(reportSchema);
const [MAJOR] = FORMAT_VERSION.split('.');

/**
 * Reads a JSON report of `wirebin bench`. What a later format has in addition is ignored.
 *
 * @throws SettingsError if the file is none
 */
export function readRecorded(path: string): Report {
  const value = parseObject(readInput(path).toString());
  if (value?.['kind'] !== 'bench') {
    throw new SettingsError(`${path} is no JSON report of wirebin bench`);
  }
  const { format } = value;
  if (typeof format !== 'string' || format.split('.')[0] !== MAJOR) {
    const found = JSON.stringify(format ?? null).slice(0, 20);
    throw new SettingsError(`${path} has the format ${found}; this wirebin reads ${MAJOR}.x`);
  }
  const report: unknown = { ...value, format: FORMAT_VERSION };
  if (isReport(report)) return report;
  throw new SettingsError(
    `${path} is no whole report of wirebin bench: a member is missing, or has another type`,
  );
}

/** Reads a JSON report that can be compared with another. @throws SettingsError if the file is none */
export function readComparable(path: string): Report {
  const report = readRecorded(path);
  if (!report.during) return report;
  throw new SettingsError(`${path} is of a run with --during, which has no rows to compare`);
}

/** Names for two recorded runs: those of their files, unless they are the same. */
export function fileNames(before: string, after: string): NonNullable<Report['names']> {
  const [baseline, target] = [before, after].map((path) => basename(path, '.json'));
  return baseline === target
    ? { target: after, baseline: before }
    : { target: target ?? after, baseline: baseline ?? before };
}
