import { runCheck } from '../check/command.ts';
import { checkHelp } from '../check/help.ts';
import { runClientCommand } from './client-command.ts';

/** Runs `wirebin check`. @returns the exit code @throws SettingsError */
export function check(args: readonly string[]): Promise<number> {
  return runClientCommand(args, checkHelp, runCheck);
}
