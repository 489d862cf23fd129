import { expect, test } from 'vitest';
import { crc32c } from '../../../src/wire/proxy-protocol/crc32c.ts';
import type { ProxyHeaderError } from '../../../src/wire/proxy-protocol/header.ts';
import { INET, INET6, tlv, v2 } from '../../_proxy.ts';
import { noAddresses, read } from './_proxy-header.ts';

/** A header with this many bytes after the fixed part. */
const blockOf = (length: number): Buffer => v2({ tlvs: [tlv(0xe0, 'x'.repeat(length - 15))] });

const unix = (source: string, destination: string): Buffer => {
  const addresses = Buffer.alloc(216);
  addresses.write(source, 0, 'latin1');
  addresses.write(destination, 108, 'latin1');
  return addresses;
};

/** Appends a checksum. */
const withChecksum = (given: Parameters<typeof v2>[0], wrong = 0): Buffer => {
  const { tlvs = [], ...rest } = given ?? {};
  const header = v2({ ...rest, tlvs: [...tlvs, tlv(3, '\0\0\0\0')] });
  header.writeUInt32BE((crc32c(header) ^ wrong) >>> 0, header.length - 4);
  return header;
};

test('TCP over IPv4', () => {
  expect(read(v2())).toEqual({
    version: 2,
    command: 'PROXY',
    family: 'inet',
    transport: 'stream',
    source: { address: '192.0.2.1', port: 1111 },
    destination: { address: '198.51.100.2', port: 443 },
    tlvs: [],
  });
});

test('UDP over IPv6', () => {
  expect(read(v2({ family: 0x22, addresses: INET6 }))).toMatchObject({
    family: 'inet6',
    transport: 'dgram',
    source: { address: '2001:db8::1', port: 1111 },
    destination: { address: '2001:db8::2', port: 443 },
  });
});

test.each([
  ['a path', '/run/a.sock', '/run/a.sock'],
  ['an abstract name', '\0name', '@name'],
  ['no name', '', ''],
  ['a path of all 108 bytes', `/${'x'.repeat(107)}`, `/${'x'.repeat(107)}`],
  ['a path with bytes behind NUL', '/a\0b', '/a'],
])('a unix socket with %s', (_, bytes, path) => {
  expect(read(v2({ family: 0x31, addresses: unix(bytes, '/b') }))).toMatchObject({
    family: 'unix',
    source: { path },
    destination: { path: '/b' },
  });
});

test.each([
  ['LOCAL with nothing', { command: 0x20, family: 0, addresses: Buffer.alloc(0) }],
  ['LOCAL with addresses', { command: 0x20 }],
  ['LOCAL with a part of them', { command: 0x20, addresses: INET.subarray(0, 5) }],
  ['LOCAL with a family that there is not', { command: 0x20, family: 0xff }],
  ['LOCAL with what are no TLVs', { command: 0x20, tlvs: [Buffer.from([1, 0, 9])] }],
  ['UNSPEC with nothing', { family: 0, addresses: Buffer.alloc(0) }],
  ['UNSPEC with bytes of any kind', { family: 0, addresses: Buffer.alloc(50, 7) }],
  ['an unspecified transport', { family: 0x10 }],
  ['an unspecified family', { family: 0x01 }],
])('%s: accepted, addresses ignored', (_, given) => {
  expect(read(v2(given))).toMatchObject({ version: 2, ...noAddresses });
});

test('LOCAL and UNSPEC can have TLVs', () => {
  const alpn = tlv(1, 'h2');
  for (const command of [0x20, 0x21]) {
    const header = v2({ command, family: 0, addresses: Buffer.alloc(0), tlvs: [alpn] });
    expect(read(header)).toMatchObject({ tlvs: [{ type: 1, value: Buffer.from('h2') }] });
  }
});

test('TLVs keep their order, including unknown and repeated ones', () => {
  const tlvs = [tlv(0xea, 'x'), tlv(1, 'h2'), tlv(4, ''), tlv(1, 'http/1.1'), tlv(0xff, '\0')];
  const header = read(v2({ tlvs }));
  expect(typeof header === 'string' ? header : header.tlvs.map(({ type }) => type)).toEqual([
    0xea, 1, 4, 1, 0xff,
  ]);
});

test('the longest header has 4 KiB after the fixed part', () => {
  expect(read(blockOf(4096))).toMatchObject({ family: 'inet' });
  expect(read(blockOf(4097))).toBe('v2-too-long');
});

test('the checksum covers the whole header', () => {
  const tlvs = [tlv(1, 'h2'), tlv(5, 'id')];
  expect(read(withChecksum({ tlvs }))).toMatchObject({ family: 'inet' });
  for (let bit = 0; bit < 32; bit++)
    expect(read(withChecksum({ tlvs }, 1 << bit))).toBe('v2-checksum');
  const header = withChecksum({ tlvs });
  for (let at = 16; at < 28; at++) {
    const garbled = Buffer.from(header);
    garbled[at] = (garbled[at] ?? 0) ^ 1;
    expect(read(garbled)).toBe('v2-checksum');
  }
});

test.each<[ProxyHeaderError, string, Buffer]>([
  ['v2-version', 'version 1', v2({ command: 0x11 })],
  ['v2-version', 'version 3', v2({ command: 0x31 })],
  ['v2-version', 'version 0', v2({ command: 0x01 })],
  ['v2-command', 'command 2', v2({ command: 0x22 })],
  ['v2-command', 'command 15', v2({ command: 0x2f })],
  ['v2-family', 'family 4', v2({ family: 0x41 })],
  ['v2-family', 'family 15', v2({ family: 0xf1 })],
  ['v2-family', 'transport 3', v2({ family: 0x13 })],
  ['v2-family', 'transport 15', v2({ family: 0x1f })],
  ['v2-too-long', '65,535 bytes', v2({ length: 0xffff })],
  ['v2-address', 'nothing for IPv4', v2({ addresses: Buffer.alloc(0) })],
  ['v2-address', '11 bytes for IPv4', v2({ addresses: INET.subarray(0, 11) })],
  ['v2-address', '12 bytes for IPv6', v2({ family: 0x21 })],
  ['v2-address', '35 bytes for IPv6', v2({ family: 0x21, addresses: INET6.subarray(1) })],
  ['v2-address', '215 bytes for unix', v2({ family: 0x31, addresses: Buffer.alloc(215) })],
  ['v2-tlv', 'a TLV of one byte', v2({ tlvs: [Buffer.from([1])] })],
  ['v2-tlv', 'a TLV of two bytes', v2({ tlvs: [Buffer.from([1, 0])] })],
  ['v2-tlv', 'a TLV longer than the header', v2({ tlvs: [tlv(1, 'h2', 3)] })],
  ['v2-tlv', 'a second TLV that is cut', v2({ tlvs: [tlv(1, 'h2'), tlv(2, '', 1)] })],
  ['v2-tlv', 'a checksum of 3 bytes', v2({ tlvs: [tlv(3, '\0\0\0')] })],
  ['v2-tlv', 'a checksum of 5 bytes', v2({ tlvs: [tlv(3, '\0\0\0\0\0')] })],
  ['v2-tlv', 'two checksums', v2({ tlvs: [tlv(3, '\0\0\0\0'), tlv(3, '\0\0\0\0')] })],
  ['v2-tlv', 'a unique id of 129 bytes', v2({ tlvs: [tlv(5, 'x'.repeat(129))] })],
  ['v2-tlv', 'ssl without its fixed part', v2({ tlvs: [tlv(0x20, '\x01\0\0\0')] })],
  ['v2-tlv', 'ssl with a TLV that is cut', v2({ tlvs: [tlv(0x20, '\x01\0\0\0\0\x21\0\x07TLS')] })],
  ['v2-checksum', 'zeros for a checksum', v2({ tlvs: [tlv(3, '\0\0\0\0')] })],
  ['v2-checksum', 'LOCAL with a false checksum', withChecksum({ command: 0x20 }, 1)],
])('%s: %s', (fault, _, header) => {
  expect(read(header)).toBe(fault);
});
