import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A process of a process file system made for a test. */
export interface FakeProcess {
  readonly pid: number;
  readonly name?: string;
  readonly parent?: number;
  readonly started?: number;
  /** User time of the process, and of children that have ended, in ticks of 10 ms. */
  readonly ticks?: number;
  readonly childTicks?: number;
  /** Nanoseconds that each thread has run, by its id; undefined if it has just ended. */
  readonly threads?: Readonly<Record<string, number | undefined>>;
  /** Inodes of its sockets. */
  readonly sockets?: readonly number[];
  readonly status?: string;
  readonly rollup?: string;
}

const HEAD =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode';

/** A line of /proc/net/tcp. @param state 0A listens, 01 is established */
export function socketLine(address: string, port: number, inode: number, state = '0A'): string {
  const local = `${address}:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return `   0: ${local} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000     0        0 ${inode} 1 0000000000000000 100 0 0 10 0`;
}

export function statText({
  pid,
  name = 'proxy',
  parent = 1,
  started = 7,
  ticks = 0,
  childTicks = 0,
}: FakeProcess): string {
  return `${pid} (${name}) S ${parent} 9 9 0 -1 4194304 133 0 0 0 ${ticks} 0 ${childTicks} 0 20 0 1 0 ${started} 2990080 430\n`;
}

/** Writes a process file system, and replaces that of `proc`. @returns its folder */
export function makeProc(
  processes: readonly FakeProcess[],
  sockets: readonly string[] = [],
  proc = mkdtempSync(join(tmpdir(), 'wirebin-proc-')),
): string {
  onTestFinished(() => rmSync(proc, { recursive: true, force: true }));
  rmSync(proc, { recursive: true });
  mkdirSync(join(proc, 'net'), { recursive: true });
  mkdirSync(join(proc, 'sys'));
  writeFileSync(join(proc, 'net/tcp'), `${[HEAD, ...sockets].join('\n')}\n`);
  for (const process of processes) {
    const folder = join(proc, String(process.pid));
    const { threads = {}, sockets: held = [], status = '', rollup } = process;
    mkdirSync(join(folder, 'fd'), { recursive: true });
    mkdirSync(join(folder, 'task'));
    writeFileSync(join(folder, 'stat'), statText(process));
    writeFileSync(join(folder, 'status'), status);
    if (rollup !== undefined) writeFileSync(join(folder, 'smaps_rollup'), rollup);
    for (const [thread, nanoseconds] of Object.entries(threads)) {
      mkdirSync(join(folder, 'task', thread));
      if (nanoseconds !== undefined)
        writeFileSync(join(folder, 'task', thread, 'schedstat'), `${nanoseconds} 5 1\n`);
    }
    for (const [fd, inode] of held.entries())
      symlinkSync(`socket:[${inode}]`, join(folder, 'fd', String(fd)));
  }
  return proc;
}
