import { readArguments } from './arguments.ts';
import { FLAGS, flagOf, variableOf, type Settings } from '../settings/settings.ts';
import { readSettings } from '../settings/read-settings.ts';
import type { Setting } from '../settings/setting.ts';
import { SettingsError } from '../settings/settings-error.ts';

/** The command to run. */
export type Invocation =
  | {
      readonly command: 'serve';
      readonly settings: Settings;
      /** To be logged once the service listens. */
      readonly warnings: readonly string[];
    }
  | { readonly command: 'check'; readonly args: readonly string[] }
  | { readonly command: 'help' }
  | { readonly command: 'version' };

/** The variable NAME_PORT that Kubernetes sets in a Pod for each Service. */
const SERVICE_LINK = /^(?:tcp|udp|sctp):\/\//;

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
  // It has options of its own.
  if (first === 'check') return { command: 'check', args: rest };
  const { command, values, positionals } = readArguments(args);
  if (command !== undefined) return { command };
  const [program = 'serve', ...extra] = positionals;
  if (program !== 'serve') throw new SettingsError(`unknown command ${program}; see --help`);
  if (extra.length > 0) throw new SettingsError(`unexpected argument ${extra.join(' ')}`);
  const warnings: string[] = [];
  const textOf = (name: string, setting: Setting<unknown>): string | undefined => {
    const flag = values.get(flagOf(name));
    if (flag !== undefined) return flag;
    const text = fromEnvironment(name, setting, environment);
    if (name !== 'port' || text === undefined || !SERVICE_LINK.test(text)) return text;
    warnings.push(
      `${variableOf(name)}=${text} is ignored: Kubernetes sets it for a Service named wirebin; set --port, or enableServiceLinks to false`,
    );
    return undefined;
  };
  return { command: 'serve', settings: readSettings(textOf, FLAGS, environment), warnings };
}

/** Treats an empty variable as unset: that is how env files leave one out. */
function fromEnvironment(
  name: string,
  { commonVariable = '' }: Setting<unknown>,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  return environment[variableOf(name)] || environment[commonVariable] || undefined;
}
