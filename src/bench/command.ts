import { exitCodeOf, FINDINGS, INTERRUPTED, NO_FINDING, NOT_TESTABLE } from '../check/exit.ts';
import { matchesAny } from '../check/glob.ts';
import { startOrigin } from '../check/own-origin.ts';
import { reportWriters } from '../check/report/writers.ts';
import { isColored, type Streams } from '../check/streams.ts';
import { SettingsError } from '../settings/settings-error.ts';
import { compareRuns } from './compare-runs.ts';
import { compare, expectNoContradiction, sideUrls } from './comparison.ts';
import { failedGates } from './gates.ts';
import { readBenchOptions, type BenchOptions } from './options.ts';
import { fileNames, readComparable, readRecorded } from './recorded.ts';
import { brokenOf, hasFailed } from './report/during.ts';
import { hgrmFiles } from './report/hgrm.ts';
import { htmlReport } from './report/html.ts';
import { markdownReport } from './report/markdown.ts';
import { jsonReport, type Report } from './report/report.ts';
import { hasErrors, isInvalidRow } from './report/table.ts';
import { terminalReport } from './report/terminal.ts';
import { ownScenarios } from './own-scenarios.ts';
import { run } from './run.ts';
import { scenarios, type Scenario } from './scenarios.ts';

const FORMATS: Readonly<Record<string, (report: Report) => string>> = {
  json: jsonReport,
  markdown: markdownReport,
  html: htmlReport,
};
const FOLDERS = { hgrm: hgrmFiles } as const;

/**
 * Runs `wirebin bench`.
 *
 * @param args after `bench`
 * @returns the exit code
 * @throws SettingsError for a usage error
 */
export function runBench(args: readonly string[], streams: Streams): Promise<number> {
  return exitCodeOf(async () => {
    const { options, positionals, flags, warnings } = readBenchOptions(args, streams.environment);
    for (const warning of warnings) streams.error(`wirebin: ${warning}\n`);
    const [first, ...files] = positionals;
    if (first === 'show') {
      expectShown(flags);
      return show(files, options, streams);
    }
    const chosen = selectedScenarios(options);
    const urls = sideUrls(positionals, streams.program);
    expectNoContradiction(options, urls);
    const writers = reportWriters(options.report, FORMATS, FOLDERS);
    const origin = options.self ? await startOrigin(0) : undefined;
    try {
      const compared = await compare(options, urls, origin, streams);
      const report = await run(compared, chosen, options, streams);
      streams.out(terminalReport(report, isColored(streams)));
      for (const write of writers) write(report);
      return codeOf(report);
    } finally {
      await origin?.close();
    }
  }, streams);
}

/** Flags that also have a meaning for a run that is over. */
const SHOWN = new Set(['report', 'min-rate', 'max-added-p99']);

/** @throws SettingsError if there are others */
function expectShown(flags: readonly string[]): void {
  const other = flags.find((flag) => !SHOWN.has(flag));
  if (other !== undefined) throw new SettingsError(`show takes no --${other}`);
}

/** Shows a JSON report again, or compares two of them. @returns the exit code @throws SettingsError */
function show(files: readonly string[], options: BenchOptions, streams: Streams): number {
  const [path, newer, ...extra] = files;
  if (path === undefined) {
    throw new SettingsError('a JSON report is required; see wirebin bench --help');
  }
  if (extra.length > 0) throw new SettingsError(`unexpected argument ${extra.join(' ')}`);
  const writers = reportWriters(options.report, FORMATS, FOLDERS);
  const shown =
    newer === undefined
      ? readRecorded(path)
      : compareRuns(readComparable(path), readComparable(newer), fileNames(path, newer));
  const gates = new Set([...shown.failed_gates, ...failedGates(shown.rows, options)]);
  const report = { ...shown, failed_gates: [...gates] };
  streams.out(terminalReport(report, isColored(streams)));
  for (const write of writers) write(report);
  const isNothing = newer !== undefined && report.rows.length === 0;
  return isNothing ? NOT_TESTABLE : codeOf(report);
}

/** The exit code of a report. Errors in invalid rows do not count, because they may be due to the machine. */
function codeOf({ failed_gates: gates, rows, interrupted, during = [] }: Report): number {
  if (interrupted) return INTERRUPTED;
  if (brokenOf(during)) return NOT_TESTABLE;
  if (during.some(hasFailed)) return FINDINGS;
  const valid = rows.filter((row) => !isInvalidRow(row));
  if (gates.length > 0 || valid.some(hasErrors)) return FINDINGS;
  return valid.length < rows.length ? NOT_TESTABLE : NO_FINDING;
}

/**
 * The scenarios that --only selects; without it, those that options describe, or else the usual ones.
 *
 * @throws SettingsError if a glob matches none
 */
function selectedScenarios(options: BenchOptions): readonly Scenario[] {
  const { only, digest } = options;
  const own = ownScenarios(options);
  const all = [...scenarios, ...own];
  const unknown = only.find((glob) => !all.some(({ id }) => matchesAny(id, [glob])));
  if (unknown !== undefined) {
    const names = all.map(({ id }) => id).join(', ');
    throw new SettingsError(`no scenario has the name ${unknown}; there are ${names}`);
  }
  const usual = own.length > 0 ? own : scenarios.filter(({ isOnRequest }) => isOnRequest !== true);
  const chosen = only.length > 0 ? all.filter(({ id }) => matchesAny(id, only)) : usual;
  if (options.during !== undefined && chosen.some(({ isWebSocket }) => isWebSocket === true)) {
    throw new SettingsError('--during cannot follow the messages of a WebSocket');
  }
  return digest ? chosen.map((scenario) => ({ ...scenario, isHashed: true })) : chosen;
}
