import { ByteReader } from '../byte-reader.ts';
import { TlsVersion } from './record.ts';

/** What a ServerKeyExchange with ECDHE says (RFC 8422 5.4). */
export interface ServerKeyExchange {
  /** NamedGroup of the key exchange. */
  readonly group: number;
  /** SignatureScheme of the signature; undefined before TLS 1.2, which first names it (RFC 5246 7.4.3). */
  readonly signatureScheme: number | undefined;
}

/** ECCurveType. */
const NAMED_CURVE = 3;

/**
 * @param body without the handshake header
 * @param version of the connection
 * @returns undefined if it is not valid, or of another key exchange
 */
export function parseServerKeyExchange(
  body: Uint8Array,
  version: number,
): ServerKeyExchange | undefined {
  const reader = new ByteReader(body);
  const curveType = reader.uint(1);
  const group = reader.uint(2);
  reader.vector(1);
  // An anonymous server signs nothing.
  const isSigned = !reader.atEnd;
  const signatureScheme = isSigned && version >= TlsVersion.tls12 ? reader.uint(2) : undefined;
  if (isSigned) reader.vector(2);
  return curveType === NAMED_CURVE && reader.complete ? { group, signatureScheme } : undefined;
}
