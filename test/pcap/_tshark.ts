import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** @throws where Wireshark's `tshark` is missing */
export function requireTshark(): string {
  try {
    return execFileSync('tshark', ['--version'], { encoding: 'utf8' }).split('\n', 1)[0] ?? '';
  } catch {
    throw new Error('tshark is missing: it is in the package tshark of Debian, or in Wireshark');
  }
}

/** Lines of a file as `tshark` reads it, with checksums verified. */
export async function tshark(file: string, port: number, ...args: string[]): Promise<string[]> {
  const verified = ['-o', 'tcp.check_checksum:TRUE', '-o', 'ip.check_checksum:TRUE'];
  const read = ['-r', file, '-n', '-d', `tcp.port==${port},tls`];
  const { stdout } = await run('tshark', [...read, ...verified, ...args], { maxBuffer: 2 ** 28 });
  return stdout.split('\n').filter((line) => line !== '');
}
