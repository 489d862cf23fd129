import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { beforeAll, vi } from 'vitest';
import { until as untilWithin } from '../_adapters.ts';
import { installed as install, type Installation, type Running } from '../_process.ts';
import { exchange, GET, LAST } from '../_raw.ts';
import type { MetricsView } from '../../src/telemetry/statistics.ts';

let installation: () => Installation;

/** Milliseconds for a test: each starts three processes and more, maybe on a busy machine. */
const TIME = 60_000;

/** Waits until the condition holds. */
export async function until(condition: () => boolean): Promise<void> {
  await untilWithin(condition, undefined, TIME / 2);
}

/** For the tests of a file: an installation, no process left behind a test, and the time it takes. */
export function installed(): () => Installation {
  vi.setConfig({ testTimeout: TIME, hookTimeout: TIME });
  // Workers end with their primary, which it kills.
  installation = install();
  return installation;
}

/** wirebin with these arguments on a free loopback port, in a process group of its own. */
export function run(args: readonly string[], environment: NodeJS.ProcessEnv = {}): Running {
  return installation().run(['--port', '0', '--host', '127.0.0.1', ...args], {
    detached: true,
    env: environment,
  });
}

/** The same, once it listens. */
export async function serve(...args: string[]): Promise<Running> {
  const running = run(args);
  await listens(running);
  return running;
}

/** The same, for all the tests that follow. */
export function served(...args: string[]): () => Running {
  let running: Running;
  beforeAll(async () => {
    running = await serve(...args);
    installation().keep();
  });
  return () => running;
}

export async function listens(running: Running): Promise<void> {
  await until(() => Number.isInteger(running.port));
}

/** The processes that this one has started and that have not ended. */
export function childrenOf({ child }: Running): number[] {
  return (
    processes()
      // A zombie has ended.
      .filter(({ parent, state }) => parent === child.pid && !state.startsWith('Z'))
      .map(({ pid }) => pid)
  );
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly state: string;
}

/** From /proc where there is one: a small image of Linux has no `ps`, and macOS has no /proc. */
function processes(): Process[] {
  if (existsSync('/proc/self/stat')) {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap(processOf);
  }
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat=']).toString().trim().split('\n');
  return lines.map((line) => {
    const [pid, parent, state = ''] = line.trim().split(/\s+/);
    return { pid: Number(pid), parent: Number(parent), state };
  });
}

/** See proc_pid_stat(5): the name, in parentheses, may have any character. */
function processOf(pid: string): Process[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [state = '', parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return [{ pid: Number(pid), parent: Number(parent), state }];
  } catch {
    // It has ended since.
    return [];
  }
}

export interface Conn {
  readonly id: string;
  readonly worker?: number;
  readonly protocol: string;
}

/** What the echo says of the connection of a request on a connection of its own. */
export async function connOf(port: number): Promise<Conn> {
  return (await contentOf<{ conn: Conn }>(port, '/anything')).conn;
}

export async function metricsOf(port: number): Promise<MetricsView> {
  return contentOf(port, '/metrics');
}

export async function contentOf<T>(port: number, path: string): Promise<T> {
  const answer = await exchange(port, GET(path, LAST));
  return JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))) as T;
}

/** As many of a thing at once. */
export function times<T>(count: number, make: (at: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, async (_, at) => make(at)));
}
