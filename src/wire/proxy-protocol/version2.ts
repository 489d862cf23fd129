import { formatAddress } from '../../http/ip-address.ts';
import {
  invalid,
  needMore,
  type ProxyEndpoint,
  type ProxyHeaderError,
  type ProxyHeader,
  type ProxyParseResult,
} from './header.ts';
import { decodeTlvs } from './tlvs.ts';
import { ByteReader } from '../byte-reader.ts';

/** Signature of a version 2 header (proxy-protocol.txt 2.2). */
export const V2_START = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');

const FIXED_LENGTH = 16;
/**
 * Maximum bytes after the fixed part. The format allows 65,535, but senders should stay within one TCP segment. 4 KiB
 * are enough for a client certificate.
 */
const MAX_LENGTH = 4096;

const COMMANDS = ['LOCAL', 'PROXY'] as const;
const TRANSPORTS = ['unspec', 'stream', 'dgram'] as const;
const FAMILIES = ['unspec', 'inet', 'inet6', 'unix'] as const;
/** Bytes of an address, and of a port, by family. */
const SIZES = { unspec: [0, 0], inet: [4, 2], inet6: [16, 2], unix: [108, 0] } as const;

/** Parses bytes that begin with `V2_START`. */
export function parseVersion2(bytes: Uint8Array): ProxyParseResult {
  if (bytes.length < FIXED_LENGTH) return needMore(FIXED_LENGTH);
  const fixed = new ByteReader(bytes.subarray(V2_START.length, FIXED_LENGTH));
  const versionAndCommand = fixed.uint(1);
  const familyAndTransport = fixed.uint(1);
  const length = FIXED_LENGTH + fixed.uint(2);
  if (versionAndCommand >> 4 !== 2) return invalid('v2-version');
  const command = COMMANDS[versionAndCommand & 0xf];
  if (!command) return invalid('v2-command');
  // Family and transport of LOCAL must be ignored.
  const unknown = command === 'LOCAL' ? 'unspec' : undefined;
  const family = FAMILIES[familyAndTransport >> 4] ?? unknown;
  const transport = TRANSPORTS[familyAndTransport & 0xf] ?? unknown;
  if (!family || !transport) return invalid('v2-family');
  if (length > FIXED_LENGTH + MAX_LENGTH) return invalid('v2-too-long');
  if (bytes.length < length) return needMore(length);

  // A copy, because a slice would retain the whole read buffer.
  const whole = Uint8Array.prototype.slice.call(bytes, 0, length);
  const hasAddresses = command === 'PROXY' && family !== 'unspec' && transport !== 'unspec';
  const block = hasAddresses ? parseBlock(whole, family) : parseIgnoredBlock(whole, family);
  if (typeof block === 'string') return invalid(block);
  return { kind: 'header', header: { version: 2, command, family, transport, ...block }, length };
}

type Family = ProxyHeader['family'];
type Block = Pick<ProxyHeader, 'source' | 'destination' | 'tlvs'>;

/** The addresses and the TLVs after them. */
function parseBlock(whole: Uint8Array, family: Family): Block | ProxyHeaderError {
  const endsAt = FIXED_LENGTH + addressesLength(family);
  if (whole.length < endsAt) return 'v2-address';
  const reader = new ByteReader(whole.subarray(FIXED_LENGTH, endsAt));
  const [size] = SIZES[family];
  const from = reader.bytes(size);
  const to = reader.bytes(size);
  const end = (bytes: Uint8Array): ProxyEndpoint =>
    family === 'unix'
      ? { path: unixPath(bytes) }
      : { address: formatAddress(bytes), port: reader.uint(2) };
  const ends = { source: end(from), destination: end(to) };
  const tlvs = decodeTlvs(whole, endsAt);
  return typeof tlvs === 'string' ? tlvs : { ...ends, tlvs };
}

/** Parses the part after the fixed one if addresses must be ignored: only a wrong checksum is invalid. */
function parseIgnoredBlock(whole: Uint8Array, family: Family): Block | ProxyHeaderError {
  const tlvs = decodeTlvs(whole, FIXED_LENGTH + addressesLength(family));
  if (tlvs === 'v2-checksum') return tlvs;
  return { source: undefined, destination: undefined, tlvs: tlvs === 'v2-tlv' ? [] : tlvs };
}

function addressesLength(family: Family): number {
  const [address, port] = SIZES[family];
  return 2 * (address + port);
}

/** A path without padding. The NUL at the start of an abstract name is shown as `@`. */
function unixPath(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString('latin1');
  return text.replace(/^\0(?=[^\0])/, '@').replace(/\0.*/s, '');
}
