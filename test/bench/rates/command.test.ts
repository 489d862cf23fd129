import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Side } from '../../../src/bench/measure.ts';
import { createService } from '../../../src/index.ts';
import { runCommand } from '../_command.ts';
import { random, simulate } from './_simulated.ts';

test('--find takes no time of the rows that follow', async () => {
  const now = performance.now.bind(performance);
  let skipped = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now() + skipped);
  const chance = random(1);
  vi.spyOn(Side.prototype, 'tryRate').mockImplementation((rate) => {
    skipped += 1e6;
    const trial = simulate(rate, { capacity: 1000, chance });
    return Promise.resolve({ ...trial, busy: 0.5, pressure: undefined });
  });
  const origin = await createService();
  onTestFinished(() => origin.close());
  const short = ['--duration', '100ms', '--rounds', '2', '--time', '1000', '--rate', '10'];
  const args = [origin.httpOrigin, '--only', 'healthz', '--connections', '2', '--find', 'errors=0'];
  const { report } = await runCommand([...args, ...short]);
  expect(report?.rows.map(({ target }) => target.samples.length)).toEqual([2, 2]);
});

test('--find, --sweep, and reports with charts and distributions', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'wirebin-rates-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const chance = random(1);
  // The rates of a server that does 1,000 requests per second, whatever this machine does.
  vi.spyOn(Side.prototype, 'capacity', 'get').mockReturnValue(1000);
  vi.spyOn(Side.prototype, 'tryRate').mockImplementation((rate) =>
    Promise.resolve({
      ...simulate(rate, { capacity: 1000, chance }),
      busy: 0.5,
      pressure: undefined,
    }),
  );
  const html = join(directory, 'bench.html');
  const hgrm = join(directory, 'hgrm');
  const reports = ['--report', `html=${html}`, '--report', `hgrm=${hgrm}`];
  const rates = ['--find', 'p99<5ms', '--sweep', '50%..150%/5'];
  const short = ['--duration', '100ms', '--rounds', '1', '--rate', '10', '--connections', '2'];
  const args = ['--self', '--only', 'healthz', '--protocol', 'http/1.1', ...short];
  const { code, out, error, report } = await runCommand([...args, ...rates, ...reports], {
    busy: 0.95,
  });
  expect(code, out).toBe(0);
  expect(error).toContain('--find and --sweep: about 8 seconds more\n');
  const { found, sweep } = report?.rows[0] ?? {};
  expect(found?.condition).toBe('p99<5ms');
  expect((found?.target.rate ?? 0) / 1000).toBeCloseTo(1, 1);
  expect(sweep?.target.points).toHaveLength(5);
  expect(out).toContain('\nHighest rate with p99<5ms:\n');
  expect(out).toContain('\nLatency in ms, by requests/s\n');
  expect(out).toMatch(/\ndirect: the knee is between .*\/s: /);
  expect(readFileSync(html, 'utf8')).toContain('<figcaption>Latency by rate, ms by requests/s');
  expect(readdirSync(hgrm)).toEqual([
    'healthz-http-1.1-direct.hgrm',
    'healthz-http-1.1-target.hgrm',
  ]);
  const text = readFileSync(join(hgrm, 'healthz-http-1.1-target.hgrm'), 'utf8');
  expect(text).toBe(report?.rows[0]?.target.latency_hgrm);
  expect(text).toMatch(/^ +Value +Percentile TotalCount 1\/\(1-Percentile\)\n/);
});
