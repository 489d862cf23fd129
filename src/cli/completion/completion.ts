import { SettingsError } from '../../settings/settings-error.ts';
import { commands } from '../commands.ts';
import { bashCompletion } from './bash.ts';
import { fishCompletion } from './fish.ts';
import { SHELLS, type Shell } from './shells.ts';
import { zshCompletion } from './zsh.ts';

const generators: Readonly<Record<Shell, (all: typeof commands) => string>> = {
  bash: bashCompletion,
  fish: fishCompletion,
  zsh: zshCompletion,
};

/** Runs `wirebin completion`. @param args after `completion` @throws SettingsError for an unknown shell */
export function completion(args: readonly string[]): string {
  const shell = SHELLS.find((known) => known === args[0]);
  if (!shell || args.length > 1) {
    throw new SettingsError(`completion takes the name of a shell: ${SHELLS.join(', ')}`);
  }
  return generators[shell](commands);
}
