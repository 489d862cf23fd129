import { describe, expect, test } from 'vitest';
import { crc32c } from '../../src/wire/crc32c.ts';
import type { ProxyFault, ProxyHeader } from '../../src/wire/proxy-header.ts';
import { readProxyHeader } from '../../src/wire/proxy-protocol.ts';
import { INET, INET6, tlv, v2, V1 } from '../_proxy.ts';

const REST = Buffer.from('GET / HTTP/1.1\r\n', 'latin1');

/** What is read with bytes behind it, after it was held that no prefix is taken for more or less. */
function read(header: Uint8Array): ProxyHeader | ProxyFault {
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

const line = (text: string): Buffer => Buffer.from(text, 'latin1');
/** So many octets. */
const lineOf = (length: number): Buffer => line(`${'PROXY UNKNOWN '.padEnd(length - 2, 'x')}\r\n`);
/** So many octets behind the fixed part. */
const blockOf = (length: number): Buffer => v2({ tlvs: [tlv(0xe0, 'x'.repeat(length - 15))] });
const ends = { source: undefined, destination: undefined, tlvs: [] };

describe('version 1', () => {
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

  test('TCP6, its addresses in the one form of RFC 5952', () => {
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
    expect(read(line(text))).toEqual({ version: 1, command: 'PROXY', ...unspec, ...ends });
  });

  test.each<[ProxyFault, string]>([
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

  test('a line has 107 octets at most', () => {
    expect(read(lineOf(107))).toMatchObject({ family: 'unspec' });
    expect(read(lineOf(108))).toBe('v1-too-long');
    expect(readProxyHeader(lineOf(108).subarray(0, 106)).kind).toBe('more');
    expect(readProxyHeader(lineOf(200).subarray(0, 107))).toMatchObject({ fault: 'v1-too-long' });
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
});

const unix = (source: string, destination: string): Buffer => {
  const addresses = Buffer.alloc(216);
  addresses.write(source, 0, 'latin1');
  addresses.write(destination, 108, 'latin1');
  return addresses;
};

/** With a checksum, whose octets are the last. */
const checked = (given: Parameters<typeof v2>[0], wrong = 0): Buffer => {
  const { tlvs = [], ...rest } = given ?? {};
  const header = v2({ ...rest, tlvs: [...tlvs, tlv(3, '\0\0\0\0')] });
  header.writeUInt32BE((crc32c(header) ^ wrong) >>> 0, header.length - 4);
  return header;
};

describe('version 2', () => {
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
    ['a path of all 108 octets', `/${'x'.repeat(107)}`, `/${'x'.repeat(107)}`],
    ['a path with octets behind NUL', '/a\0b', '/a'],
  ])('a unix socket with %s', (_, octets, path) => {
    expect(read(v2({ family: 0x31, addresses: unix(octets, '/b') }))).toMatchObject({
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
    ['UNSPEC with octets of any kind', { family: 0, addresses: Buffer.alloc(50, 7) }],
    ['an unspecified transport', { family: 0x10 }],
    ['an unspecified family', { family: 0x01 }],
  ])('%s: taken, the addresses ignored', (_, given) => {
    expect(read(v2(given))).toMatchObject({ version: 2, ...ends });
  });

  test('LOCAL and UNSPEC have TLVs too', () => {
    const alpn = tlv(1, 'h2');
    for (const command of [0x20, 0x21]) {
      const header = v2({ command, family: 0, addresses: Buffer.alloc(0), tlvs: [alpn] });
      expect(read(header)).toMatchObject({ tlvs: [{ type: 1, value: Buffer.from('h2') }] });
    }
  });

  test('TLVs stand in their order, unknown and repeated ones too', () => {
    const tlvs = [tlv(0xea, 'x'), tlv(1, 'h2'), tlv(4, ''), tlv(1, 'http/1.1'), tlv(0xff, '\0')];
    const header = read(v2({ tlvs }));
    expect(typeof header === 'string' ? header : header.tlvs.map(({ type }) => type)).toEqual([
      0xea, 1, 4, 1, 0xff,
    ]);
  });

  test('the longest has 4 KiB behind its fixed part', () => {
    expect(read(blockOf(4096))).toMatchObject({ family: 'inet' });
    expect(read(blockOf(4097))).toBe('v2-too-long');
  });

  test('a checksum is held against the whole header', () => {
    const tlvs = [tlv(1, 'h2'), tlv(5, 'id')];
    expect(read(checked({ tlvs }))).toMatchObject({ family: 'inet' });
    for (let bit = 0; bit < 32; bit++)
      expect(read(checked({ tlvs }, 1 << bit))).toBe('v2-checksum');
    const header = checked({ tlvs });
    for (let at = 16; at < 28; at++) {
      const garbled = Buffer.from(header);
      garbled[at] = (garbled[at] ?? 0) ^ 1;
      expect(read(garbled)).toBe('v2-checksum');
    }
  });

  test.each<[ProxyFault, string, Buffer]>([
    ['v2-version', 'version 1', v2({ command: 0x11 })],
    ['v2-version', 'version 3', v2({ command: 0x31 })],
    ['v2-version', 'version 0', v2({ command: 0x01 })],
    ['v2-command', 'command 2', v2({ command: 0x22 })],
    ['v2-command', 'command 15', v2({ command: 0x2f })],
    ['v2-family', 'family 4', v2({ family: 0x41 })],
    ['v2-family', 'family 15', v2({ family: 0xf1 })],
    ['v2-family', 'transport 3', v2({ family: 0x13 })],
    ['v2-family', 'transport 15', v2({ family: 0x1f })],
    ['v2-too-long', '65,535 octets', v2({ length: 0xffff })],
    ['v2-address', 'nothing for IPv4', v2({ addresses: Buffer.alloc(0) })],
    ['v2-address', '11 octets for IPv4', v2({ addresses: INET.subarray(0, 11) })],
    ['v2-address', '12 octets for IPv6', v2({ family: 0x21 })],
    ['v2-address', '35 octets for IPv6', v2({ family: 0x21, addresses: INET6.subarray(1) })],
    ['v2-address', '215 octets for unix', v2({ family: 0x31, addresses: Buffer.alloc(215) })],
    ['v2-tlv', 'a TLV of one octet', v2({ tlvs: [Buffer.from([1])] })],
    ['v2-tlv', 'a TLV of two octets', v2({ tlvs: [Buffer.from([1, 0])] })],
    ['v2-tlv', 'a TLV longer than the header', v2({ tlvs: [tlv(1, 'h2', 3)] })],
    ['v2-tlv', 'a second TLV that is cut', v2({ tlvs: [tlv(1, 'h2'), tlv(2, '', 1)] })],
    ['v2-tlv', 'a checksum of 3 octets', v2({ tlvs: [tlv(3, '\0\0\0')] })],
    ['v2-tlv', 'a checksum of 5 octets', v2({ tlvs: [tlv(3, '\0\0\0\0\0')] })],
    ['v2-tlv', 'two checksums', v2({ tlvs: [tlv(3, '\0\0\0\0'), tlv(3, '\0\0\0\0')] })],
    ['v2-tlv', 'a unique id of 129 octets', v2({ tlvs: [tlv(5, 'x'.repeat(129))] })],
    ['v2-tlv', 'ssl without its fixed part', v2({ tlvs: [tlv(0x20, '\x01\0\0\0')] })],
    [
      'v2-tlv',
      'ssl with a TLV that is cut',
      v2({ tlvs: [tlv(0x20, '\x01\0\0\0\0\x21\0\x07TLS')] }),
    ],
    ['v2-checksum', 'zeros for a checksum', v2({ tlvs: [tlv(3, '\0\0\0\0')] })],
    ['v2-checksum', 'LOCAL with a false checksum', checked({ command: 0x20 }, 1)],
  ])('%s: %s', (fault, _, header) => {
    expect(read(header)).toBe(fault);
  });
});

test('CRC32c of what RFC 3720 B.4 has', () => {
  const ascending = Uint8Array.from({ length: 32 }, (_, at) => at);
  expect([
    crc32c(new Uint8Array(32)),
    crc32c(new Uint8Array(32).fill(0xff)),
    crc32c(ascending),
    crc32c(ascending.toReversed()),
    crc32c(Buffer.from('123456789')),
    crc32c(new Uint8Array(0)),
  ]).toEqual([0x8a9136aa, 0x62a8ab43, 0x46dd794e, 0x113fdb5c, 0xe3069283, 0]);
});
