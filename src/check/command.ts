import { accessSync, constants, readFileSync, writeFileSync } from 'node:fs';
import { lookup } from 'node:dns/promises';
import { dirname } from 'node:path';
import { Networks } from '../http/ip-address.ts';
import { SettingsError } from '../settings/settings-error.ts';
import { VERSION } from '../version.ts';
import { Baseline } from './baseline.ts';
import { checks, checksOf } from './catalogue/all.ts';
import { FINDING_LEVELS, type Check } from './check.ts';
import { explain } from './explain.ts';
import { matchesAny } from './glob.ts';
import { readCheckOptions, type CheckOptions } from './options.ts';
import { startOrigin, type RunningOrigin } from './own-origin.ts';
import { NotTestable, probe } from './probe.ts';
import { Progress } from './progress.ts';
import { repeatCommand } from './repeat.ts';
import { harReport } from './report/har.ts';
import { jsonReport } from './report/json.ts';
import { htmlReport, junitReport, markdownReport, tapReport } from './report/markup.ts';
import { findingsOf, type Report } from './report/report.ts';
import { githubAnnotations } from './report/github.ts';
import { diffText, listText, showText } from './report/stored.ts';
import { requestCommand } from './report/request-command.ts';
import { terminalReport, traceText } from './report/terminal.ts';
import type { Result } from './result.ts';
import { plan, Runner } from './runner.ts';
import type { Streams } from './streams.ts';
import { hostOf, Target } from './target.ts';
import { errorText } from './words.ts';

/** Exit codes. */
const NO_FINDING = 0;
const FINDINGS = 1;
const NOT_TESTABLE = 3;
const OWN_FAULT = 4;
const INTERRUPTED = 130;

const FORMATS: Readonly<Record<string, (report: Report) => string>> = {
  json: jsonReport,
  junit: junitReport,
  tap: tapReport,
  markdown: markdownReport,
  html: htmlReport,
  har: harReport,
};

/**
 * `wirebin check`.
 *
 * @param args after `check`
 * @returns the exit code
 * @throws SettingsError for a usage error
 */
export async function runCheck(args: readonly string[], streams: Streams): Promise<number> {
  try {
    return await runCommand(args, streams);
  } catch (error) {
    if (error instanceof SettingsError) throw error;
    streams.error(`wirebin: ${errorText(error)}\n`);
    return OWN_FAULT;
  }
}

async function runCommand(args: readonly string[], streams: Streams): Promise<number> {
  const { options, positionals } = readCheckOptions(args, streams.environment);
  if (options.list) {
    streams.out(listText(selected(options)));
    return NO_FINDING;
  }
  const [first, second, third] = positionals;
  switch (first) {
    case 'explain':
      streams.out(await explain(checkOf(second), streams.program));
      return NO_FINDING;
    case 'show':
      streams.out(showText(readText(required(second, 'a report')), third));
      return NO_FINDING;
    case 'diff':
      streams.out(
        diffText(
          readText(required(second, 'an old report')),
          readText(required(third, 'a new report')),
        ),
      );
      return NO_FINDING;
    default:
      return checkTarget(options, positionals, streams);
  }
}

/** @throws SettingsError if the file cannot be read */
function readInput(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw unusable(path, error);
  }
}

const readText = (path: string): string => readInput(path).toString();

/** Checks before a run what is written after it. @throws SettingsError */
function expectWritable(path: string): void {
  try {
    accessSync(dirname(path), constants.W_OK);
  } catch (error) {
    throw unusable(path, error);
  }
}

function unusable(what: string, error: unknown): SettingsError {
  return new SettingsError(`${what} cannot be used: ${errorText(error)}`);
}

function required(value: string | undefined, what: string): string {
  if (value === undefined) throw new SettingsError(`${what} is required; see wirebin check --help`);
  return value;
}

function checkOf(id: string | undefined): Check {
  const check = checks.find((each) => each.id === required(id, 'the id of a check'));
  if (!check) throw new SettingsError(`there is no check ${id}; see wirebin check --list`);
  return check;
}

/** The checks that the options select. */
function selected({ only, skip, profile }: CheckOptions): readonly Check[] {
  const wanted = checksOf(profile).filter(({ id }) => only.length === 0 || matchesAny(id, only));
  const left = wanted.filter(({ id }) => !matchesAny(id, skip));
  if (left.length === 0)
    throw new SettingsError('no check has such an id; see wirebin check --list');
  return left;
}

async function checkTarget(
  options: CheckOptions,
  positionals: readonly string[],
  streams: Streams,
): Promise<number> {
  const chosen = selected(options);
  const writers = reportWriters(options.report);
  if (options.updateBaseline) expectWritable(required(options.baseline, '--baseline'));
  let origin: RunningOrigin | undefined;
  try {
    if (options.self || options.serve > 0)
      origin = await startOrigin(options.serve).catch((error: unknown) => {
        throw unusable(`--serve ${options.serve}`, error);
      });
    const url = targetUrl(options, positionals, origin);
    await confirm(url, options, streams);
    const target = new Target({
      ...connectionOptions(options, url),
      origin: originUrl(options, origin),
      control: origin?.control ?? options.control,
    });
    const report = await run(target, chosen, options, streams);
    for (const write of writers) write(report);
    const { program } = streams;
    streams.out(
      terminalReport(report, isColored(streams), {
        program,
        repeat: ({ id }) =>
          repeatCommand(program, options.self ? '--self' : url.origin, id, options),
        // An origin of this process ends with it.
        request: (result) =>
          origin === undefined ? requestCommand(result, url, options) : undefined,
      }),
    );
    return exitCode(report, options, streams);
  } catch (error) {
    if (error instanceof Interrupted) return INTERRUPTED;
    if (!(error instanceof NotTestable)) throw error;
    streams.error(`wirebin: ${error.message}\n`);
    return NOT_TESTABLE;
  } finally {
    await origin?.close();
  }
}

/** The run was ended before it was known what the target is: there is nothing to report. */
class Interrupted extends Error {}

function unlessInterrupted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(new Interrupted());
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

async function run(
  target: Target,
  chosen: readonly Check[],
  options: CheckOptions,
  streams: Streams,
): Promise<Report> {
  const time = options.timeout * 1000;
  const startedAt = new Date().toISOString();
  const start = performance.now();
  const facts = await unlessInterrupted(probe(target, time), streams.signal);
  const planned = plan(chosen, facts);
  const progress = new Progress(planned.length, streams);
  const runner = new Runner(target, facts, {
    time,
    concurrency: options.concurrency,
    rate: options.self ? Infinity : options.rate,
    repeat: options.repeat,
    destructive: options.destructive || options.self,
    slow: options.slow,
    signal: streams.signal,
    onResult: (result, done) => progress.update(result, done),
    onTransfers: options.trace
      ? (each, transfers) => streams.out(traceText(each, transfers))
      : undefined,
  });
  const results = await runner.run(planned);
  progress.end();
  const { failOn, strict } = options;
  const levels = FINDING_LEVELS.filter(
    (level) => failOn.includes(level) || (strict && level === 'should'),
  );
  const findings = findingsOf(results, levels);
  return {
    target: target.url.origin,
    startedAt,
    duration: performance.now() - start,
    version: VERSION,
    facts,
    results,
    isInterrupted: streams.signal.aborted,
    levels,
    findings: compared(findings, results, options, streams),
  };
}

function compared(
  findings: readonly Result[],
  results: readonly Result[],
  { baseline: path, updateBaseline }: CheckOptions,
  streams: Streams,
): readonly Result[] {
  if (path === undefined) return findings;
  const baseline = Baseline.read(path);
  if (updateBaseline) {
    baseline.write(path, findings, results);
    return [];
  }
  const today = new Date().toISOString().slice(0, 10);
  const { findings: left, notes } = baseline.compare(findings, results, today);
  for (const note of notes) streams.error(`${note}\n`);
  return left;
}

function exitCode(report: Report, { github }: CheckOptions, streams: Streams): number {
  if (github) githubAnnotations(report, streams);
  if (report.isInterrupted) return INTERRUPTED;
  if (report.findings.length > 0) return FINDINGS;
  return report.results.some(({ outcome }) => outcome === 'error') ? OWN_FAULT : NO_FINDING;
}

/** The files to write, of which the formats are checked before the run. */
function reportWriters(reports: readonly string[]): ((report: Report) => void)[] {
  return reports.map((text) => {
    const at = text.indexOf('=');
    const format = FORMATS[text.slice(0, at)];
    const path = text.slice(at + 1);
    if (at === -1 || !format || path === '') {
      const names = Object.keys(FORMATS).join(', ');
      throw new SettingsError(`--report cannot be '${text}'; allowed: FORMAT=FILE, with ${names}`);
    }
    expectWritable(path);
    return (report) => writeFileSync(path, format(report));
  });
}

function targetUrl(
  { self }: CheckOptions,
  positionals: readonly string[],
  origin: RunningOrigin | undefined,
): URL {
  const [text, ...extra] = positionals;
  if (extra.length > 0) throw new SettingsError(`unexpected argument ${extra.join(' ')}`);
  if (self && origin) {
    if (text !== undefined) throw new SettingsError('--self takes no URL');
    return origin.url;
  }
  const url = required(text, 'the URL of the target');
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new SettingsError(`${url} is no http or https URL`);
  }
  return new URL(url);
}

function originUrl(
  { origin: text }: CheckOptions,
  own: RunningOrigin | undefined,
): URL | undefined {
  if (text === undefined) return own?.url;
  if (!URL.canParse(text)) throw new SettingsError(`--origin cannot be '${text}'; allowed: a URL`);
  return new URL(text);
}

function connectionOptions(options: CheckOptions, url: URL) {
  const { resolve, insecure, self, cacert, cert, key, proxyProtocol } = options;
  return {
    url,
    address: resolve,
    insecure: insecure || self,
    ca: cacert === undefined ? undefined : readInput(cacert),
    cert: cert === undefined ? undefined : readInput(cert),
    key: key === undefined ? undefined : readInput(key),
    proxyProtocol: proxyProtocol === 'off' ? undefined : proxyProtocol,
  };
}

const LOCAL = [
  '127.0.0.0/8',
  '::1/128',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  'fc00::/7',
];

/** Asks once before a target is checked that others may own. */
async function confirm(url: URL, { yes, resolve }: CheckOptions, streams: Streams): Promise<void> {
  if (yes) return;
  const host = resolve ?? hostOf(url);
  const { address } = await lookup(host).catch(() => ({ address: host }));
  const local = new Networks();
  for (const range of LOCAL) local.add(range);
  if (local.has(address)) return;
  const question = `${url.origin} (${address}) is neither loopback nor private. Check it?`;
  if (!streams.ask) throw new SettingsError(`${question} Confirm with --yes`);
  const answer = await streams.ask(`${question} [y/N] `);
  if (!/^y(?:es)?$/i.test(answer)) throw new SettingsError('not checked');
}

function isColored({ isTerminal, environment }: Streams): boolean {
  return isTerminal && !environment['NO_COLOR'];
}
