import { readArguments } from './arguments.ts';
import { npmHint, npmWarnings } from './npm-start.ts';
import { FLAGS, settings, variableOf, type Settings } from '../settings/settings.ts';
import { readSettings } from '../settings/read-settings.ts';
import { settingTexts } from './setting-texts.ts';
import { SettingsError } from '../settings/settings-error.ts';
import { unknownVariables } from '../settings/unknown-variables.ts';

/** The command to run, and its input. */
export type Invocation =
  | {
      readonly command: 'serve';
      readonly settings: Settings;
      /** Warnings that are logged when the service listens. */
      readonly warnings: readonly string[];
    }
  | { readonly command: 'check' | 'bench' | 'completion'; readonly args: readonly string[] }
  | { readonly command: 'help' }
  | { readonly command: 'version' };

/**
 * Reads command line and environment. Flags override environment variables, which override defaults.
 *
 * @throws SettingsError
 */
export function readInvocation(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Invocation {
  const [first, ...rest] = args;
  // These commands have options of their own.
  if (first === 'check' || first === 'bench') return { command: first, args: rest };
  const { command, values, positionals } = readArguments(args);
  if (command !== undefined) return { command };
  const [program = 'serve', ...extra] = positionals;
  if (program === 'completion') return { command: 'completion', args: extra };
  if (program !== 'serve')
    throw new SettingsError(`unknown command ${program}; see --help${npmHint(environment)}`);
  if (extra.length > 0)
    throw new SettingsError(`unexpected argument ${extra.join(' ')}${npmHint(environment)}`);
  const warnings = [...npmWarnings(environment), ...variableWarnings(environment)];
  const textOf = settingTexts(values, environment, (warning) => warnings.push(warning));
  return { command: 'serve', settings: readSettings(textOf, FLAGS, environment), warnings };
}

/** Warnings about environment variables that no setting has. Those of check and bench are checked by these commands. */
function variableWarnings(environment: Readonly<Record<string, string | undefined>>): string[] {
  const others = Object.keys(environment).filter((name) => /^WIREBIN_(?:CHECK|BENCH)_/.test(name));
  const known = Object.keys(settings).map(variableOf);
  return unknownVariables('WIREBIN_', [...known, ...others], environment, '--help');
}
