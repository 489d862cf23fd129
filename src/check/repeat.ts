import { quoted } from '../pages/curl.ts';
import { flagOf } from '../settings/settings.ts';
import { checks } from './catalogue/all.ts';
import type { Check } from './check.ts';
import { options as defaults, variableOf, type CheckOptions } from './options.ts';

/** Options without which a repeated check might judge otherwise, or its finding might not count. */
const FLAGS = ['insecure', 'destructive', 'slow', 'yes', 'strict'] as const;
const VALUES = [
  'serve',
  'origin',
  'profile',
  'failOn',
  'rate',
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
    const text = String(options[name] ?? defaults[name].default);
    if (text === String(defaults[name].default)) return [];
    // A number without a unit must be an integer.
    const isFraction = name === 'timeout' && text.includes('.');
    return [`--${flagOf(name)}`, isFraction ? `${text}s` : text];
  });
  const args = [target, ...flags, ...values].map(quoted);
  return [program, 'check', ...args, ...control(id, options), '--only', id, '--trace'].join(' ');
}

/** `--control` of a check that needs it. The token is a secret, so the command names a shell variable. */
function control(id: Check['id'], { control: token }: Partial<CheckOptions>): readonly string[] {
  const isUsed = checks.some((check) => check.id === id && check.needs?.includes('control'));
  if (!isUsed || token === undefined) return [];
  return ['--control', `"\${${variableOf('control')}:?the token of --control}"`];
}
