import { optionVariable, readCommandOptions, type OptionValues } from '../check/command-options.ts';
import { options as checkOptions } from '../check/options.ts';
import {
  duration,
  integer,
  commaList,
  string,
  toggle,
  wordList,
  type Setting,
} from '../settings/setting.ts';
import { PROTOCOLS } from './protocol.ts';
import { parseCondition } from './rates/condition.ts';
import { parseSweep } from './rates/sweep.ts';

const { timeout, resolve, cacert, cert, key, insecure } = checkOptions;

/** The setting without a default. */
function unset<T>(setting: Setting<T>, defaultText = ''): Setting<T | undefined> {
  return { ...setting, default: undefined, defaultText };
}

/** A setting without a default. @param read throws a SettingsError that says what is wrong */
function parsed<T>(value: string, help: string, read: (text: string) => T): Setting<T | undefined> {
  return { default: undefined, defaultText: '', value, help, allowed: '', read };
}

/** A setting with field lines, one in each flag. */
const fieldLines = (help: string): Setting<readonly string[]> => ({
  ...commaList("'NAME: VALUE'", help),
  separator: '\n',
  allowed: 'a name, a colon and a value',
  read: (text) => text.split('\n'),
});

/** All options of `wirebin bench`. Flags, environment variables and keys of the file are derived from the names. */
export const options = {
  direct: string(undefined, 'URL', 'Where the origin can be reached past the target, to compare.'),
  self: toggle('Measure a wirebin of its own, on both sides: the ratio is about 1.'),
  only: commaList('GLOBS', 'Measure these scenarios only, such as healthz,*-64k; see below.'),
  path: string(
    undefined,
    'PATH',
    'Measure a request of your own, with its query, in place of the scenarios.',
  ),
  method: string(undefined, 'METHOD', 'Method of the request at --path.'),
  field: fieldLines('Field of the request at --path; may be repeated.'),
  content: string(undefined, 'TEXT|@FILE', 'Content of the request at --path, or of a file.'),
  status: unset(integer(200, 200, 599, 'Status that responses to --path must have.'), '200'),
  mixed: string(
    undefined,
    'FILE',
    'Measure a mix of requests: a JSON array of path, method, fields, content, status and weight.',
  ),
  digest: toggle('Compare the content of each response with that of the first by SHA-256.'),
  protocol: wordList(PROTOCOLS, 'Measure these protocols only.'),
  time: unset(
    duration(
      1,
      1,
      86_400,
      'Time for all rows. Rounds go on until the results are clear, or it is up.',
    ),
    '2m for a row',
  ),
  rounds: unset(
    integer(
      10,
      1,
      1000,
      'How often each side is measured, in turn; with --time, at least, if it suffices.',
    ),
    'at least 10',
  ),
  duration: unset(
    duration(
      1,
      0.1,
      3600,
      'Length of each load at a rate, after a warm-up; a full load is half as long.',
    ),
    '1s, or less to fit into --time; with --during 5s',
  ),
  connections: unset(integer(16, 1, 10_000, 'Connections at the same time.'), '16, on HTTP/2 4'),
  streams: integer(16, 1, 1000, 'Requests at the same time on an HTTP/2 connection.'),
  threads: integer(
    1,
    1,
    64,
    'Threads that generate the load, each with a part of the connections.',
  ),
  rate: unset(
    integer(
      1,
      1,
      1_000_000,
      'Requests per second for latencies; lowered if a side does not keep it.',
    ),
    'half of what the slower side does, with --during 1000',
  ),
  during: string(
    undefined,
    'COMMAND',
    'Run it in the shell under a load at --rate, and tell what became of each request.',
  ),
  find: parsed(
    'CONDITION',
    'Find the highest rate at which it holds, such as p99<5ms,errors=0.',
    parseCondition,
  ),
  sweep: parsed(
    'RATES',
    'Measure latency by rate: 10%..120% of what is found, or does at full load; 100..900.',
    parseSweep,
  ),
  timeout,
  pid: commaList(
    'PIDS',
    'Processes of the target, in place of those that listen on its port here; A=PID of two.',
  ),
  minRate: unset(
    integer(1, 1, 100_000_000, 'The exit code is 1 below so many requests per second.'),
  ),
  maxAddedP99: unset(
    duration(1, 0, 3600, 'The exit code is 1 if the target adds more to the 99th percentile.'),
  ),
  yes: toggle('Do not ask before a target is loaded that is neither loopback nor private.'),
  resolve,
  cacert,
  cert,
  key,
  insecure,
  report: commaList(
    'FORMAT=FILE',
    'Write a report; formats: json, markdown, html, and hgrm into a folder.',
  ),
} as const satisfies Record<string, Setting<unknown>>;

export type BenchOptions = OptionValues<typeof options>;

export const variableOf = (name: string): string => optionVariable('bench', name);

/** @throws SettingsError */
export function readBenchOptions(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
) {
  return readCommandOptions('bench', options, args, environment);
}
