import { expect, test } from 'vitest';
import { settings } from '../../src/settings/settings.ts';
import { OPTION_DEFAULTS, optionNames } from '../../src/settings/read-options.ts';
import type { Setting } from '../../src/settings/setting.ts';

const HEAD = `import type { Logger } from '../telemetry/logger.ts';

// Generated from settings.ts by \`npx vitest run test/settings/options.test.ts --update\`.

/** The command-line settings, by their camelCase names. Strings have the syntax of the command line. */
export interface ServiceOptions {
  /** Receives the log, for example \`console\` or a pino logger. Default: no log. */
  readonly logger?: Logger | undefined;
`;

/** Replaces help texts that only apply to the defaults of the command line. */
const HELP = new Map([['host', 'Address to listen on; `::` for all IPv4 and IPv6 addresses.']]);

/** Describes values by what `--help` shows for them. */
const VALUES: Readonly<Record<string, string>> = {
  FILE: 'File path.',
  DURATION: "In seconds, or with units: `'1m30s'`.",
  SIZE: "In bytes, or with a unit: `'64K'`.",
  MB: "In MB, or with a unit: `'64M'`.",
};

const all: Readonly<Record<string, Setting<unknown>>> = settings;

function typeOf({ default: fallback, choices, value = '' }: Setting<unknown>): string {
  if (choices) return choices.words.map((word) => `'${word}'`).join(' | ');
  if (typeof fallback === 'number' || value === 'N')
    return value in VALUES ? 'number | string' : 'number';
  if (typeof fallback === 'boolean') return 'boolean';
  return ['PATHS', 'DOMAINS', 'RANGES', 'LIST', 'SHARES', 'RULE'].includes(value)
    ? 'readonly string[]'
    : 'string';
}

/** Replaces flags with option names: `requires --tls-key.` → `requires tlsKey.` */
function help(name: string, text: string): string {
  return (HELP.get(name) ?? text)
    .replace(', per worker', '')
    .replace(/--([a-z-]+)/g, (_, flag: string) => camelCase(flag))
    .replace(/@[\w=]+/g, '`$&`');
}

function camelCase(flag: string): string {
  return flag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function property(name: string): string {
  const setting = all[name];
  if (!setting) throw new Error(`there is no setting ${name}`);
  const fallback = OPTION_DEFAULTS.get(name) ?? setting.defaultText;
  const lines = [
    help(name, setting.help),
    [VALUES[setting.value ?? ''], fallback && `Default: ${fallback}.`].filter(Boolean).join(' '),
  ].filter(Boolean);
  const one = `  /** ${lines.join(' ')} */`;
  const comment =
    one.length <= 100 ? one : ['  /**', ...lines.map((line) => `   * ${line}`), '   */'].join('\n');
  const type = `${typeOf(setting)} | undefined`;
  const line = `  readonly ${name}?: ${type};`;
  const broken = type.split(' | ').map((member) => `\n    | ${member}`);
  const declared = line.length <= 100 ? line : `  readonly ${name}?:${broken.join('')};`;
  return `${comment}\n${declared}\n`;
}

test('ServiceOptions matches the settings', async () => {
  const declared = `${HEAD}${optionNames.map(property).join('')}}\n`;
  await expect(declared).toMatchFileSnapshot('../../src/settings/options.ts');
});
