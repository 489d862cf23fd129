import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../processes.ts';
import { quantile } from '../statistics.ts';
import { endedChildrenSeconds } from '../usage.ts';
import type { Load, Order } from './load.ts';

/** h2load's summary, read. @throws where it is none */
export function readSummary(summary: string): Pick<Load, 'requests' | 'failures' | 'seconds'> {
  const time = /^finished in ([\d.]+)(us|ms|s)/m.exec(summary);
  const counts = /^requests: .* (\d+) succeeded, (\d+) failed, (\d+) errored, (\d+) timeout/m.exec(
    summary,
  );
  if (!time || !counts) throw new Error(`h2load said: ${summary}`);
  const [succeeded = 0, failed = 0, errored = 0, late = 0] = counts.slice(1).map(Number);
  const unit = { us: 1e-6, ms: 1e-3, s: 1 }[time[2] ?? ''] ?? Number.NaN;
  return {
    requests: succeeded,
    failures: failed + errored + late,
    seconds: Number(time[1]) * unit,
  };
}

/** @param program h2load's path @param latencies whether to measure each request's time */
export async function runH2load(program: string, order: Order, latencies: boolean): Promise<Load> {
  const log = join(tmpdir(), `wirebin-h2load-${process.pid}.tsv`);
  const fields = Object.entries(order.headers).flatMap(([name, value]) => [
    '-H',
    `${name}: ${value}`,
  ]);
  const amount = order.handshakes
    ? ['-n', String(order.connections), '-c', String(order.connections)]
    : ['-D', `${Math.round(order.seconds * 1000)}ms`, '-c', String(order.connections)];
  const before = endedChildrenSeconds();
  const summary = await run('load', program, [
    ...amount,
    '-m',
    String(order.streams),
    ...fields,
    ...(latencies ? ['--log-file', log] : []),
    order.url,
  ]);
  const after = endedChildrenSeconds();
  const times = latencies ? readTimes(log) : [];
  return {
    ...readSummary(summary),
    p50: latencies ? quantile(times, 0.5) : undefined,
    p99: latencies ? quantile(times, 0.99) : undefined,
    cpuSeconds: before === undefined || after === undefined ? undefined : after - before,
  };
}

/** Milliseconds of each request, from the third column. */
function readTimes(log: string): number[] {
  const lines = readFileSync(log, 'latin1').trimEnd().split('\n');
  rmSync(log);
  return lines.map((line) => Number(line.slice(line.lastIndexOf('\t') + 1)) / 1000);
}
