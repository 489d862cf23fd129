import { crc32c } from './crc32c.ts';
import type { Tlv } from './header.ts';
import { vectorElements, ByteReader } from '../byte-reader.ts';

/** Registered TLV types (proxy-protocol.txt 2.2). */
export const TlvType = {
  alpn: 0x01,
  authority: 0x02,
  crc32c: 0x03,
  uniqueId: 0x05,
  ssl: 0x20,
  netns: 0x30,
} as const;

/** Types within `ssl` (proxy-protocol.txt 2.2.6). HAProxy has added the last two later. */
export const SslTlvType = {
  version: 0x21,
  cn: 0x22,
  cipher: 0x23,
  sigAlg: 0x24,
  keyAlg: 0x25,
  group: 0x26,
  sigScheme: 0x27,
} as const;

/** Bits of `client`: TLS; certificate on this connection; certificate in this TLS session. */
export const SslClient = { ssl: 1, certConn: 2, certSess: 4 } as const;

const MAX_UNIQUE_ID = 128;

/** Reads TLVs; undefined if one is truncated. */
function readTlvs(bytes: Uint8Array): readonly Tlv[] | undefined {
  return vectorElements(bytes, (reader) => ({ type: reader.uint(1), value: reader.vector(2) }));
}

/** The value of PP2_TYPE_SSL (2.2.6). */
export interface SslTlv {
  /** Bits of `SslClient`. */
  readonly client: number;
  /** 0 if the client certificate was verified. */
  readonly verify: number;
  readonly tlvs: readonly Tlv[];
}

/** Parses the value of PP2_TYPE_SSL; undefined if it is truncated. */
export function parseSslTlv(value: Uint8Array): SslTlv | undefined {
  const reader = new ByteReader(value);
  const client = reader.uint(1);
  const verify = reader.uint(4);
  const tlvs = readTlvs(value.subarray(5));
  return reader.failed || !tlvs ? undefined : { client, verify, tlvs };
}

/**
 * Decodes and validates the TLVs of a header.
 *
 * @param header the complete header
 * @param offset where the TLVs begin
 */
export function decodeTlvs(
  header: Uint8Array,
  offset: number,
): readonly Tlv[] | 'v2-tlv' | 'v2-checksum' {
  const tlvs = readTlvs(header.subarray(offset));
  if (!tlvs?.every(isValid)) return 'v2-tlv';
  const [checksum, ...others] = tlvs.filter(({ type }) => type === TlvType.crc32c);
  if (others.length > 0) return 'v2-tlv';
  return !checksum || checksumMatches(header, checksum.value) ? tlvs : 'v2-checksum';
}

function isValid({ type, value }: Tlv): boolean {
  switch (type) {
    case TlvType.crc32c:
      return value.length === 4;
    case TlvType.uniqueId:
      return value.length <= MAX_UNIQUE_ID;
    case TlvType.ssl:
      return parseSslTlv(value) !== undefined;
    default:
      return true;
  }
}

/** Whether the checksum is right. It covers the header, with zero in its own place (proxy-protocol.txt 2.2.3). */
function checksumMatches(header: Uint8Array, checksum: Uint8Array): boolean {
  const zeroed = Uint8Array.from(header);
  const at = checksum.byteOffset - header.byteOffset;
  zeroed.fill(0, at, at + checksum.length);
  return crc32c(zeroed) === new ByteReader(checksum).uint(4);
}
