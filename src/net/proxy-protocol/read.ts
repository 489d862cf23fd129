import { fault, more, type ProxyReading } from './header.ts';
import { readVersion1, V1_START } from './version1.ts';
import { readVersion2, V2_START } from './version2.ts';

/** Whether a PROXY header may, or must, come in front of a connection. */
export const PROXY_PROTOCOL = ['off', 'optional', 'require'] as const;
export type ProxyProtocol = (typeof PROXY_PROTOCOL)[number];

const VERSIONS = [
  { start: V1_START, read: readVersion1 },
  { start: V2_START, read: readVersion2 },
];

/** Reads the PROXY header that the first bytes of a connection are, as far as they go. */
export function readProxyHeader(bytes: Uint8Array): ProxyReading {
  let couldBe = false;
  for (const { start, read } of VERSIONS) {
    const length = Math.min(bytes.length, start.length);
    if (start.compare(bytes, 0, length, 0, length) !== 0) continue;
    if (length === start.length) return read(bytes);
    couldBe = true;
  }
  return couldBe ? more(bytes.length + 1) : fault('missing');
}
