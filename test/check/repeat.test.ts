import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { readCheckOptions, type CheckOptions } from '../../src/check/options.ts';
import { repeatCommand } from '../../src/check/repeat.ts';
import { hasProgram } from '../_programs.ts';

const run = promisify(execFile);

/** The arguments that a shell passes on for the command that repeats a check with these arguments. */
async function repeated(
  args: readonly string[],
  id: Parameters<typeof repeatCommand>[2] = 'hop/te',
  environment: Readonly<Record<string, string>> = {},
): Promise<string[]> {
  const { options } = readCheckOptions(args, {});
  const command = repeatCommand('wirebin', 'http://a', id, options);
  // The function stands for the program.
  const script = `wirebin() { printf '%s\\0' "$@"; }\n${command}`;
  const { stdout } = await run('sh', ['-c', script], { env: environment });
  return stdout.split('\0').slice(1, -1);
}

/** All options but those of the command itself. */
function relevant(options: CheckOptions): CheckOptions {
  return { ...options, only: [], trace: false, control: undefined };
}

describe.runIf(hasProgram('sh'))('the command that repeats a check', () => {
  test.each([
    [['--serve', '9000']],
    [['--origin', 'http://[::1]:8080']],
    [['--profile', 'cdn']],
    [['--destructive', '--slow', '--yes', '-k']],
    [['--strict', '--fail-on', 'must,quality']],
    [['--timeout', '1500ms', '--rate', '5']],
    [['--resolve', '::1']],
    [['--cacert', "a's CA.pem"]],
    [['--cert', '$HOME/a b.pem', '--key', '`key`.pem']],
    [['--proxy-protocol', 'v1']],
  ])('has %j', async (args) => {
    const again = readCheckOptions(await repeated(args), {});
    expect(relevant(again.options)).toEqual(relevant(readCheckOptions(args, {}).options));
    expect(again.options).toMatchObject({ only: ['hop/te'], trace: true });
    expect(again.positionals).toEqual(['http://a']);
  });

  const control = ['--origin', 'http://b', '--control', 'secret'];

  test('takes the token of --control from its variable: it is not printed', async () => {
    const { options } = readCheckOptions(control, {});
    const command = repeatCommand('wirebin', 'http://a', 'drain/requests', options);
    expect(command).not.toContain('secret');
    const args = await repeated(control, 'drain/requests', {
      WIREBIN_CHECK_CONTROL: 'secret',
    });
    expect(readCheckOptions(args, {}).options).toMatchObject({ control: 'secret' });
    await expect(repeated(control, 'drain/requests')).rejects.toThrow(
      'WIREBIN_CHECK_CONTROL: the token of --control',
    );
  });

  test('leaves the token out for a check that does not use it', async () => {
    expect(await repeated(control, 'hop/te')).not.toContain('--control');
  });
});
