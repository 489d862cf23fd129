import { expect, test } from 'vitest';
import {
  checksummedHeader,
  localHeader,
  proxyHeader,
  version2,
} from '../../../src/wire/proxy-protocol/write.ts';
import { parseProxyHeader } from '../../../src/wire/proxy-protocol/read.ts';

const IPV4 = { source: '192.0.2.10', sourcePort: 4321 };
const IPV6 = { source: '2001:db8:0:0:0:0:0:10', sourcePort: 4321 };

test('version 1 is a line', () => {
  expect(String(proxyHeader('v1', IPV4))).toBe('PROXY TCP4 192.0.2.10 192.0.2.1 4321 443\r\n');
});

test.each([
  ['v1', IPV4, 'inet', '192.0.2.10'],
  ['v2', IPV4, 'inet', '192.0.2.10'],
  ['v1', IPV6, 'inet6', '2001:db8::10'],
  ['v2', IPV6, 'inet6', '2001:db8::10'],
] as const)('%s has %o', (version, addresses, family, address) => {
  expect(parseProxyHeader(proxyHeader(version, addresses))).toMatchObject({
    kind: 'header',
    header: { command: 'PROXY', family, source: { address, port: 4321 } },
  });
});

test('LOCAL has no addresses', () => {
  expect(parseProxyHeader(localHeader())).toMatchObject({
    header: { command: 'LOCAL', source: undefined },
  });
});

test('TLVs follow the addresses', () => {
  const header = version2(IPV4, [[0xe0, Buffer.from('a')]]);
  expect(parseProxyHeader(header)).toMatchObject({ header: { tlvs: [{ type: 0xe0 }] } });
});

test('a checksum is right or wrong', () => {
  expect(parseProxyHeader(checksummedHeader(IPV4)).kind).toBe('header');
  expect(parseProxyHeader(checksummedHeader(IPV4, 1))).toEqual({
    kind: 'invalid',
    error: 'v2-checksum',
  });
});
