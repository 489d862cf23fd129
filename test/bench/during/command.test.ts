import { afterAll, beforeAll, expect, test } from 'vitest';
import { markdownReport } from '../../../src/bench/report/markdown.ts';
import { createService, type Service } from '../../../src/index.ts';
import { sleepFor } from '../../_shell.ts';
import { runCommand } from '../_command.ts';

let origin: Service;
beforeAll(async () => {
  origin = await createService();
});
afterAll(() => origin.close());

const LOAD = ['--only', 'healthz', '--duration', '100ms', '--rate', '10', '--connections', '2'];

test('in place of rows, there is what happened while the command ran', async () => {
  const { code, out, error, report } = await runCommand([
    origin.httpOrigin,
    ...LOAD,
    '--during',
    'exit 0',
  ]);
  expect(code, out).toBe(0);
  expect(error).toBe(
    '2 rows of 0.2 s and the time of the command\nrow 1 of 2: healthz http/1.1\nrow 2 of 2: healthz h2c\n',
  );
  expect(report?.rows).toEqual([]);
  expect(report?.during?.map(({ protocol }) => protocol)).toEqual(['http/1.1', 'h2c']);
  const requests = (report?.during ?? []).reduce((sum, view) => sum + view.requests, 0);
  expect(report?.verdict).toBe(`No request failed, of ${requests}.`);
  expect(out).toContain('\nhealthz h2c at 10 requests/s, while running exit 0 (');
  expect(out).toContain('\nBy the journal of the origin: each arrived once.\n');
  expect(out).toMatch(/\nNo request failed, of \d+\.\n$/);
  expect(report && markdownReport(report)).toContain('```text\nhealthz http/1.1 at 10 requests/s');
});

test('a command that fails does not show what happens when it succeeds', async () => {
  const only = ['--protocol', 'http/1.1'];
  const { code, out } = await runCommand([
    origin.httpOrigin,
    ...LOAD,
    ...only,
    '--during',
    'exit 4',
  ]);
  expect(code).toBe(3);
  expect(out).toContain('The command failed with exit code 4:');
});

test('an interruption ends the load and the command', async () => {
  const end = new AbortController();
  setTimeout(() => end.abort(), 1000);
  const long = ['--protocol', 'http/1.1', '--duration', '100ms', '--rate', '10'];
  const { code, out } = await runCommand(
    [origin.httpOrigin, '--only', 'healthz', ...long, '--during', sleepFor(600_000)],
    { signal: end.signal },
  );
  expect(code).toBe(130);
  expect(out).toMatch(/Nothing was measured\.\n$/);
});
