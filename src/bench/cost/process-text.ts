/** Clock ticks per second in /proc: USER_HZ, the same on all architectures that Node supports (Linux, proc(5)). */
const TICKS = 100;

/** What /proc/PID/stat says of a process. Times are user and system time together, in seconds. */
export interface ProcessStat {
  readonly name: string;
  readonly parent: number;
  /** Time of all threads, those that have ended included. */
  readonly seconds: number;
  /** Time of children that have ended, for which the process has waited. */
  readonly childSeconds: number;
  /** Start in ticks since boot: tells apart processes with the same pid. */
  readonly started: string;
}

/** @param text of /proc/PID/stat (Linux, proc_pid_stat(5)) @returns undefined if it is malformed */
export function parseStat(text: string): ProcessStat | undefined {
  // The name may contain spaces and parentheses.
  const end = text.lastIndexOf(')');
  const fields = text.slice(end + 2).split(' ');
  // Fields are numbered from 1, and the first after the name is 3.
  const field = (number: number): number => Number(fields[number - 3] ?? Number.NaN);
  const stat = {
    name: text.slice(text.indexOf('(') + 1, end),
    parent: field(4),
    seconds: (field(14) + field(15)) / TICKS,
    childSeconds: (field(16) + field(17)) / TICKS,
    started: fields[22 - 3] ?? '',
  };
  const isWhole = Number.isFinite(stat.parent + stat.seconds + stat.childSeconds);
  return end > 0 && isWhole && stat.started !== '' ? stat : undefined;
}

/**
 * A size in /proc/PID/status or /proc/PID/smaps_rollup, in bytes.
 *
 * @param name such as `VmRSS`
 * @returns undefined without a line of this name, as for threads of the kernel
 */
export function parseSize(text: string, name: string): number | undefined {
  const [, kibibytes] = new RegExp(`^${name}:\\s*(\\d+) kB$`, 'm').exec(text) ?? [];
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
}

/** State of a listening socket: TCP_LISTEN. */
const LISTEN = '0A';

/**
 * Inodes of the sockets that listen on a port.
 *
 * @param text of /proc/net/tcp or /proc/net/tcp6 (Linux, Documentation/networking/proc_net_tcp.rst)
 * @param addresses of which one is connected to. A socket of another IPv4 address does not count
 */
export function parseListening(text: string, port: number, addresses: readonly string[]): string[] {
  const accepted = new Set(['00000000', ...addresses.map(hexOfIpv4)]);
  return text.split('\n').flatMap((line) => {
    const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
    const [address = '', hexPort = ''] = local.split(':');
    const isOther = address.length === 8 && !accepted.has(address);
    const isListening = state === LISTEN && Number.parseInt(hexPort, 16) === port;
    return isListening && !isOther && inode !== undefined ? [inode] : [];
  });
}

/** An IPv4 address as in /proc/net/tcp: a number in the byte order of the machine. */
function hexOfIpv4(address: string): string {
  const bytes = Uint8Array.from(address.split('.').map(Number));
  if (bytes.length !== 4) return '';
  const [number = 0] = new Uint32Array(bytes.buffer);
  return number.toString(16).toUpperCase().padStart(8, '0');
}
