import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import os from 'node:os';
import { cores, findProgram } from './processes.ts';

/** Shows what is going on: one line rewritten on a terminal, else a line now and then. */
export function progress(what: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${what}`);
  else if (!what.includes(': ') || what.includes(': 1 of')) process.stderr.write(`${what}\n`);
}

export function endProgress(): void {
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
}

/** A table in Markdown, columns aligned for the terminal: the first to the left, the others right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((name, at) =>
    Math.max(3, name.length, ...rows.map((row) => row[at]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string => {
    const padded = widths.map((width, at) => {
      const cell = cells[at] ?? '';
      return at === 0 ? cell.padEnd(width) : cell.padStart(width);
    });
    return `| ${padded.join(' | ')} |`;
  };
  const rule = widths.map((width, at) =>
    at === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  );
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}

/** A number with three figures, or what says that there is none. */
export function figure(value: number | undefined, scale = 1): string {
  if (value === undefined || Number.isNaN(value)) return 'n/a';
  const scaled = value * scale;
  const digits = scaled >= 100 ? 0 : scaled >= 10 ? 1 : 2;
  return scaled.toFixed(digits).replace(/\B(?=(\d{3})+$)/g, ',');
}

export interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly pinned: typeof cores | null;
  readonly system: string;
  readonly congestionControl: string | null;
  readonly versions: Readonly<Record<string, string>>;
}

export function describeMachine(versions: Readonly<Record<string, string>> = {}): Machine {
  const h2load = findProgram('h2load');
  return {
    processor: os.cpus()[0]?.model ?? 'unknown',
    cores: os.availableParallelism(),
    pinned: cores ?? null,
    system: `${os.type()} ${os.release()}`,
    congestionControl: congestionControl(),
    versions: {
      node: process.versions.node,
      openssl: process.versions.openssl,
      autocannon: manifestVersion('autocannon/package.json'),
      h2load: h2load === undefined ? 'missing' : firstLine(h2load, ['--version']),
      ...versions,
    },
  };
}

/** With BBR, loopback connections are paced: on a busy machine they stall, and speeds mislead. */
function congestionControl(): string | null {
  try {
    return readFileSync('/proc/sys/net/ipv4/tcp_congestion_control', 'latin1').trim();
  } catch {
    return null;
  }
}

function manifestVersion(file: string): string {
  try {
    const text = readFileSync(new URL(import.meta.resolve(file)), 'utf8');
    return (JSON.parse(text) as { version: string }).version;
  } catch {
    return 'unknown';
  }
}

/** What a program says of its version, on stdout or stderr. */
export function firstLine(program: string, args: readonly string[]): string {
  try {
    return (
      execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
        .trim()
        .split('\n')[0] ?? ''
    );
  } catch {
    return 'unknown';
  }
}
