import { readFileSync } from 'node:fs';
import { machineOfLoad } from '../src/bench/run.ts';
import { aligned } from '../src/check/report/aligned.ts';
import { cores } from './processes.ts';

/** A table in Markdown, columns aligned for the terminal: the first to the left, the others right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows].map((row) => head.map((_, at) => row[at] ?? ''));
  const [first = [], ...others] = aligned(all, (column) => column > 0);
  const rule = first.map(({ length }, at) =>
    at === 0 ? '-'.repeat(length) : `${'-'.repeat(length - 1)}:`,
  );
  return [first, rule, ...others].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** A number with three figures, or what says that there is none. */
export function figure(value: number | undefined, scale = 1): string {
  if (value === undefined || Number.isNaN(value)) return 'n/a';
  const scaled = value * scale;
  const digits = scaled >= 100 ? 0 : scaled >= 10 ? 1 : 2;
  return scaled.toFixed(digits).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Before the load is pinned to one of its cores. */
const machine = machineOfLoad();

/** Where it was measured, in a line. With BBR, loopback connections are paced: on a busy machine they stall. */
export function describeMachine(): string {
  const { processor, cores: count, system } = machine;
  const pinned = cores ? `server on ${cores.server}, load on ${cores.load}` : 'not pinned';
  return `${processor}, ${count} cores (${pinned}), ${system}, Node ${process.versions.node}, TCP ${congestionControl()}`;
}

function congestionControl(): string {
  try {
    return readFileSync('/proc/sys/net/ipv4/tcp_congestion_control', 'latin1').trim();
  } catch {
    return 'unknown';
  }
}
