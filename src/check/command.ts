import { setMaxListeners } from 'node:events';
import { existsSync } from 'node:fs';
import { didYouMean, nearest } from '../http/nearest.ts';
import { SettingsError } from '../settings/settings-error.ts';
import { Baseline } from './baseline.ts';
import { checks, checksOf } from './catalogue/all.ts';
import { isVerdict, TOPICS, type Check } from './check.ts';
import { escapeControlsInLine } from './escape-controls.ts';
import { exitCodeOf, FINDINGS, INTERRUPTED, NO_FINDING, NOT_TESTABLE, OWN_FAULT } from './exit.ts';
import { explain } from './explain.ts';
import { meansOf } from './front.ts';
import { expectWritable, readInput, unusable } from './files.ts';
import { matchesAny } from './glob.ts';
import { readCheckOptions, type CheckOptions } from './options.ts';
import { startOrigin, type RunningOrigin } from './own-origin.ts';
import { repeatCommand } from './repeat.ts';
import { harReport } from './report/har.ts';
import { jsonReport } from './report/json.ts';
import { htmlReport } from './report/html.ts';
import { junitReport, markdownReport, tapReport } from './report/markup.ts';
import type { Report } from './report/report.ts';
import { githubAnnotations } from './report/github.ts';
import { requestCommand } from './report/request-command.ts';
import {
  diffReports,
  listText,
  showText,
  storedReport,
  type StoredReport,
} from './report/stored.ts';
import { terminalReport, type View } from './report/terminal.ts';
import { reportWriters } from './report/writers.ts';
import { addressOf } from './path-prefix.ts';
import type { Result } from './result.ts';
import { runChecks } from './run.ts';
import { isColored, type Streams } from './streams.ts';
import { confirm, expectNoContradiction, targetOptions } from './target-options.ts';
import { Target } from './target.ts';

const FORMATS: Readonly<Record<string, (report: Report) => string>> = {
  json: jsonReport,
  junit: junitReport,
  tap: tapReport,
  markdown: markdownReport,
  html: htmlReport,
  har: harReport,
};

/**
 * Runs `wirebin check`.
 *
 * @param args after `check`
 * @returns the exit code
 * @throws SettingsError for a usage error
 */
export function runCheck(args: readonly string[], streams: Streams): Promise<number> {
  return exitCodeOf(() => runCommand(args, streams), streams);
}

async function runCommand(args: readonly string[], streams: Streams): Promise<number> {
  const { options, positionals, warnings } = readCheckOptions(args, streams.environment);
  for (const warning of warnings) streams.error(`wirebin: ${warning}\n`);
  if (options.list) {
    const inAll = selectedOf(checks, options).length;
    streams.out(listText(selectedChecks(options), options.profile, inAll));
    return NO_FINDING;
  }
  const [first, ...rest] = positionals;
  switch (first) {
    case 'explain': {
      const [id] = atMost(1, rest);
      streams.out(await explain(checkWithId(id), streams.program));
      return NO_FINDING;
    }
    case 'show': {
      const [path, id] = atMost(2, rest);
      streams.out(showText(readReport(required(path, 'a report')), id));
      return NO_FINDING;
    }
    case 'diff': {
      const [older, newer] = atMost(2, rest);
      const before = readReport(required(older, 'an old report'));
      const after = readReport(required(newer, 'a new report'));
      const { text, isWorse } = diffReports(before, after, options.all);
      streams.out(text);
      return isWorse ? FINDINGS : NO_FINDING;
    }
    default:
      return checkTarget(options, positionals, streams);
  }
}

/** Checks the number of positional arguments. @throws SettingsError if there are too many */
function atMost(count: number, args: readonly string[]): readonly string[] {
  if (args.length <= count) return args;
  throw new SettingsError(`unexpected argument ${args.slice(count).join(' ')}`);
}

const readReport = (path: string): StoredReport => storedReport(readInput(path).toString(), path);

function required(value: string | undefined, what: string): string {
  if (value === undefined) throw new SettingsError(`${what} is required; see wirebin check --help`);
  return value;
}

function checkWithId(argument: string | undefined): Check {
  const id = required(argument, 'the id of a check');
  const check = checks.find((each) => each.id === id);
  if (check) return check;
  const only = TOPICS.some((topic) => topic === id) ? ` --only '${id}/*'` : '';
  throw new SettingsError(`there is no check ${id}; see wirebin check --list${only}`);
}

/** The checks that the options select. @throws SettingsError if a glob matches no check, or no check is left */
function selectedChecks(options: CheckOptions): readonly Check[] {
  const { only, skip } = options;
  const unknown = [...only, ...skip].find(
    (glob) => !checks.some(({ id }) => matchesAny(id, [glob])),
  );
  if (unknown !== undefined) {
    const near = nearest(unknown, [
      ...TOPICS.map((each) => `${each}/*`),
      ...checks.map(({ id }) => id),
    ]);
    const hint = near === undefined ? 'see wirebin check --list' : didYouMean(`'${near}'`);
    throw new SettingsError(`no check has the id ${unknown}; ${hint}`);
  }
  const left = selectedOf(checksOf(options.profile), options);
  if (left.length === 0)
    throw new SettingsError(
      '--only, --skip and --profile leave no check; see wirebin check --list',
    );
  return left;
}

/** Checks --require. @throws SettingsError if one of its globs names no check that is run */
function expectRequired({ require }: CheckOptions, chosen: readonly Check[]): void {
  const unknown = require.find((glob) => !chosen.some(({ id }) => matchesAny(id, [glob])));
  if (unknown !== undefined)
    throw new SettingsError(
      `--require ${unknown} names no check of this run; see wirebin check --list`,
    );
}

function selectedOf(of: readonly Check[], { only, skip }: CheckOptions): readonly Check[] {
  const wanted = of.filter(({ id }) => only.length === 0 || matchesAny(id, only));
  return wanted.filter(({ id }) => !matchesAny(id, skip));
}

async function checkTarget(
  options: CheckOptions,
  positionals: readonly string[],
  streams: Streams,
): Promise<number> {
  const chosen = selectedChecks(options);
  expectRequired(options, chosen);
  expectNoContradiction(options, positionals, streams.program);
  const writers = reportWriters(options.report, FORMATS);
  const baseline = readBaseline(options);
  let origin: RunningOrigin | undefined;
  const end = new AbortController();
  // Each connection listens to it.
  setMaxListeners(0, end.signal);
  try {
    if (options.self || options.serve > 0)
      origin = await startOrigin(options.serve).catch((error: unknown) => {
        throw unusable(`--serve ${options.serve}`, error);
      });
    const known = targetOptions(options, positionals, origin);
    if (!options.yes) await confirm(known, 'check', streams);
    const target = new Target({ ...known, signal: end.signal });
    const report = await runChecks(target, chosen, options, baseline, streams);
    const { program } = streams;
    const url = options.self ? '--self' : addressOf(known.url);
    streams.out(
      terminalReport(report, viewOf(options, streams), {
        program,
        repeat: ({ id }) => repeatCommand(program, url, id, options),
        // With an origin of this process, which is closed by then, the curl command would reach nothing.
        request: (result) =>
          origin === undefined ? requestCommand(result, known.url, options) : undefined,
      }),
    );
    for (const write of writers) write(report);
    return exitCode(report, options, streams);
  } finally {
    // A target that is stuck never closes its connections, and would keep this process for as long.
    end.abort();
    await origin?.close();
  }
}

/** Reads --baseline; with --update-baseline, a missing file is an empty one. @throws SettingsError */
function readBaseline({ baseline: path, updateBaseline }: CheckOptions): Baseline | undefined {
  if (updateBaseline) expectWritable(required(path, '--baseline'));
  if (path === undefined) return undefined;
  return updateBaseline && !existsSync(path) ? new Baseline() : Baseline.read(path);
}

const viewOf = ({ all, summary }: CheckOptions, streams: Streams): View => ({
  isColored: isColored(streams),
  isTerminal: streams.isTerminal,
  columns: streams.columns,
  isAll: all,
  isSummary: summary,
});

function exitCode(report: Report, { github }: CheckOptions, streams: Streams): number {
  if (github) githubAnnotations(report, streams);
  if (report.isInterrupted) return INTERRUPTED;
  if (report.stopped !== undefined) return NOT_TESTABLE;
  if (report.findings.length + report.gaps.length > 0) return FINDINGS;
  if (report.results.some(({ outcome }) => outcome === 'error')) return OWN_FAULT;
  const reason = nothingJudged(report.results);
  if (reason === undefined) return NO_FINDING;
  streams.error(`wirebin: no check could judge the target: ${escapeControlsInLine(reason)}\n`);
  return NOT_TESTABLE;
}

/** What kept all checks from a verdict; undefined if one has it, or if none is applicable to such a target. */
function nothingJudged(results: readonly Result[]): string | undefined {
  const isJudged = results.some(({ outcome }) => isVerdict(outcome));
  const missing = results.find(
    ({ outcome, reason }) => outcome === 'blocked' || meansOf(reason) !== undefined,
  );
  return isJudged ? undefined : missing?.reason;
}
