import { proxyHeader } from '../../../src/check/client/proxy-header.ts';
import { readProxyHeader, type ReadProxyHeader } from '../_gateway-proxy-header.ts';
import type { Setup, WrongProxy } from '../_wrong.ts';

const CLEARTEXT: Setup = { scheme: 'http', hasOriginTls: false };
const TAKES: Setup = { scheme: 'http', takesProxyHeader: true };
const SENDS: Setup = { scheme: 'http', sendsProxyHeader: true };

const wrongReader = (
  name: string,
  read: ReadProxyHeader,
  turns: WrongProxy['turns'],
  setup = TAKES,
): WrongProxy => ({ name, deviation: { readProxyHeader: read }, turns, setup });

const isVersion2 = (bytes: Buffer): boolean => bytes[0] === 0x0d;
const LOCAL = 0x20;
const INET6 = 0x21;
const HEADER = 16;

/** Refuses the headers for which it holds. */
const refusing =
  (isRefused: (bytes: Buffer) => boolean): ReadProxyHeader =>
  (bytes) =>
    isRefused(bytes) ? 'invalid' : readProxyHeader(bytes);

/** Takes a line that begins so for a header, whatever it says. */
const accepting =
  (pattern: RegExp): ReadProxyHeader =>
  (bytes) => {
    const [line] = pattern.exec(bytes.toString('latin1')) ?? [];
    return line === undefined ? readProxyHeader(bytes) : { length: line.length };
  };

const optional: ReadProxyHeader = (bytes) => {
  const read = readProxyHeader(bytes);
  return read === 'invalid' ? { length: 0 } : read;
};

/** Gateways that read or send PROXY headers wrongly. */
export const wrongProxyHeaders: readonly WrongProxy[] = [
  wrongReader(
    'takes PROXY headers of version 1 from loopback only',
    refusing((bytes) => /^PROXY TCP. (?!127)/.test(bytes.toString('latin1'))),
    { 'proxy-protocol/v1': 'differs', 'proxy-protocol/unknown': 'not-applicable' },
  ),
  wrongReader('knows PROXY headers of version 1 only', refusing(isVersion2), {
    'proxy-protocol/v2': 'differs',
    'proxy-protocol/local': 'not-applicable',
    'proxy-protocol/tlvs': 'not-applicable',
    'proxy-protocol/checksum': 'not-applicable',
  }),
  wrongReader(
    'ignores the address of PROXY headers',
    (bytes) => {
      const read = readProxyHeader(bytes);
      return typeof read === 'object' ? { length: read.length } : read;
    },
    { 'proxy-protocol/address': 'differs', 'proxy-protocol/address-ipv6': 'differs' },
  ),
  wrongReader(
    'refuses IPv6 in PROXY headers',
    refusing((bytes) => bytes.includes('TCP6') || (isVersion2(bytes) && bytes[13] === INET6)),
    { 'proxy-protocol/address-ipv6': 'differs' },
  ),
  wrongReader(
    'refuses PROXY UNKNOWN',
    refusing((bytes) => bytes.includes('PROXY UNKNOWN')),
    { 'proxy-protocol/unknown': 'fail' },
  ),
  wrongReader(
    'refuses the command LOCAL',
    refusing((bytes) => isVersion2(bytes) && bytes[12] === LOCAL),
    { 'proxy-protocol/local': 'fail' },
  ),
  wrongReader(
    'refuses unknown TLVs',
    // Addresses and ports of IPv4 are 12 bytes; the TLV of a checksum has the type 3.
    refusing((bytes) => isVersion2(bytes) && bytes.length > HEADER + 12 && bytes[28] === 4),
    { 'proxy-protocol/tlvs': 'fail' },
  ),
  wrongReader(
    'does not verify checksums',
    (bytes) =>
      isVersion2(bytes) && bytes[28] === 3
        ? { length: HEADER + bytes.readUInt16BE(14) }
        : readProxyHeader(bytes),
    { 'proxy-protocol/checksum': 'differs' },
  ),
  wrongReader('accepts malformed PROXY headers', accepting(/^PROXY TCP5 .*\r\n/), {
    'proxy-protocol/malformed': 'fail',
  }),
  wrongReader('accepts malformed addresses', accepting(/^PROXY TCP4 300\..*\r\n/), {
    'proxy-protocol/malformed-address': 'differs',
  }),
  wrongReader('guesses whether there is a PROXY header', optional, {
    'proxy-protocol/missing': 'fail',
  }),
  wrongReader(
    'believes PROXY headers of everyone',
    optional,
    { 'proxy-protocol/spoofed-v1': 'fail', 'proxy-protocol/spoofed-v2': 'fail' },
    CLEARTEXT,
  ),
  wrongReader(
    'takes off PROXY headers of everyone',
    (bytes) => {
      const read = optional(bytes);
      return typeof read === 'object' ? { length: read.length } : read;
    },
    { 'proxy-protocol/spoofed-v1': 'differs', 'proxy-protocol/spoofed-v2': 'differs' },
    CLEARTEXT,
  ),
  {
    name: 'sends the origin no PROXY header',
    deviation: { sendProxyHeader: () => Buffer.alloc(0) },
    turns: {
      'proxy-protocol/origin': 'differs',
      'proxy-protocol/origin-address': 'differs',
      'proxy-protocol/origin-each': 'differs',
    },
    setup: SENDS,
  },
  {
    name: 'sends the origin another port',
    deviation: {
      sendProxyHeader: ({ address, port }) =>
        proxyHeader('v1', { source: address, sourcePort: port ^ 1 }),
    },
    turns: { 'proxy-protocol/origin-address': 'differs' },
    setup: SENDS,
  },
  {
    name: 'sends the origin the address of the first client',
    deviation: { sendProxyHeader: () => proxyHeader('v1', { source: '127.0.0.1', sourcePort: 1 }) },
    turns: { 'proxy-protocol/origin-address': 'differs', 'proxy-protocol/origin-each': 'fail' },
    setup: SENDS,
  },
];
