import { createHash } from 'node:crypto';
import { ByteReader } from '../byte-reader.ts';
import { ExtensionType, readExtension, type Extension } from './extensions.ts';

/** A ServerHello (RFC 9846 4.2.3, RFC 5246 7.4.1.3), which may be a HelloRetryRequest. */
export interface ServerHello {
  readonly legacyVersion: number;
  /** `legacy_session_id_echo`; empty without one. */
  readonly sessionId: Uint8Array;
  /** The selected version. */
  readonly version: number;
  readonly cipherSuite: number;
  readonly compressionMethod: number;
  /** In the server's order. */
  readonly extensions: readonly Extension[];
  /** Group of the key exchange in TLS 1.3 (RFC 9846 4.3.8); undefined without one. */
  readonly group: number | undefined;
  /** Index of the PSK identity that is resumed; undefined without one. */
  readonly selectedIdentity: number | undefined;
  readonly isHelloRetryRequest: boolean;
}

const RANDOM = 32;
/** Random of a HelloRetryRequest: SHA-256 of its name (RFC 9846 4.2.3). */
export const RETRY_RANDOM = createHash('sha256').update('HelloRetryRequest').digest();

/** @param body without the handshake header; undefined if it is not a valid ServerHello */
export function parseServerHello(body: Uint8Array): ServerHello | undefined {
  const reader = new ByteReader(body);
  const legacyVersion = reader.uint(2);
  const random = reader.bytes(RANDOM);
  const sessionId = reader.vector(1);
  const cipherSuite = reader.uint(2);
  const compressionMethod = reader.uint(1);
  // Before TLS 1.3, a ServerHello may end without extensions (RFC 5246 7.4.1.3).
  const extensions = reader.atEnd ? [] : reader.list(2, readExtension);
  if (!reader.complete) return undefined;
  const uint16 = (type: number): number | undefined => {
    const data = extensions.find(({ id }) => id === type)?.data;
    return data && new ByteReader(data).uint(2);
  };
  return {
    legacyVersion,
    sessionId,
    version: uint16(ExtensionType.supportedVersions) ?? legacyVersion,
    cipherSuite,
    compressionMethod,
    extensions,
    // Both the share of a ServerHello and that of a HelloRetryRequest begin with the group.
    group: uint16(ExtensionType.keyShare),
    selectedIdentity: uint16(ExtensionType.preSharedKey),
    isHelloRetryRequest: RETRY_RANDOM.equals(random),
  };
}

/** The session ID in a ServerHello: the client's, one of the server's own, or none. */
export type SessionIdUse = 'echoed' | 'new' | 'empty';

/** What is shown of a ServerHello, other than what it selects. */
export interface ServerHelloFacts {
  readonly legacyVersion: number;
  readonly sessionId: SessionIdUse;
  /** Numbers of the extensions, in the server's order. */
  readonly extensions: readonly number[];
}

/** @param offered session ID of the ClientHello; empty without one */
export function serverHelloFacts(hello: ServerHello, offered: Uint8Array): ServerHelloFacts {
  return {
    legacyVersion: hello.legacyVersion,
    sessionId: sessionIdUse(hello.sessionId, offered),
    extensions: hello.extensions.map(({ id }) => id),
  };
}

/**
 * @param sessionId of the ServerHello
 * @param offered that of the ClientHello; both are empty without one
 */
export function sessionIdUse(sessionId: Uint8Array, offered: Uint8Array): SessionIdUse {
  if (sessionId.length === 0) return 'empty';
  return Buffer.compare(sessionId, offered) === 0 ? 'echoed' : 'new';
}
