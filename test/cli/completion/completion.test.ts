import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { completion } from '../../../src/cli/completion/completion.ts';
import { SHELLS } from '../../../src/cli/completion/shells.ts';
import { commands } from '../../../src/cli/commands.ts';
import { flagOf } from '../../../src/settings/settings.ts';
import { hasProgram } from '../../_programs.ts';
import { everyNth } from '../../_whole.ts';

// Shells take their time to start on a busy machine.
vi.setConfig({ testTimeout: 40_000 });

const folder = mkdtempSync(join(tmpdir(), 'wirebin-completion-'));

beforeAll(() => {
  for (const shell of SHELLS) writeFileSync(join(folder, `wirebin.${shell}`), completion([shell]));
  mkdirSync(join(folder, 'some folder'));
  writeFileSync(join(folder, 'some file.pem'), '');
  writeFileSync(join(folder, 'capture.zsh'), ZSH_CAPTURE);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Skipped, by a name that says so, where the shell is missing. */
function describeShell(shell: string, tests: () => void): void {
  const isInstalled = hasProgram(shell);
  describe.runIf(isInstalled)(isInstalled ? shell : `${shell} is not installed`, tests);
}

function outputOf(program: string, args: readonly string[]): string {
  const options = { cwd: folder, encoding: 'utf8', timeout: 30_000 } as const;
  const { stdout, stderr, status } = spawnSync(program, args, options);
  expect([status, stderr]).toEqual([0, '']);
  return stdout;
}

/** What bash completes the last of these words to. */
function bash(...words: string[]): string[] {
  const program = `
    source wirebin.bash
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _wirebin && printf '%s\\n' "\${COMPREPLY[@]}"`;
  return outputOf('bash', ['-c', program, 'bash', ...words])
    .split('\n')
    .filter(Boolean);
}

/** Each command with all of its flags, in order. */
const flags = commands.map(({ name: command, options }) => {
  const own = Object.entries(options).flatMap(([name, { value }]) => {
    const flag = flagOf(name);
    return value === undefined ? [`--${flag}`, `--no-${flag}`] : [`--${flag}`];
  });
  const common = command === 'serve' ? ['--help', '--version'] : ['--help'];
  return [command, [...own, ...common].toSorted()] as const;
});

describeShell('bash', () => {
  test.each(everyNth(2, flags))('every flag of %s', (command, expected) => {
    expect(bash('wirebin', command, '--').toSorted()).toEqual(expected);
  });

  test.each(
    everyNth<readonly [string[], string[]]>(3, [
      [
        ['wirebin', '--port', '1', '--ta'],
        ['--tap', '--tap-secrets'],
      ],
      [
        ['wirebin', ''],
        ['serve', 'check', 'bench', 'health', 'completion'],
      ],
      [['wirebin', 'ch'], ['check']],
      [['wirebin', 'check', 'e'], ['explain']],
      [['wirebin', 'bench', '--max-a'], ['--max-added-p99']],
      [
        ['wirebin', 'bench', '--protocol', 'http/1.1,h2'],
        ['http/1.1,h2', 'http/1.1,h2c'],
      ],
      [
        ['wirebin', 'check', 'show', 'some f'],
        ['some folder', 'some file.pem'],
      ],
      [
        ['wirebin', 'completion', ''],
        ['bash', 'fish', 'zsh'],
      ],
      [
        ['wirebin', '--tls-min', 'TLSv1.'],
        ['TLSv1.1', 'TLSv1.2', 'TLSv1.3'],
      ],
      [
        ['wirebin', '--tls-min', '=', ''],
        ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'],
      ],
      [['wirebin', '--dialect', '=', 'ht'], ['httpbin']],
      [
        ['wirebin', 'check', '--proxy-protocol', 'v'],
        ['v1', 'v2'],
      ],
      [
        ['wirebin', '--transports', 'h2c,htt'],
        ['h2c,http/1.1', 'h2c,https/1.1'],
      ],
      [
        ['wirebin', '--tls-cert', 'some f'],
        ['some folder', 'some file.pem'],
      ],
      [['wirebin', '--inspect-file', 'some'], ['some folder']],
      [['wirebin', '--port', ''], []],
      [['wirebin', '-p', ''], []],
    ]),
  )('%j', (words, expected) => {
    expect(bash(...words).toSorted()).toEqual(expected.toSorted());
  });
});

/** What fish completes this line to. */
function fish(line: string): string[] {
  const program = 'source wirebin.fish; complete -C $argv[1]';
  const lines = outputOf('fish', ['--no-config', '-c', program, line]).split('\n').filter(Boolean);
  return lines.map((one) => one.split('\t')[0] ?? '');
}

describeShell('fish', () => {
  test.each(everyNth(2, flags))('every flag of %s', (command, expected) => {
    expect(fish(`wirebin ${command} --`).toSorted()).toEqual(expected);
  });

  test.each(
    everyNth<readonly [string, string[]]>(3, [
      ['wirebin ', ['bench', 'check', 'completion', 'health', 'serve']],
      ['wirebin check ', ['diff', 'explain', 'show']],
      ['wirebin check show some\\ fi', ['some file.pem']],
      ['wirebin --tls-min TLSv1.', ['TLSv1.1', 'TLSv1.2', 'TLSv1.3']],
      ['wirebin --transports h2c,htt', ['h2c,http/1.1', 'h2c,https/1.1']],
      ['wirebin --inspect-file some', ['some folder/']],
      ['wirebin check --proxy', ['--proxy-protocol']],
      ['wirebin check --max', []],
    ]),
  )('%s', (line, expected) => {
    expect(fish(line).toSorted()).toEqual(expected.toSorted());
  });
});

/** Types a line into an interactive zsh, presses Tab and waits until it shows the pattern. */
const ZSH = `
  zmodload zsh/zpty
  zpty z zsh -f -i
  zpty -w z 'autoload -Uz compinit; compinit -u -D; source ./wirebin.zsh; echo RE''ADY'
  zpty -r z output '*READY*'
  zpty -w -n z "$1"$'\\t'
  zpty -r z output "*$2*"
  zpty -d z
  print -r -- "$output"`;

/** Writes down what zsh could complete a word to. */
const ZSH_CAPTURE = String.raw`
  compadd() {
    local -a all
    # Those with -O, -A or -D fill an array instead of adding completions.
    if [[ ${'$'}{@[1,(i)(-|--)]} != *-(O|A|D)\ * ]]; then
      builtin compadd -A all "$@"
      print -l -- $all >>completed
    fi
    builtin compadd "$@"
  }
  written() { print WRITTEN }
  comppostfuncs=(written)
  : >completed`;

/** Types a line, presses Tab and prints what is written down. */
const ZSH_ALL = `
  zmodload zsh/zpty
  zpty z zsh -f -i
  zpty -w z 'autoload -Uz compinit; compinit -u -D; source ./wirebin.zsh; source ./capture.zsh'
  zpty -w z 'echo RE""ADY'
  zpty -r z output '*READY*'
  zpty -w -n z "$1"$'\\t'
  zpty -r z output '*WRITTEN*'
  zpty -d z
  sort -u completed`;

describeShell('zsh', () => {
  test.each(everyNth(2, flags))('every flag of %s', (command, expected) => {
    const line = `wirebin ${command} --`;
    const completed = outputOf('zsh', ['-f', '-c', ZSH_ALL, 'zsh', line]).split('\n');
    expect(completed.filter(Boolean).toSorted()).toEqual(expected);
  });

  test.each(
    everyNth<readonly [string, string]>(3, [
      ['wirebin comple', 'tion'],
      ['wirebin --tls-cip', 'hers'],
      ['wirebin --dialect=go', 'go-httpbin'],
      ['wirebin --transports h2c,http/', 'http/1.1'],
      ['wirebin check ex', 'explain'],
      ['wirebin check --insec', '--insecure'],
      ['wirebin completion f', 'fish'],
    ]),
  )('%s: %s', (line, shown) => {
    expect(outputOf('zsh', ['-f', '-c', ZSH, 'zsh', line, shown])).toContain(shown);
  });
});

test('the name of a shell is required', () => {
  const message = 'completion takes the name of a shell: bash, fish, zsh';
  expect(() => completion([])).toThrow(message);
  expect(() => completion(['tcsh'])).toThrow(message);
});
