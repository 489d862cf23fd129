import { readArguments } from './arguments.ts';
import { FLAGS, flagOf, variableOf, type Settings } from '../settings/settings.ts';
import { readSettings } from '../settings/read-settings.ts';
import type { Setting } from '../settings/setting.ts';
import { SettingsError } from '../settings/settings-error.ts';

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
  const textOf = (name: string, setting: Setting<unknown>): string | undefined =>
    texts.get(flagOf(name)) ?? fromEnvironment(name, setting, environment);
  return { command: 'serve', settings: readSettings(textOf, FLAGS, environment) };
}

/** An empty variable is as if it were not set: it is how files of settings leave one out. */
function fromEnvironment(
  name: string,
  { commonVariable = '' }: Setting<unknown>,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  return environment[variableOf(name)] || environment[commonVariable] || undefined;
}
