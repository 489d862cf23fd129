import { expect } from 'vitest';
import type { ProxyHeaderError, ProxyHeader } from '../../../src/wire/proxy-protocol/header.ts';
import { parseProxyHeader } from '../../../src/wire/proxy-protocol/read.ts';

const REST = Buffer.from('GET / HTTP/1.1\r\n', 'latin1');

/** Parses a header followed by other bytes, after checking that every prefix needs more. */
export function read(header: Uint8Array): ProxyHeader | ProxyHeaderError {
  const reading = parseProxyHeader(Buffer.concat([header, REST]));
  if (reading.kind === 'more') throw new Error(`waits for ${reading.needed} bytes`);
  if (reading.kind === 'invalid') return reading.error;
  expect(reading.length).toBe(header.length);
  for (let end = 0; end < header.length; end++) {
    const part = parseProxyHeader(header.subarray(0, end));
    expect(part.kind).toBe('more');
    if (part.kind !== 'more') continue;
    expect(part.needed).toBeGreaterThan(end);
    expect(part.needed).toBeLessThanOrEqual(header.length);
  }
  return reading.header;
}

/** For headers without addresses. */
export const noAddresses = { source: undefined, destination: undefined, tlvs: [] };
