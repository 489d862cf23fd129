import { constants } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/** Whether files have modes. Windows has none: there Node says of each file and directory that it has 0o666. */
export const HAS_MODES = process.platform !== 'win32';

/** The error code for a path below a file. */
export const NOT_A_DIRECTORY = process.platform === 'win32' ? 'ENOENT' : 'ENOTDIR';

/** A port as in Linux's table of connections. */
export function portInTable(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, '0');
}

/** Ports that were free a moment ago, for programs that cannot pick one themselves. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}

export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1);
  return port;
}

/** Whether Node's clients and servers have X25519MLKEM768, and prefer it: OpenSSL 3.5. */
export const HAS_MLKEM = constants.OPENSSL_VERSION_NUMBER >= 0x30500000;
