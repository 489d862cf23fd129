import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { nearest } from '../settings/nearest.ts';
import { flagOf } from '../settings/settings.ts';
import { SettingsError } from '../settings/settings-error.ts';
import {
  bearerToken,
  duration,
  integer,
  list,
  oneOf,
  string,
  toggle,
  wordList,
  type Setting,
} from '../settings/setting.ts';
import { FINDING_LEVELS } from './check.ts';
import { PROXY_VERSIONS } from './client/proxy-header.ts';
import { readInput } from './files.ts';
import { parseObject } from './origin.ts';
import { PROFILE_NAMES } from './profile.ts';
import { errorText } from './words.ts';

const PREFIX = 'WIREBIN_CHECK_';

/** Every option of `wirebin check`. Flags, variables and keys of the file come from the names. */
export const options = {
  list: toggle('List the checks that the options select, and send nothing.'),
  self: toggle('Check a wirebin of its own, with nothing between.'),
  serve: integer(
    0,
    0,
    65_535,
    'Start an origin in this process on this port; the target must lead to it. 0 starts none.',
  ),
  origin: string(undefined, 'URL', 'Where the origin can be reached past the target.'),
  control: bearerToken('Token of --control of the origin, which is then drained.'),
  only: list('GLOBS', 'Run these checks only, such as hop/*,retry/post-*.'),
  skip: list('GLOBS', 'Do not run these checks.'),
  profile: oneOf(PROFILE_NAMES, 'gateway', 'cdn', 'What the target is meant to be; see below.'),
  destructive: toggle(
    'Run checks that may harm the requests of others, such as request smuggling.',
  ),
  slow: toggle('Run checks that take long too: idle connections, for about two minutes.'),
  yes: toggle('Do not ask before a target is checked that is neither loopback nor private.'),
  strict: toggle('Findings of the level `should` also make the exit code 1.'),
  failOn: {
    ...wordList(FINDING_LEVELS, 'The levels whose findings make the exit code 1.'),
    default: ['must'],
    defaultText: 'must',
  },
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
  report: {
    ...list('FORMAT=FILE', 'Write a report; formats: json, junit, tap, markdown, html, har.'),
    isRepeatable: true,
  },
  baseline: string(undefined, 'FILE', 'Findings that are known, and do not count.'),
  updateBaseline: toggle('Write the findings of this run to the baseline.'),
  github: toggle('Write annotations and a summary for GitHub Actions.'),
  trace: toggle('Print what is sent and received.'),
} as const satisfies Record<string, Setting<unknown> & { readonly isRepeatable?: boolean }>;

type Options = typeof options;
export type CheckOptions = {
  readonly [Name in keyof Options]: Options[Name] extends Setting<infer T> ? T : never;
};

export const variableOf = (name: string): string =>
  PREFIX + flagOf(name).toUpperCase().replaceAll('-', '_');

/** The file whose keys are the flags without their dashes. */
export const OPTIONS_FILE = 'wirebin.check.json';

/**
 * Reads the options of a command line; a flag counts more than a variable, which counts more than the file.
 *
 * @throws SettingsError
 */
export function readCheckOptions(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): { readonly options: CheckOptions; readonly positionals: readonly string[] } {
  const { flags, positionals } = parse(args);
  const file = readFile();
  const read: Record<string, unknown> = {};
  for (const [name, option] of Object.entries<Setting<unknown>>(options)) {
    const flag = flagOf(name);
    const variable = variableOf(name);
    const sources = [
      [`--${flag}`, flags.get(flag)],
      [variable, environment[variable] || undefined],
      [`${flag} in ${OPTIONS_FILE}`, file.get(flag)],
    ] as const;
    const [source, text] = sources.find(([, value]) => value !== undefined) ?? [];
    read[name] = text === undefined ? option.default : valueOf(source ?? '', option, text);
  }
  // Every key now has a value of its option's type. TypeScript cannot check that for a loop.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as the comment says
  const complete = read as CheckOptions;
  if ((complete.cert === undefined) !== (complete.key === undefined)) {
    throw new SettingsError('--cert and --key belong together');
  }
  return { options: complete, positionals };
}

function valueOf(source: string, option: Setting<unknown>, text: string): unknown {
  const value = option.read(text);
  if (value !== undefined) return value;
  const shown = option.isSecret === true ? 'this' : `'${text}'`;
  throw new SettingsError(`${source} cannot be ${shown}; allowed: ${option.allowed}`);
}

function parse(args: readonly string[]) {
  const declared = Object.fromEntries(
    Object.entries<Setting<unknown>>(options).map(([name, { value, short, default: fallback }]) => [
      flagOf(name),
      {
        type: value === undefined ? ('boolean' as const) : ('string' as const),
        // Lists are joined; of anything else, the last one wins.
        ...(Array.isArray(fallback) && { multiple: true }),
        ...(short !== undefined && { short }),
      },
    ]),
  );
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: declared,
      allowPositionals: true,
      allowNegative: true,
    });
    const flags = new Map(
      Object.entries(values).map(([flag, value]) => [
        flag,
        Array.isArray(value) ? value.join(',') : String(value),
      ]),
    );
    return { flags, positionals };
  } catch (error) {
    const message = errorText(error);
    const [, unknown] = /^Unknown option '(.+?)'/.exec(message) ?? [];
    if (unknown === undefined) throw new SettingsError(message.replaceAll('\n', ' '));
    const near = nearest(unknown.replace(/^-+/, ''), Object.keys(declared));
    const hint = near === undefined ? 'see wirebin check --help' : `did you mean --${near}?`;
    throw new SettingsError(`unknown option ${unknown}; ${hint}`);
  }
}

function readFile(): Map<string, string> {
  if (!existsSync(OPTIONS_FILE)) return new Map();
  const values = parseObject(readInput(OPTIONS_FILE).toString());
  if (!values) throw new SettingsError(`${OPTIONS_FILE} is no JSON object`);
  const flags = new Set(Object.keys(options).map(flagOf));
  const unknown = Object.keys(values).find((name) => !flags.has(name));
  if (unknown !== undefined)
    throw new SettingsError(`${OPTIONS_FILE} has an unknown key ${unknown}`);
  return new Map(
    Object.entries(values).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(textOf).join(',') : textOf(value),
    ]),
  );
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);
