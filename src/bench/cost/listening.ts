import { lookup } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';
import type { Target } from '../../check/target.ts';
import type { ProcessSource } from './process-set.ts';

/** Where a target listens on this machine; undefined if it is elsewhere, or its name is unknown. */
export async function listeningHere({
  host,
  port,
}: Pick<Target, 'host' | 'port'>): Promise<ProcessSource | undefined> {
  const interfaces = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
  const own = new Set(interfaces.map(({ address }) => address));
  const resolved = await lookup(host, { all: true }).catch(() => []);
  const addresses = resolved
    .map(({ address }) => address)
    // All of 127.0.0.0/8 is of this machine, not only the address of its interface.
    .filter((address) => own.has(address) || address.startsWith('127.'));
  return addresses.length > 0 ? { port, addresses } : undefined;
}
