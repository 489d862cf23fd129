import { readInvocation } from '../src/cli/command-line.ts';
import { startupWarnings } from '../src/cli/warnings.ts';
import type { Settings } from '../src/settings/settings.ts';

/** The settings of a command line that serves. @throws SettingsError */
export function readSettings(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Settings {
  const invocation = readInvocation(args, environment);
  if (invocation.command !== 'serve') throw new Error(`not serve but ${invocation.command}`);
  return invocation.settings;
}

/** What a service with this command line warns of at its start, on a Node that is supported. */
export function warningsAtStart(...args: string[]): Promise<string[]> {
  return startupWarnings(readSettings(args), '24.21.0', Date.parse('2026-11-01'));
}
