import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { reportSchema } from '../src/bench/report/report.ts';
import { guard } from '../src/server/schema.ts';
import { until } from './_adapters.ts';
import { installed } from './_process.ts';
import { sleepFor } from './_shell.ts';

const isReport = guard(reportSchema);
/** The threads of the load have a program of their own. */
const published = installed();

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test.each(['SIGINT', 'SIGHUP'] as const)('%s ends the command of --during', async (signal) => {
  const command = `echo "pid $$" >&2; trap "" TERM; while :; do ${sleepFor(100)}; done`;
  const load = '--self --only healthz --protocol http/1.1 --duration 100ms --rate 10';
  const running = published().run(['bench', ...load.split(' '), '--during', command]);
  await until(() => running.stderr.includes('pid '));
  const pid = Number(/pid (\d+)/.exec(running.stderr)?.[1]);
  running.child.kill(signal);
  expect(await running.exit).toBe(130);
  // Until init has waited for it.
  await until(() => !isThere(pid));
});

describe('--threads', () => {
  test('each has a part of the load', async () => {
    const file = join(published().root, 'bench.json');
    const args = `--only upload-64k --rounds 1 --duration 200ms --connections 3 --rate 20 --report json=${file}`;
    const running = published().run(['bench', '--self', '--threads', '2', ...args.split(' ')]);
    // 3 on a machine that is too busy.
    expect([0, 3], running.stderr).toContain(await running.exit);
    const report: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (!isReport(report)) throw new Error('the report is not as declared');
    expect(report.rows).toHaveLength(2);
    for (const { target } of report.rows) {
      expect(target.requests).toBeGreaterThan(4);
      expect(target.errors).toEqual({});
    }
  });

  test('an interruption ends them', async () => {
    const args = '--self --threads 3 --only healthz --duration 10m';
    const running = published().run(['bench', ...args.split(' ')]);
    await until(() => running.stderr.includes('row 1 of 2'));
    running.child.kill('SIGINT');
    expect(await running.exit).toBe(130);
  });
});
