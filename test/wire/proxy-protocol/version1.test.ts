import { expect, test } from 'vitest';
import type { ProxyHeaderError } from '../../../src/wire/proxy-protocol/header.ts';
import { parseProxyHeader } from '../../../src/wire/proxy-protocol/read.ts';
import { V1 } from '../../_proxy.ts';
import { noAddresses, read } from './_proxy-header.ts';

const line = (text: string): Buffer => Buffer.from(text, 'latin1');
/** A line with this many bytes. */
const lineOf = (length: number): Buffer => line(`${'PROXY UNKNOWN '.padEnd(length - 2, 'x')}\r\n`);

test('TCP4', () => {
  expect(read(V1)).toEqual({
    version: 1,
    command: 'PROXY',
    family: 'inet',
    transport: 'stream',
    source: { address: '192.0.2.1', port: 1111 },
    destination: { address: '198.51.100.2', port: 443 },
    tlvs: [],
  });
});

test('TCP6, with addresses in the canonical form of RFC 5952', () => {
  expect(read(line('PROXY TCP6 2001:DB8:0::0:1 ::ffff:198.51.100.2 0 65535\r\n'))).toMatchObject({
    family: 'inet6',
    source: { address: '2001:db8::1', port: 0 },
    destination: { address: '::ffff:198.51.100.2', port: 65_535 },
  });
});

const full = 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff';
test.each([
  'PROXY UNKNOWN\r\n',
  'PROXY UNKNOWN \r\n',
  `PROXY UNKNOWN ${full} ${full} 65535 65535\r\n`,
  'PROXY UNKNOWN whatever \0 \n \r comes\r\n',
])('%j: the rest of the line is ignored', (text) => {
  const unspec = { family: 'unspec', transport: 'unspec' };
  expect(read(line(text))).toEqual({ version: 1, command: 'PROXY', ...unspec, ...noAddresses });
});

test.each<[ProxyHeaderError, string]>([
  ['v1-family', 'PROXY \r\n'],
  ['v1-family', 'PROXY  TCP4 192.0.2.1 198.51.100.2 1111 443\r\n'],
  ['v1-family', 'PROXY tcp4 192.0.2.1 198.51.100.2 1111 443\r\n'],
  ['v1-family', 'PROXY TCP 192.0.2.1 198.51.100.2 1111 443\r\n'],
  ['v1-family', 'PROXY UDP4 192.0.2.1 198.51.100.2 1111 443\r\n'],
  ['v1-family', 'PROXY TCP4\t192.0.2.1 198.51.100.2 1111 443\r\n'],
  ['v1-family', 'PROXY UNKNOWNX\r\n'],
  ['v1-line', 'PROXY TCP4\r\n'],
  ['v1-line', 'PROXY TCP4 192.0.2.1\r\n'],
  ['v1-line', 'PROXY TCP4 192.0.2.1 198.51.100.2\r\n'],
  ['v1-line', 'PROXY TCP4 192.0.2.1 198.51.100.2 1111\r\n'],
  ['v1-line', 'PROXY TCP4 192.0.2.1 198.51.100.2 1111 443 \r\n'],
  ['v1-line', 'PROXY TCP4 192.0.2.1  198.51.100.2 1111 443\r\n'],
  ['v1-line', 'PROXY TCP4 192.0.2.1 198.51.100.2 1111 443\n'],
  ['v1-line', 'PROXY TCP4 192.0.2.1\n'],
  ['v1-line', 'PROXY SCTP4\n 192.0.2.1\r\n'],
  ['v1-line', 'PROXY TCP4 192.0.2.1 198.51.100.2 1111 443 444\r\n'],
  ['v1-address', 'PROXY TCP4 192.0.2.256 198.51.100.2 1111 443\r\n'],
  ['v1-address', 'PROXY TCP4 192.0.2 198.51.100.2 1111 443\r\n'],
  ['v1-address', 'PROXY TCP4 192.0.2.01 198.51.100.2 1111 443\r\n'],
  ['v1-address', 'PROXY TCP4 192.0.2.1 198.51.100.x 1111 443\r\n'],
  ['v1-address', 'PROXY TCP4 192.0.2.1 198.51.100.2\0 1111 443\r\n'],
  ['v1-address', 'PROXY TCP4 2001:db8::1 198.51.100.2 1111 443\r\n'],
  ['v1-address', 'PROXY TCP4 host.example 198.51.100.2 1111 443\r\n'],
  ['v1-address', 'PROXY TCP4  198.51.100.2 1111 443\r\n'],
  ['v1-address', 'PROXY TCP6 192.0.2.1 198.51.100.2 1111 443\r\n'],
  ['v1-address', 'PROXY TCP6 2001:db8::1::2 2001:db8::2 1111 443\r\n'],
  ['v1-address', 'PROXY TCP6 [2001:db8::1] 2001:db8::2 1111 443\r\n'],
  ['v1-address', 'PROXY TCP6 fe80::1%eth0 2001:db8::2 1111 443\r\n'],
  ['v1-port', 'PROXY TCP4 192.0.2.1 198.51.100.2 65536 443\r\n'],
  ['v1-port', 'PROXY TCP4 192.0.2.1 198.51.100.2 1111 100000\r\n'],
  ['v1-port', 'PROXY TCP4 192.0.2.1 198.51.100.2 -1 443\r\n'],
  ['v1-port', 'PROXY TCP4 192.0.2.1 198.51.100.2 01111 443\r\n'],
  ['v1-port', 'PROXY TCP4 192.0.2.1 198.51.100.2 1111 00\r\n'],
  ['v1-port', 'PROXY TCP4 192.0.2.1 198.51.100.2 +1111 443\r\n'],
  ['v1-port', 'PROXY TCP4 192.0.2.1 198.51.100.2 1111 0x1\r\n'],
  ['v1-port', 'PROXY TCP4 192.0.2.1 198.51.100.2 1111 \r\n'],
  ['v1-port', 'PROXY TCP4 192.0.2.1 198.51.100.2 1111 443\r\r\n'],
])('%s: %j', (fault, text) => {
  expect(read(line(text))).toBe(fault);
});

test('a line has at most 107 bytes', () => {
  expect(read(lineOf(107))).toMatchObject({ family: 'unspec' });
  expect(read(lineOf(108))).toBe('v1-too-long');
  expect(parseProxyHeader(lineOf(108).subarray(0, 106)).kind).toBe('more');
  expect(parseProxyHeader(lineOf(200).subarray(0, 107))).toMatchObject({ error: 'v1-too-long' });
});

test.each([
  ['missing', 'PROXYX TCP4'],
  ['missing', 'PROXY\tTCP4 192.0.2.1 198.51.100.2 1111 443\r\n'],
  ['missing', 'PROXY\r\n'],
  ['missing', 'proxy TCP4 192.0.2.1 198.51.100.2 1111 443\r\n'],
  ['missing', ' PROXY TCP4 192.0.2.1 198.51.100.2 1111 443\r\n'],
  ['missing', 'GET / HTTP/1.1\r\n'],
  ['missing', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['missing', '\x16\x03\x01'],
  ['missing', '\r\nGET / HTTP/1.1\r\n'],
  ['missing', '\r\n\r\n\0\r\nQUIT\r'],
])('%s: %j', (fault, text) => {
  expect(read(line(text))).toBe(fault);
});
