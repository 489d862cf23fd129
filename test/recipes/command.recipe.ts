import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** It would run until a signal, if it started anything. */
const TIME = 2 * 60_000;

const start = (program: string, ...args: readonly string[]) =>
  spawnSync(program, args, { cwd: ROOT, encoding: 'utf8', timeout: TIME });
const run = (...args: readonly string[]) =>
  start(process.execPath, 'dist-scripts/scripts/recipes.js', ...args);

test('npm run recipes starts nothing for what it does not know', { timeout: 4 * TIME }, () => {
  expect(start('npx', 'tsc', '-p', 'scripts/tsconfig.json')).toMatchObject({ status: 0 });
  const usage = expect.stringContaining('Usage: npm run recipes -- NAME');
  const mistyped = run('ngnix');
  expect(mistyped).toMatchObject({ status: 2, stdout: usage });
  expect(mistyped.stderr).toContain('unknown recipe ngnix; did you mean nginx?');
  expect(run('nginx', 'caddy')).toMatchObject({ status: 2, stdout: usage });
  expect(run('nginx', '--help')).toMatchObject({ status: 0, stdout: usage });
});
