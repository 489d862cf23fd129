import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { accessSync, constants, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';

const MORE_PLACES = [
  '/usr/sbin',
  '/usr/local/sbin',
  '/usr/local/go/bin',
  join(homedir(), 'go/bin'),
];

/** @returns the program's path, from PATH or where such programs often are */
export function findProgram(name: string): string | undefined {
  const places = [...(process.env['PATH'] ?? '').split(delimiter), ...MORE_PLACES];
  return places.map((place) => join(place, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const taskset = findProgram('taskset');

/** The cores for server and load; undefined where the system cannot pin or has but one. */
export const cores = pinnableCores();

function pinnableCores(): { readonly server: number; readonly load: number } | undefined {
  const [server, load] = taskset === undefined ? [] : allowedCores();
  return server === undefined || load === undefined ? undefined : { server, load };
}

function allowedCores(): number[] {
  try {
    const status = readFileSync('/proc/self/status', 'utf8');
    const [, list = ''] = /^Cpus_allowed_list:\s*(\S+)/m.exec(status) ?? [];
    return list.split(',').flatMap((part) => {
      const [first = 0, last = first] = part.split('-').map(Number);
      return Array.from({ length: last - first + 1 }, (_, at) => first + at);
    });
  } catch {
    return [];
  }
}

/** Keeps this process, which is the load, on the core for load. */
export function pinToLoad(): void {
  if (!cores || taskset === undefined) return;
  execFileSync(taskset, ['-acp', String(cores.load), String(process.pid)], { stdio: 'ignore' });
}

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

/** Starts a program on the core of servers. */
export function start(command: string, args: readonly string[]): ChildProcess {
  const pinned = cores && taskset !== undefined ? [taskset, '-c', String(cores.server)] : [];
  const [program = command, ...rest] = [...pinned, command, ...args];
  const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/** @returns the first line the program writes, read as JSON @throws where it ends before */
export function announcement(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    let complaint = '';
    child.stderr?.on('data', (text: Buffer) => (complaint += text.toString()));
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      reject(new Error(`it did not start, and ended with ${code ?? signal}: ${complaint.trim()}`));
    });
    if (!child.stdout) return;
    createInterface({ input: child.stdout }).once('line', (line) => {
      try {
        resolve(JSON.parse(line));
      } catch {
        reject(new Error(`no ports in ${line}`));
      }
    });
  });
}

/** SIGTERM, and SIGKILL when that does not help. */
export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => {
    child.once('exit', resolve);
  });
  child.kill('SIGTERM');
  const impatience = setTimeout(() => child.kill('SIGKILL'), 1000);
  await gone;
  clearTimeout(impatience);
}
