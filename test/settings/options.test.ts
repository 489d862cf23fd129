import { expect, test } from 'vitest';
import { settings } from '../../src/settings/settings.ts';
import { OPTION_DEFAULTS, optionNames } from '../../src/settings/read-options.ts';
import type { Setting } from '../../src/settings/setting.ts';

const HEAD = `import type { Logger } from '../telemetry/logger.ts';

// Written from the table of settings by \`npx vitest run test/options.test.ts --update\`.

/** The settings of the command line by their camelCase names. A string is read as it is there. */
export interface ServiceOptions {
  /** What is logged; without it nothing is. \`console\` and the loggers of pino fit. */
  readonly logger?: Logger | undefined;
`;

/** What the help of the command line says is true of its own defaults only. */
const HELP = new Map([['host', 'Address to listen on; `::` is all, IPv4 and IPv6.']]);

/** What numbers and texts are, by how `--help` shows them. */
const VALUES: Readonly<Record<string, string>> = {
  FILE: 'The path of a file.',
  DURATION: "In seconds, or with units: `'1m30s'`.",
  SIZE: "In bytes, or with a unit: `'64K'`.",
  MB: "In MB, or with a unit: `'64M'`.",
};

const all: Readonly<Record<string, Setting<unknown>>> = settings;

function typeOf({ default: fallback, choices, value = '' }: Setting<unknown>): string {
  if (choices) return choices.words.map((word) => `'${word}'`).join(' | ');
  if (typeof fallback === 'number') return value in VALUES ? 'number | string' : 'number';
  if (typeof fallback === 'boolean') return 'boolean';
  return ['PATHS', 'DOMAINS', 'RANGES'].includes(value) ? 'readonly string[]' : 'string';
}

/** `needs --tls-key.` → `needs tlsKey.` */
function help(name: string, text: string): string {
  return (HELP.get(name) ?? text)
    .replace(', of each worker', '')
    .replace(/--([a-z-]+)/g, (_, flag: string) => camelCase(flag))
    .replace(/@[\w=]+/g, '`$&`');
}

function camelCase(flag: string): string {
  return flag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function property(name: string): string {
  const setting = all[name];
  if (!setting) throw new Error(`there is no setting ${name}`);
  const fallback = OPTION_DEFAULTS.get(name) ?? setting.shown;
  const lines = [
    help(name, setting.help),
    [VALUES[setting.value ?? ''], fallback && `Default: ${fallback}.`].filter(Boolean).join(' '),
  ].filter(Boolean);
  const one = `  /** ${lines.join(' ')} */`;
  const comment =
    one.length <= 100 ? one : ['  /**', ...lines.map((line) => `   * ${line}`), '   */'].join('\n');
  return `${comment}\n  readonly ${name}?: ${typeOf(setting)} | undefined;\n`;
}

test('every option of createService is declared as its setting has it', async () => {
  const declared = `${HEAD}${optionNames.map(property).join('')}}\n`;
  await expect(declared).toMatchFileSnapshot('../../src/settings/options.ts');
});
