import { exitCodeOf, FINDINGS, INTERRUPTED, NO_FINDING, NOT_TESTABLE } from '../check/exit.ts';
import { matchesAny } from '../check/glob.ts';
import { startOrigin, type RunningOrigin } from '../check/own-origin.ts';
import { reportWriters } from '../check/report/writers.ts';
import { isColored, type Streams } from '../check/streams.ts';
import { confirm, connectionOptions, httpUrl } from '../check/target-options.ts';
import { hostOf, Target, type TargetOptions } from '../check/target.ts';
import { SettingsError } from '../settings/settings-error.ts';
import { readBenchOptions, type BenchOptions } from './options.ts';
import { markdownReport } from './report/markdown.ts';
import { jsonReport, type Report } from './report/report.ts';
import { hasErrors, isInvalidRow } from './report/table.ts';
import { terminalReport } from './report/terminal.ts';
import { run, type Comparison } from './run.ts';
import { scenarios, type Scenario } from './scenarios.ts';

const FORMATS: Readonly<Record<string, (report: Report) => string>> = {
  json: jsonReport,
  markdown: markdownReport,
};

/**
 * Runs `wirebin bench`.
 *
 * @param args after `bench`
 * @returns the exit code
 * @throws SettingsError for a usage error
 */
export function runBench(args: readonly string[], streams: Streams): Promise<number> {
  return exitCodeOf(async () => {
    const { options, positionals, warnings } = readBenchOptions(args, streams.environment);
    for (const warning of warnings) streams.error(`wirebin: ${warning}\n`);
    const chosen = selectedScenarios(options);
    expectNoContradiction(options, positionals);
    const writers = reportWriters(options.report, FORMATS);
    const origin = options.self ? await startOrigin(0) : undefined;
    try {
      const compared = await comparison(options, positionals, origin, streams);
      const report = await run(compared, chosen, options, streams);
      streams.out(terminalReport(report, isColored(streams)));
      for (const write of writers) write(report);
      return codeOf(report);
    } finally {
      await origin?.close();
    }
  }, streams);
}

/** The exit code of a report. Errors in invalid rows do not count, because they may be due to the machine. */
function codeOf({ interrupted, failed_gates: gates, rows }: Report): number {
  if (interrupted) return INTERRUPTED;
  const valid = rows.filter((row) => !isInvalidRow(row));
  if (gates.length > 0 || valid.some(hasErrors)) return FINDINGS;
  return valid.length < rows.length ? NOT_TESTABLE : NO_FINDING;
}

/** The scenarios that --only selects. @throws SettingsError if a glob matches none */
function selectedScenarios({ only }: BenchOptions): readonly Scenario[] {
  const unknown = only.find((glob) => !scenarios.some(({ id }) => matchesAny(id, [glob])));
  if (unknown !== undefined) {
    const names = scenarios.map(({ id }) => id).join(', ');
    throw new SettingsError(`no scenario has the name ${unknown}; there are ${names}`);
  }
  return scenarios.filter(({ id }) => only.length === 0 || matchesAny(id, only));
}

/** Checks that options do not contradict each other. @throws SettingsError */
function expectNoContradiction(
  { self, direct, resolve, maxAddedP99 }: BenchOptions,
  positionals: readonly string[],
): void {
  const [url, ...extra] = positionals;
  if (extra.length > 0) throw new SettingsError(`unexpected argument ${extra.join(' ')}`);
  if (self && url !== undefined) throw new SettingsError('--self takes no URL');
  if (!self && url === undefined)
    throw new SettingsError('the URL of the target is required; see wirebin bench --help');
  for (const [name, value] of Object.entries({ direct, resolve })) {
    if (self && value !== undefined) throw new SettingsError(`--self takes no --${name}`);
  }
  if (maxAddedP99 !== undefined && !self && direct === undefined)
    throw new SettingsError('--max-added-p99 requires --direct');
}

/** Makes both sides, after the user has agreed to load them. @throws SettingsError, NotTestable */
async function comparison(
  options: BenchOptions,
  [url = '']: readonly string[],
  origin: RunningOrigin | undefined,
  streams: Streams,
): Promise<Comparison> {
  const connections = connectionOptions(options);
  if (origin) {
    const target = new Target({ ...connections, url: origin.url });
    return { target, direct: target, isSelf: true, isOneMachine: true };
  }
  const through = { ...connections, url: httpUrl(url) };
  // An origin often has a self-signed certificate.
  const past =
    options.direct === undefined
      ? undefined
      : {
          ...connections,
          url: httpUrl(options.direct, '--direct'),
          address: undefined,
          insecure: true,
        };
  if (!options.yes) {
    await confirm(through, 'load', streams);
    if (past) await confirm(past, 'load', streams);
  }
  return {
    target: new Target(through),
    direct: past && new Target(past),
    isSelf: false,
    isOneMachine: isLoopback(through) && past !== undefined && isLoopback(past),
  };
}

const isLoopback = ({ url, address }: TargetOptions): boolean =>
  /^(?:localhost|127\.[\d.]+|::1)$/.test(address ?? hostOf(url));
