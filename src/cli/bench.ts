import { runBench } from '../bench/command.ts';
import { benchHelp } from '../bench/help.ts';
import { runClientCommand } from './client-command.ts';

/** Runs `wirebin bench`. @returns the exit code @throws SettingsError */
export function bench(args: readonly string[]): Promise<number> {
  return runClientCommand(args, benchHelp, runBench);
}
