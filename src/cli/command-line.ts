import { readArguments } from './arguments.ts';
import { FLAGS, type Settings } from '../settings/settings.ts';
import { readSettings } from '../settings/read-settings.ts';
import { settingTexts } from './setting-texts.ts';
import { SettingsError } from '../settings/settings-error.ts';

/** The command to run. */
export type Invocation =
  | {
      readonly command: 'serve';
      readonly settings: Settings;
      /** To be logged once the service listens. */
      readonly warnings: readonly string[];
    }
  | { readonly command: 'check' | 'bench' | 'completion'; readonly args: readonly string[] }
  | { readonly command: 'help' }
  | { readonly command: 'version' };

/**
 * Reads the command line and the environment. Flags override variables, variables override defaults.
 *
 * @throws SettingsError
 */
export function readInvocation(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Invocation {
  const [first, ...rest] = args;
  // They have options of their own.
  if (first === 'check' || first === 'bench') return { command: first, args: rest };
  const { command, values, positionals } = readArguments(args);
  if (command !== undefined) return { command };
  const [program = 'serve', ...extra] = positionals;
  if (program === 'completion') return { command: 'completion', args: extra };
  if (program !== 'serve') throw new SettingsError(`unknown command ${program}; see --help`);
  if (extra.length > 0) throw new SettingsError(`unexpected argument ${extra.join(' ')}`);
  const warnings: string[] = [];
  const textOf = settingTexts(values, environment, (warning) => warnings.push(warning));
  return { command: 'serve', settings: readSettings(textOf, FLAGS, environment), warnings };
}
