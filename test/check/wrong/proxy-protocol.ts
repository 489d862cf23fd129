import { proxyHeader } from '../../../src/wire/proxy-protocol/write.ts';
import { readProxyHeader, type ReadProxyHeader } from '../_gateway-proxy-header.ts';
import { differs, wrong, type Setup, type Turns, type WrongProxy } from '../_wrong.ts';

const CLEARTEXT: Setup = { scheme: 'http', hasOriginTls: false };
const TAKES: Setup = { scheme: 'http', takesProxyHeader: true };
export const SENDS: Setup = { scheme: 'http', sendsProxyHeader: true };

export const wrongReader = (
  name: string,
  turns: Turns,
  read: ReadProxyHeader,
  setup = TAKES,
): WrongProxy => ({ ...wrong(name, turns, { readProxyHeader: read }), setup });

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
    { 'proxy-protocol/v1': 'differs', 'proxy-protocol/unknown': 'not-applicable' },
    refusing((bytes) => /^PROXY TCP. (?!127)/.test(bytes.toString('latin1'))),
  ),
  wrongReader(
    'knows PROXY headers of version 1 only',
    {
      'proxy-protocol/v2': 'differs',
      'proxy-protocol/local': 'not-applicable',
      'proxy-protocol/tlvs': 'not-applicable',
      'proxy-protocol/checksum': 'not-applicable',
    },
    refusing(isVersion2),
  ),
  wrongReader(
    'ignores the address of PROXY headers',
    differs('proxy-protocol/address', 'proxy-protocol/address-ipv6'),
    (bytes) => {
      const read = readProxyHeader(bytes);
      return typeof read === 'object' ? { length: read.length } : read;
    },
  ),
  wrongReader(
    'refuses IPv6 in PROXY headers',
    differs('proxy-protocol/address-ipv6'),
    refusing((bytes) => bytes.includes('TCP6') || (isVersion2(bytes) && bytes[13] === INET6)),
  ),
  wrongReader(
    'refuses PROXY UNKNOWN',
    'proxy-protocol/unknown',
    refusing((bytes) => bytes.includes('PROXY UNKNOWN')),
  ),
  wrongReader(
    'refuses the command LOCAL',
    'proxy-protocol/local',
    refusing((bytes) => isVersion2(bytes) && bytes[12] === LOCAL),
  ),
  wrongReader(
    'refuses unknown TLVs',
    // Addresses and ports of IPv4 are 12 bytes; the TLV of a checksum has the type 3.
    'proxy-protocol/tlvs',
    refusing((bytes) => isVersion2(bytes) && bytes.length > HEADER + 12 && bytes[28] === 4),
  ),
  wrongReader('does not verify checksums', differs('proxy-protocol/checksum'), (bytes) =>
    isVersion2(bytes) && bytes[28] === 3
      ? { length: HEADER + bytes.readUInt16BE(14) }
      : readProxyHeader(bytes),
  ),
  wrongReader(
    'accepts malformed PROXY headers',
    'proxy-protocol/malformed',
    accepting(/^PROXY TCP5 .*\r\n/),
  ),
  wrongReader(
    'accepts malformed addresses',
    differs('proxy-protocol/malformed-address'),
    accepting(/^PROXY TCP4 300\..*\r\n/),
  ),
  wrongReader('guesses whether there is a PROXY header', 'proxy-protocol/missing', optional),
  wrongReader(
    'believes PROXY headers of everyone',
    ['proxy-protocol/spoofed-v1', 'proxy-protocol/spoofed-v2'],
    optional,
    CLEARTEXT,
  ),
  wrongReader(
    'takes off PROXY headers of everyone',
    differs('proxy-protocol/spoofed-v1', 'proxy-protocol/spoofed-v2'),
    (bytes) => {
      const read = optional(bytes);
      return typeof read === 'object' ? { length: read.length } : read;
    },
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
