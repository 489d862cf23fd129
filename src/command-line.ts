import { parseArgs } from 'node:util';
import {
  checkTogether,
  flagOf,
  settings,
  SettingsError,
  variableOf,
  type Settings,
  type Values,
} from './config.ts';
import type { Setting } from './setting.ts';

/** What the command line asks for. */
export type Invocation =
  | { readonly command: 'serve'; readonly settings: Settings }
  | { readonly command: 'help' }
  | { readonly command: 'version' };

/**
 * Reads the command line and the environment; a flag beats a variable, a variable the default.
 *
 * @throws SettingsError
 */
export function readInvocation(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Invocation {
  const { values, positionals } = parsed(args);
  if (values['help'] !== undefined) return { command: 'help' };
  if (values['version'] !== undefined) return { command: 'version' };
  const [command = 'serve', ...extra] = positionals;
  if (command !== 'serve') throw new SettingsError(`unknown command ${command}; try --help`);
  if (extra.length > 0) throw new SettingsError(`unexpected argument ${extra.join(' ')}`);

  const read: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries<Setting<unknown>>(settings)) {
    const flag = values[flagOf(name)];
    const text = flag === undefined ? fromEnvironment(name, setting, environment) : String(flag);
    read[name] = text === undefined ? setting.default : valueOf(name, setting, text);
  }
  // Each name was given the value of its own setting; no mapped type can be built by steps.
  const complete = read as Values;
  checkTogether(complete);
  const { envPrefix } = complete;
  const shown = envPrefix === undefined ? undefined : variablesUnder(envPrefix, environment);
  return { command: 'serve', settings: { ...complete, environment: shown } };
}

/** The variables whose names begin so. */
function variablesUnder(
  prefix: string,
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const entries = Object.entries(environment).flatMap(([name, value]): [string, string][] =>
    name.startsWith(prefix) && value !== undefined ? [[name, value]] : [],
  );
  return Object.fromEntries(entries);
}

function fromEnvironment(
  name: string,
  { commonVariable }: Setting<unknown>,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const own = environment[variableOf(name)];
  if (own !== undefined || commonVariable === undefined) return own;
  // Where others share the variable, empty is how they turn it off.
  return environment[commonVariable] || undefined;
}

function valueOf(name: string, setting: Setting<unknown>, text: string): unknown {
  const value = setting.read(text);
  if (value !== undefined) return value;
  throw new SettingsError(
    `--${flagOf(name)} (${variableOf(name)}) cannot be '${text}'; allowed: ${setting.allowed}`,
  );
}

function parsed(args: readonly string[]): ReturnType<typeof parseArgs> {
  const options: Record<string, { type: 'string' | 'boolean' }> = {
    help: { type: 'boolean' },
    version: { type: 'boolean' },
  };
  for (const [name, { value }] of Object.entries<Setting<unknown>>(settings)) {
    options[flagOf(name)] = { type: value === undefined ? 'boolean' : 'string' };
  }
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, allowNegative: true });
  } catch (error) {
    throw new SettingsError(usageOf(error instanceof Error ? error.message : String(error)));
  }
}

/** What parseArgs found, in one line, and in our words where a value is missing. */
function usageOf(message: string): string {
  const [, flag] = /^Option '--([\w-]+)(?: <value>)?' argument/.exec(message) ?? [];
  for (const [name, { allowed }] of Object.entries<Setting<unknown>>(settings)) {
    if (flagOf(name) === flag) {
      return `--${flag} (${variableOf(name)}) needs a value; allowed: ${allowed}`;
    }
  }
  return message.replaceAll('\n', ' ');
}

/** The text of `--help`. */
export function helpText(): string {
  const rows = Object.entries<Setting<unknown>>(settings).map(([name, setting]) => {
    const flag = `--${flagOf(name)}${setting.value === undefined ? '' : ` ${setting.value}`}`;
    const fallback = setting.shown === '' ? '' : ` [${setting.shown}]`;
    const variables = [variableOf(name), setting.commonVariable].filter(Boolean).join(', ');
    return `  ${`${flag} `.padEnd(26)}${setting.help}${fallback}\n  ${''.padEnd(26)}${variables}`;
  });
  return [
    'wirebin [serve] [options]   serve HTTP/1.1 and HTTP/2, in clear and over TLS, on one port',
    '',
    ...rows,
    `  ${'--version'.padEnd(26)}Print the version.`,
    `  ${'--help'.padEnd(26)}Print this.`,
    '',
  ].join('\n');
}
