import type { ReadProxyHeader } from '../_gateway-proxy-header.ts';
import { readProxyHeader } from '../_gateway-proxy-header.ts';
import { proxyHeader } from '../../../src/wire/proxy-protocol/write.ts';
import type { Deviation, OriginRequest } from '../_gateway-messages.ts';
import { onRequest, wrong, type WrongProxy } from '../_wrong.ts';
import { SENDS, wrongReader } from '../wrong/proxy-protocol.ts';

/** Changes the address that a header names. */
const naming =
  (change: (address: string, bytes: Buffer) => string | undefined): ReadProxyHeader =>
  (bytes) => {
    const read = readProxyHeader(bytes);
    if (typeof read === 'string' || read.address === undefined) return read;
    const { address: _, ...rest } = read;
    const address = change(read.address, bytes.subarray(0, read.length));
    return address === undefined ? rest : { ...rest, address };
  };

const V2 = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');

/** One line of version 1, without a look at it. */
const line =
  (pattern: RegExp, address: (match: RegExpExecArray) => string | undefined): ReadProxyHeader =>
  (bytes) => {
    const read = readProxyHeader(bytes);
    if (read !== 'invalid') return read;
    const match = pattern.exec(bytes.toString('latin1'));
    if (!match) return 'invalid';
    const named = address(match);
    return { length: match[0].length, ...(named !== undefined && { address: named, port: 1 }) };
  };

let lastAddress: string | undefined;
/** What names no address has that of the header before. */
const remembering: ReadProxyHeader = (bytes) => {
  const read = readProxyHeader(bytes);
  if (typeof read === 'string') return read;
  lastAddress = read.address ?? lastAddress;
  return lastAddress === undefined ? read : { ...read, address: lastAddress };
};

const SPOOFED = {
  'proxy-protocol/spoofed-v1': 'fail',
  'proxy-protocol/spoofed-v2': 'fail',
} as const;

/** Takes a header of any client, and does something with the address that it names. */
function spoofing(change: (address: string, request: OriginRequest) => void): Deviation {
  let spoofed = '';
  return {
    readProxyHeader: (bytes) => {
      const read = readProxyHeader(bytes);
      if (typeof read === 'string') return read === 'more' ? 'more' : { length: 0 };
      spoofed = read.address ?? '';
      return { length: read.length };
    },
    ...onRequest((request) => {
      if (spoofed) change(spoofed, request);
    }),
  };
}

export const wrongProxyHeaders: readonly WrongProxy[] = [
  wrongReader(
    'forwards the address of the destination',
    'proxy-protocol/address',
    naming(() => '192.0.2.1'),
  ),
  wrongReader(
    'forwards a part of the address',
    ['proxy-protocol/address', 'proxy-protocol/address-ipv6'],
    naming((address) => (address.includes(':') ? '2001:db8::' : address.replace(/\d+$/, '0'))),
  ),
  wrongReader(
    'forwards addresses of version 2 only',
    'proxy-protocol/address',
    naming((address, bytes) => (bytes.subarray(0, 12).equals(V2) ? address : undefined)),
  ),
  wrongReader(
    'forwards addresses of version 1 only',
    'proxy-protocol/address',
    naming((address, bytes) => (bytes.subarray(0, 12).equals(V2) ? undefined : address)),
  ),
  wrongReader(
    'keeps the address of the header before',
    ['proxy-protocol/unknown', 'proxy-protocol/local'],
    remembering,
  ),
  wrongReader(
    'has 0.0.0.0 for what names no address',
    ['proxy-protocol/unknown', 'proxy-protocol/local'],
    (bytes) => {
      const read = readProxyHeader(bytes);
      return typeof read === 'string' || read.address !== undefined
        ? read
        : { ...read, address: '0.0.0.0' };
    },
  ),
  wrongReader(
    'ignores the address of a header with TLVs',
    'proxy-protocol/tlvs',
    naming((address, bytes) =>
      bytes.length > 28 && bytes.subarray(0, 12).equals(V2) ? undefined : address,
    ),
  ),
  wrongReader(
    'takes letters for a port',
    'proxy-protocol/malformed',
    line(/^PROXY TCP4 (\S+) \S+ \S+ \S+\r\n/, ([, address]) => address),
  ),
  wrongReader(
    'takes a port above 65535',
    'proxy-protocol/malformed',
    line(/^PROXY TCP4 (\S+) \S+ \d+ \d+\r\n/, ([, address]) => address),
  ),
  wrongReader(
    'takes a header that ends in LF alone, or has another field',
    'proxy-protocol/malformed',
    line(
      /^PROXY TCP[46] ([\d.]+) [\d.]+ \d{1,5} \d{1,5}(?: [^\r\n]*)?\r?\n/,
      ([, address]) => address,
    ),
  ),
  wrongReader(
    'serves a client with an unknown family without its address',
    'proxy-protocol/malformed',
    line(/^PROXY (?!TCP[46] |UNKNOWN)[^\r\n]*\r\n/, () => undefined),
  ),
  wrongReader(
    'takes a short address',
    'proxy-protocol/malformed-address',
    line(/^PROXY TCP4 (\d+(?:\.\d+){0,2}) \S+ \d+ \d+\r\n/, () => '192.0.2.1'),
  ),
  wrongReader(
    'takes a number of an address modulo 256',
    'proxy-protocol/malformed-address',
    line(/^PROXY TCP4 ([\d.]+) \S+ \d+ \d+\r\n/, ([, address = '']) =>
      address.replaceAll(/\d+/g, (digits) => String(Number(digits) % 256)),
    ),
  ),
  wrongReader(
    'serves a client with an invalid address as one without',
    'proxy-protocol/malformed-address',
    line(/^PROXY TCP4 ([\d.]+) \S+ \d+ \d+\r\n/, () => undefined),
  ),
  wrongReader('serves HTTP/2 without a header', 'proxy-protocol/missing', (bytes) =>
    bytes.subarray(0, 3).equals(Buffer.from('PRI')) ? { length: 0 } : readProxyHeader(bytes),
  ),
  wrongReader('serves methods other than GET without a header', 'proxy-protocol/missing', (bytes) =>
    /^(?:POST|PUT|HEAD)/.test(bytes.toString('latin1', 0, 4))
      ? { length: 0 }
      : readProxyHeader(bytes),
  ),
  wrong(
    'takes a header of any client for X-Real-IP',
    SPOOFED,
    spoofing((spoofed, request) => request.fields.push(['X-Real-IP', spoofed])),
  ),
  wrong(
    'adds an address of a header of any client to X-Forwarded-For',
    SPOOFED,
    spoofing((spoofed, request) => {
      request.fields = request.fields.map(([name, value]) => [
        name,
        name === 'X-Forwarded-For' ? `${spoofed}, ${value}` : value,
      ]);
    }),
  ),
  wrong('takes a header of version 2 for IPv6 of any client', 'proxy-protocol/spoofed-v2', {
    readProxyHeader: (bytes) => {
      if (bytes[13] !== 0x21) return { length: 0 };
      const read = readProxyHeader(bytes);
      return read === 'invalid' ? { length: 0 } : read;
    },
  }),
  {
    ...wrong('has port 0 in its header', 'proxy-protocol/origin-address', {
      sendProxyHeader: ({ address }) =>
        proxyHeader('v2', { source: address.replace(/^::ffff:/, ''), sourcePort: 0 }),
    }),
    setup: SENDS,
  },
  wrong('forwards Upgrade to h2c without Connection', 'upgrade/h2c', {
    keepsHopByHop: ['upgrade'],
  }),
  wrong('forwards the preface of HTTP/2 as a request of HTTP/1.1', 'upgrade/prior-knowledge', {
    readHead: (text) => text.replace(/^PRI \* HTTP\/2\.0\r\n/, 'PRI / HTTP/1.1\r\nHost: a\r\n'),
  }),
];
