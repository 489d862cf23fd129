import { createHash } from 'node:crypto';
import { ByteReader } from '../byte-reader.ts';
import { ExtensionType, readExtension } from './extensions.ts';

/** What a ServerHello selects. */
export interface ServerSelection {
  readonly version: number;
  readonly cipherSuite: number;
  /** Index of the PSK identity that is resumed; undefined without one. */
  readonly selectedIdentity: number | undefined;
  readonly isHelloRetryRequest: boolean;
}

const RANDOM = 32;
/** Random of a HelloRetryRequest: SHA-256 of its name (RFC 9846 4.2.3). */
const RETRY_RANDOM = createHash('sha256').update('HelloRetryRequest').digest();

/** @param body without the handshake header; undefined if it is not a valid ServerHello */
export function parseServerHello(body: Uint8Array): ServerSelection | undefined {
  const reader = new ByteReader(body);
  const legacyVersion = reader.uint(2);
  const random = reader.bytes(RANDOM);
  reader.vector(1);
  const cipherSuite = reader.uint(2);
  reader.uint(1);
  // Before TLS 1.3, a ServerHello may end without extensions (RFC 5246 7.4.1.3).
  const extensions = reader.atEnd ? [] : reader.list(2, readExtension);
  if (!reader.complete) return undefined;
  const uint16 = (type: number): number | undefined => {
    const data = extensions.find(({ id }) => id === type)?.data;
    return data && new ByteReader(data).uint(2);
  };
  return {
    version: uint16(ExtensionType.supportedVersions) ?? legacyVersion,
    cipherSuite,
    selectedIdentity: uint16(ExtensionType.preSharedKey),
    isHelloRetryRequest: RETRY_RANDOM.equals(random),
  };
}
