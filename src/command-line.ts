import { readArguments } from './arguments.ts';
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
  const { command, texts, positionals } = readArguments(args);
  if (command !== undefined) return { command };
  const [program = 'serve', ...extra] = positionals;
  if (program !== 'serve') throw new SettingsError(`unknown command ${program}; see --help`);
  if (extra.length > 0) throw new SettingsError(`unexpected argument ${extra.join(' ')}`);

  const read: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries<Setting<unknown>>(settings)) {
    const text = texts.get(flagOf(name)) ?? fromEnvironment(name, setting, environment);
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

/** An empty variable is as if it were not set: it is how files of settings leave one out. */
function fromEnvironment(
  name: string,
  { commonVariable = '' }: Setting<unknown>,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  return environment[variableOf(name)] || environment[commonVariable] || undefined;
}

function valueOf(name: string, setting: Setting<unknown>, text: string): unknown {
  const value = setting.read(text);
  if (value !== undefined) return value;
  throw new SettingsError(
    `--${flagOf(name)} (${variableOf(name)}) cannot be '${text}'; allowed: ${setting.allowed}`,
  );
}
