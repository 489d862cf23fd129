import {
  bearerToken,
  duration,
  integer,
  commaList,
  oneOf,
  string,
  toggle,
  wordList,
  type Setting,
} from '../settings/setting.ts';
import { FAIL_ON, type FailOn } from './check.ts';
import { PROXY_VERSIONS } from '../wire/proxy-protocol/write.ts';
import {
  optionsFileName,
  optionVariable,
  readCommandOptions,
  type OptionValues,
} from './command-options.ts';
import { DETECT, PRODUCTS } from './known.ts';
import { PROFILE_NAMES } from './profile.ts';

const DEFAULT_FAIL_ON: readonly FailOn[] = ['must', 'lost'];

/** All options of `wirebin check`. Flags, environment variables and keys of the file are derived from the names. */
export const options = {
  list: toggle('List the checks that the options select, and send nothing.'),
  self: toggle('Check a wirebin of its own, with nothing between.'),
  serve: integer(
    0,
    0,
    65_535,
    'Start an origin in this process on this port; the target must lead to it. 0 starts none.',
  ),
  origin: commaList('URL', 'Where an origin can be reached past the target; of several, each.'),
  control: bearerToken('Token of --control of the origin, which is then drained.'),
  only: commaList('GLOBS', 'Run these checks only, such as hop/*,retry/post-*.'),
  skip: commaList('GLOBS', 'Do not run these checks.'),
  profile: oneOf(PROFILE_NAMES, 'gateway', 'cdn', 'What the target is meant to be; see below.'),
  destructive: toggle(
    'Run checks that may harm the requests of others: request smuggling, and floods of HTTP/2 frames.',
  ),
  slow: toggle('Run checks that take long too: idle connections, for about two minutes.'),
  yes: toggle('Do not ask before a target is checked that is neither loopback nor private.'),
  strict: toggle('Findings of the level `should` also make the exit code 1.'),
  failOn: {
    ...wordList(
      FAIL_ON,
      'What makes the exit code 1: findings of a level, flaky or blocked checks, and, with a baseline, verdicts that are lost, or changed from pass to differs.',
    ),
    default: DEFAULT_FAIL_ON,
    defaultText: DEFAULT_FAIL_ON.join(','),
  },
  require: commaList(
    'GLOBS',
    'Checks that must have a verdict, such as grpc/*,websocket/*: one that has none makes the exit code 1.',
  ),
  rate: integer(50, 1, 100_000, 'Requests per second.'),
  concurrency: integer(8, 1, 256, 'Checks at the same time.'),
  repeat: integer(1, 1, 100, 'How often each check is run; if its outcomes differ, it is flaky.'),
  timeout: duration(5, 1, 300, 'Limit of each request.'),
  resolve: string(undefined, 'ADDRESS', 'Connect to this address in place of the host of the URL.'),
  cacert: string(undefined, 'FILE', 'CA certificates in PEM that verify the target.'),
  cert: string(undefined, 'FILE', 'Client certificate in PEM; requires --key.'),
  key: string(undefined, 'FILE', 'Private key of the client certificate in PEM.'),
  insecure: { ...toggle('Do not verify the certificate of the target.'), short: 'k' },
  proxyProtocol: oneOf(
    ['off', ...PROXY_VERSIONS],
    'off',
    'v2',
    'Begin each connection to the target with a PROXY header of this version.',
  ),
  report: commaList(
    'FORMAT=FILE',
    'Write a report; formats: json, junit, tap, markdown, html, har.',
  ),
  baseline: string(undefined, 'FILE', 'Findings that are known, and do not count.'),
  known: oneOf(
    [DETECT, 'none', ...PRODUCTS],
    DETECT,
    'haproxy',
    'Set apart findings that the recorded report of this product has too; detected by Server or Via.',
  ),
  acceptKnown: toggle('Findings that the recorded report of the product has too do not count.'),
  updateBaseline: toggle('Write the findings of this run to the baseline.'),
  all: toggle(
    'List also what differs or is blocked; with diff, also what is not applicable in one of the reports.',
  ),
  summary: toggle('Print only the result in a line and what the target does.'),
  github: toggle('Write annotations and a summary for GitHub Actions.'),
  trace: toggle('Print what is sent and received.'),
} as const satisfies Record<string, Setting<unknown>>;

export type CheckOptions = OptionValues<typeof options>;

const COMMAND = 'check';

export const variableOf = (name: string): string => optionVariable(COMMAND, name);

export const OPTIONS_FILE = optionsFileName(COMMAND);

/** @throws SettingsError */
export function readCheckOptions(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
) {
  return readCommandOptions(COMMAND, options, args, environment);
}
