import { readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';

/** Arguments and environment with which a process was started. */
export interface Start {
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Finds the wirebin that serves beside this process: the same program with the same mounts, so not one of another
 * container, and with the lowest process id, so not a worker. Reads its flags and environment from /proc, because the
 * service cannot write them to a read-only root.
 *
 * @param program path of main.js
 * @returns undefined without one, or without /proc
 */
export function findRunning(program: string): Start | undefined {
  for (const pid of processes()) {
    const args = argumentsOf(pid, program);
    if (args && isService(args)) return { args, environment: environmentOf(pid) };
  }
  return undefined;
}

function isService([command]: readonly string[]): boolean {
  return command === undefined || command === 'serve' || command.startsWith('-');
}

function processes(): number[] {
  const names = unlessUnreadable(() => readdirSync('/proc')) ?? [];
  return names
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid)
    .toSorted((a, b) => a - b);
}

/** The arguments after the program; undefined if the process is another program, or cannot be read. */
function argumentsOf(pid: number, program: string): string[] | undefined {
  return unlessUnreadable(() => {
    const isSame = (link: string): boolean =>
      readlinkSync(`/proc/${pid}/${link}`) === readlinkSync(`/proc/self/${link}`);
    if (!isSame('exe') || !isSame('ns/mnt')) return undefined;
    const [, ...args] = procStrings(pid, 'cmdline');
    const folder = readlinkSync(`/proc/${pid}/cwd`);
    const at = args.findIndex(
      (arg) => unlessUnreadable(() => realpathSync(resolve(folder, arg))) === realpathSync(program),
    );
    return at === -1 ? undefined : args.slice(at + 1);
  });
}

function environmentOf(pid: number): Record<string, string> {
  const entries = procStrings(pid, 'environ').map((entry): [string, string] => {
    const equals = entry.indexOf('=');
    return [entry.slice(0, equals), entry.slice(equals + 1)];
  });
  return Object.fromEntries(entries);
}

function procStrings(pid: number, file: 'cmdline' | 'environ'): string[] {
  return readFileSync(`/proc/${pid}/${file}`, 'utf8').split('\0').slice(0, -1);
}

/** Reads from /proc; undefined if the process has ended, or must not be read. */
function unlessUnreadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
