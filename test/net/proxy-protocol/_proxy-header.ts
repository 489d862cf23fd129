import { expect } from 'vitest';
import type { ProxyHeaderError, ProxyHeader } from '../../../src/net/proxy-protocol/header.ts';
import { readProxyHeader } from '../../../src/net/proxy-protocol/read.ts';

const REST = Buffer.from('GET / HTTP/1.1\r\n', 'latin1');

/** What is read with bytes behind it, after it was held that no prefix is taken for more or less. */
export function read(header: Uint8Array): ProxyHeader | ProxyHeaderError {
  const reading = readProxyHeader(Buffer.concat([header, REST]));
  if (reading.kind === 'more') throw new Error(`waits for ${reading.wanted} bytes`);
  if (reading.kind === 'fault') return reading.fault;
  expect(reading.length).toBe(header.length);
  for (let end = 0; end < header.length; end++) {
    const part = readProxyHeader(header.subarray(0, end));
    expect(part.kind).toBe('more');
    if (part.kind !== 'more') continue;
    expect(part.wanted).toBeGreaterThan(end);
    expect(part.wanted).toBeLessThanOrEqual(header.length);
  }
  return reading.header;
}

/** Where a header tells neither end. */
export const ends = { source: undefined, destination: undefined, tlvs: [] };
