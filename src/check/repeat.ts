import { flagOf } from '../settings/settings.ts';
import type { Check } from './check.ts';
import { options as defaults, type CheckOptions } from './options.ts';

/** Options that a check needs to come to the same verdict. */
const FLAGS = ['insecure', 'destructive', 'slow'] as const;
const VALUES = [
  'serve',
  'origin',
  'profile',
  'timeout',
  'resolve',
  'cacert',
  'cert',
  'key',
  'proxyProtocol',
] as const;

/**
 * The command that repeats one check, for a shell.
 *
 * @param program how the user has called the command, such as `npm start --`
 * @param target the URL, or `--self`
 */
export function repeatCommand(
  program: string,
  target: string,
  id: Check['id'],
  options: Partial<CheckOptions> = {},
): string {
  const flags = FLAGS.filter((name) => options[name]).map((name) => `--${flagOf(name)}`);
  const values = VALUES.flatMap((name) => {
    const value = options[name] ?? defaults[name].default;
    return value === defaults[name].default ? [] : [`--${flagOf(name)}`, String(value)];
  });
  const args = [target, ...flags, ...values, '--only', id, '--trace'];
  return `${program} check ${args.map(quoted).join(' ')}`;
}

/** Quotes what a POSIX shell would not take as it is. */
function quoted(text: string): string {
  return /^[\w%+,./:=@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
