import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';

// The gate itself, on one path and for moments only: what is shown is that it can fail. Built beside
// what developers build, for a test must not change that under a measurement.

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BUILT = `${ROOT}/dist-bench/gate-test`;
const BUILD_TIME = 60_000;
const GATE_TIME = 90_000;

const execute = promisify(execFile);

function compile(project: string, output: string): Promise<unknown> {
  const compiler = `${ROOT}/node_modules/typescript/bin/tsc`;
  const args = [compiler, '-p', `${ROOT}/${project}`, '--outDir', `${BUILT}/${output}`];
  return execute(process.execPath, args);
}

beforeAll(async () => {
  mkdirSync(BUILT, { recursive: true });
  copyFileSync(`${ROOT}/package.json`, `${BUILT}/package.json`);
  await Promise.all([
    compile('src/tsconfig.build.json', 'dist'),
    compile('bench/tsconfig.json', 'dist-bench'),
  ]);
}, BUILD_TIME);

/** @returns the gate's exit code and its report, for a floor that a loaded machine reaches too */
async function gate(...args: string[]): Promise<{ code: unknown; report: string }> {
  const all = ['--filter=http/1.1 /bytes/1024', '--seconds=0.2', '--rounds=2', '--floor=0.2'];
  const program = [`${BUILT}/dist-bench/bench/gate.js`, ...all, ...args];
  try {
    const { stdout } = await execute(process.execPath, program);
    return { code: 0, report: stdout };
  } catch (error) {
    const { code, stdout } = error as { code: unknown; stdout: string };
    return { code, report: stdout };
  }
}

it('is green for the service as it is', { timeout: GATE_TIME }, async () => {
  const { code, report } = await gate();
  expect(report).toMatch(/\| http\/1\.1 \/bytes\/1024 .* passed \|/);
  expect(code).toBe(0);
});

it('is red for the same service when each request is held up', { timeout: GATE_TIME }, async () => {
  const { code, report } = await gate('--slow=2000');
  expect(report).toMatch(/\| http\/1\.1 \/bytes\/1024 .* failed \|/);
  expect(code).toBe(1);
});

it('is red when it measured nothing', { timeout: GATE_TIME }, async () => {
  expect(await gate('--filter=/nowhere')).toMatchObject({ code: 1 });
});
