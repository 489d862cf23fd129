import { until } from '../_adapters.ts';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { installed as install, type Installation, type Running } from '../_process.ts';
import { contentOf } from '../_walk.ts';
import type { Echo } from '../../src/echo/echo-schema.ts';
import type { Periods } from '../../src/telemetry/statistics.ts';

let installation: () => Installation;

/** Sets up an installation for the tests of a file. Kills processes after each test. */
export function installed(): () => Installation {
  // The installation kills the primary, and workers exit with it.
  installation = install('bundled');
  return installation;
}

/** Starts wirebin on a free loopback port, in its own process group. */
export function run(args: readonly string[], environment: NodeJS.ProcessEnv = {}): Running {
  return installation().run(['--port', '0', '--host', '127.0.0.1', ...args], {
    detached: true,
    env: environment,
  });
}

/** Like `run()`, but waits until wirebin listens. */
export async function serve(...args: string[]): Promise<Running> {
  const running = run(args);
  await running.listens();
  return running;
}

/** Waits until so many requests have arrived in all; the log level has to be `trace`. */
export async function arrived(running: Running, count: number): Promise<void> {
  await until(() => running.said('request received').length >= count);
}

/** The child processes that are still running. */
export function childrenOf({ child }: Running): number[] {
  return (
    candidates(child.pid)
      // A zombie has exited.
      .filter(({ parent, state }) => parent === child.pid && !state.startsWith('Z'))
      .map(({ pid }) => pid)
  );
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly state: string;
}

/**
 * The children of a process, and others. Reads /proc if it exists: minimal Linux images have no `ps`,
 * and macOS has no /proc.
 */
function candidates(parent: number | undefined): Process[] {
  const children = `/proc/${parent}/task/${parent}/children`;
  // Not every kernel has it. Without it, all processes of the machine are read.
  if (existsSync(children)) {
    return readFileSync(children, 'latin1').split(' ').filter(Boolean).flatMap(processOf);
  }
  if (existsSync('/proc/self/stat')) {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap(processOf);
  }
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat=']).toString().trim().split('\n');
  return lines.map((line) => {
    const [pid, parentPid, state = ''] = line.trim().split(/\s+/);
    return { pid: Number(pid), parent: Number(parentPid), state };
  });
}

/** See proc_pid_stat(5): the name in parentheses can contain any character. */
function processOf(pid: string): Process[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [state = '', parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return [{ pid: Number(pid), parent: Number(parent), state }];
  } catch {
    // It has exited in the meantime.
    return [];
  }
}

/** Sends a request on a new connection. @returns `conn` of the echo */
export async function connOf(port: number): Promise<Echo['conn']> {
  return (await contentOf<Echo>(port, '/anything')).conn;
}

export async function metricsOf(port: number): Promise<Periods> {
  return contentOf(port, '/metrics?format=json');
}

/** Runs a function `count` times concurrently. */
export function times<T>(count: number, make: (at: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, async (_, at) => make(at)));
}
