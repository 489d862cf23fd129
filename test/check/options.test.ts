import { chdir, cwd } from 'node:process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checks } from '../../src/check/catalogue/all.ts';
import { checkHelp } from '../../src/check/help.ts';
import { options, OPTIONS_FILE, readCheckOptions, variableOf } from '../../src/check/options.ts';
import { PROFILES } from '../../src/check/profile.ts';
import { flagOf } from '../../src/settings/settings.ts';

test('--help has every option and its variable', () => {
  const help = checkHelp();
  for (const name of Object.keys(options)) {
    expect(help).toContain(`--${flagOf(name)}`);
    expect(help).toContain(variableOf(name));
  }
});

test('--help and the documentation say what the profiles mean', () => {
  const page = readFileSync(new URL('../../docs/check.md', import.meta.url), 'utf8');
  for (const [name, { meaning, tolerates }] of Object.entries(PROFILES)) {
    expect(checkHelp()).toContain(`  ${name.padEnd(9)}${meaning}`);
    expect(page.replaceAll(/ +/g, ' ')).toContain(`| \`${name}\` | ${meaning} |`);
    expect(checks.map(({ id }): string => id)).toEqual(expect.arrayContaining([...tolerates]));
  }
});

test('flags, lists and positionals', () => {
  const args = ['http://a', '-k', '--only', 'a,b', '--only=c', '--no-trace', '--timeout', '2s'];
  const { options: read, positionals } = readCheckOptions(args, {});
  expect(positionals).toEqual(['http://a']);
  expect(readCheckOptions(['--rate', '1', '--rate', '2'], {}).options.rate).toBe(2);
  expect(read).toMatchObject({ insecure: true, only: ['a', 'b', 'c'], trace: false, timeout: 2 });
});

test.each([
  [['--rate', '0'], "--rate cannot be '0'; allowed: a whole number from 1 to 100000"],
  [['--profile', 'x'], "--profile cannot be 'x'; allowed: gateway, cdn, tcp"],
  [['--unheard'], 'unknown option --unheard; see wirebin check --help'],
  [['--onyl', 'a'], 'unknown option --onyl; did you mean --only?'],
  [['--control', 'a\r\nb'], '--control cannot be this; allowed: letters'],
])('%j is refused', (args, message) => {
  expect(() => readCheckOptions(args, {})).toThrow(message);
});

describe(OPTIONS_FILE, () => {
  const before = cwd();
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'wirebin-check-'));
    chdir(directory);
  });
  afterEach(() => {
    chdir(before);
    rmSync(directory, { recursive: true });
  });

  test('a flag overrides a variable, which overrides the file', () => {
    writeFileSync(OPTIONS_FILE, '{"rate": 1, "repeat": 2, "timeout": 3, "skip": ["a", "b"]}');
    const environment = { WIREBIN_CHECK_RATE: '10', WIREBIN_CHECK_REPEAT: '20' };
    const { options: read } = readCheckOptions(['--rate', '100'], environment);
    expect(read).toMatchObject({ rate: 100, repeat: 20, timeout: 3, skip: ['a', 'b'] });
  });

  test.each([
    ['[]', 'is no JSON object'],
    ['{"x": 1}', 'unknown key x'],
    ['{"rate": "x"}', "rate in wirebin.check.json cannot be 'x'"],
    ['{"rate": {}}', "rate in wirebin.check.json cannot be '{}'"],
  ])('%s is refused', (text, message) => {
    writeFileSync(OPTIONS_FILE, text);
    expect(() => readCheckOptions([], {})).toThrow(message);
  });

  test('a message names the variable that is wrong', () => {
    expect(() => readCheckOptions([], { WIREBIN_CHECK_RATE: 'x' })).toThrow(
      "WIREBIN_CHECK_RATE cannot be 'x'",
    );
  });

  test('a file that cannot be read is not taken for a missing one', () => {
    mkdirSync(OPTIONS_FILE);
    expect(() => readCheckOptions([], {})).toThrow('wirebin.check.json cannot be used: EISDIR');
  });
});
