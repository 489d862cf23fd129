import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { pid as ownPid } from 'node:process';
import { parseListening, parseStat, type ProcessStat } from './process-text.ts';

/** A process on this machine. */
export interface Process extends ProcessStat {
  readonly pid: number;
}

/** How the processes of a server are found. */
export type ProcessSource =
  | { readonly pids: readonly number[] }
  | { readonly port: number; readonly addresses: readonly string[] };

/** Keeps the listening sockets of services that it starts on demand, and is the ancestor of everything. */
const SYSTEMD = 'systemd';

/**
 * The processes of a server: those named or that hold the listening socket, and all that descend from them.
 *
 * @param proc folder of the process file system
 * @returns none if they have ended, are not on this machine, or belong to another user
 */
export function processesOf(source: ProcessSource, proc = '/proc'): readonly Process[] {
  const all = allProcesses(proc);
  const isByPort = 'port' in source;
  const named = new Set(isByPort ? holdersOf(source, all, proc) : source.pids);
  const members = all.filter(({ pid, name }) => named.has(pid) && !(isByPort && name === SYSTEMD));
  const found = new Set(members.map(({ pid }) => pid));
  // Grows while it is walked.
  for (const member of members) {
    for (const each of all) {
      // The server may be the process that has started this one.
      if (each.parent !== member.pid || found.has(each.pid) || each.pid === ownPid) continue;
      found.add(each.pid);
      members.push(each);
    }
  }
  return members;
}

function allProcesses(proc: string): Process[] {
  return entriesOf(proc).flatMap((name) => {
    const stat = /^\d+$/.test(name) ? parseStat(read(join(proc, name, 'stat'))) : undefined;
    return stat ? [{ ...stat, pid: Number(name) }] : [];
  });
}

/** Processes that hold a socket listening on the port. */
function holdersOf(
  { port, addresses }: Extract<ProcessSource, { readonly port: number }>,
  all: readonly Process[],
  proc: string,
): number[] {
  const links = new Set(
    ['net/tcp', 'net/tcp6']
      .flatMap((name) => parseListening(read(join(proc, name)), port, addresses))
      .map((inode) => `socket:[${inode}]`),
  );
  if (links.size === 0) return [];
  return all.flatMap(({ pid }) => {
    const folder = join(proc, String(pid), 'fd');
    return entriesOf(folder).some((name) => links.has(linkOf(join(folder, name)))) ? [pid] : [];
  });
}

/** Entries of a folder; none if it cannot be read, for example because its process has ended. */
export function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Text of a file; empty if it cannot be read. */
export function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
