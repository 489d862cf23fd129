import { randomBytes } from 'node:crypto';
import { uint16s, vector } from '../byte-writer.ts';
import { alpnExtension, extension, serverNameExtension } from './extension-writer.ts';
import { ExtensionType } from './extensions.ts';
import { TlsVersion } from './record.ts';

export interface Offer {
  /** TLS versions, the preferred one first. */
  readonly versions: readonly number[];
  /** Server Name Indication; undefined sends none. */
  readonly servername: string | undefined;
  readonly alpn: readonly string[];
  /** Bytes to which the message is padded (RFC 7685). */
  readonly paddedTo?: number;
  /** Whether to add a key share of X25519MLKEM768, which has 1,216 bytes. */
  readonly hasPostQuantumShare?: boolean;
}

const CIPHER_SUITES_TLS13 = [0x1301, 0x1302, 0x1303];
const CIPHER_SUITES_TLS12 = [0xc02b, 0xc02f, 0xc02c, 0xc030, 0xcca9, 0xcca8, 0x009c, 0x009d];
/** Suites with CBC and SHA-1, the only ones in TLS 1.0 and 1.1. */
const CIPHER_SUITES_OLD = [0xc009, 0xc013, 0xc00a, 0xc014, 0x002f, 0x0035];
/** Cipher suite value that stands for the extension renegotiation_info (RFC 5746 3.3). */
const RENEGOTIATION_SCSV = 0x00ff;

const GROUPS = [0x001d, 0x0017, 0x0018];
const X25519 = 0x001d;
const X25519_MLKEM768 = 0x11ec;
const SIGNATURES = [
  0x0403, 0x0503, 0x0603, 0x0804, 0x0805, 0x0806, 0x0401, 0x0501, 0x0601, 0x0203, 0x0201,
];
const EXTENDED_MASTER_SECRET = 23;

/** A ClientHello message (RFC 9846 4.2.2), without records. */
export function clientHello(offer: Offer): Buffer {
  const { versions, paddedTo = 0 } = offer;
  const highest = Math.min(TlsVersion.tls12, Math.max(...versions));
  const start = Buffer.concat([
    uint16s([highest]),
    randomBytes(32),
    // legacy_session_id, not empty because of middleboxes that know only TLS 1.2 (RFC 9846 E.4).
    vector(1, randomBytes(32)),
    vector(2, uint16s(cipherSuites(versions))),
    vector(1, Buffer.of(0)),
  ]);
  let list = extensions(offer);
  const length = 4 + start.length + 2 + list.length;
  if (paddedTo > length) {
    const zeros = Buffer.alloc(Math.max(0, paddedTo - length - 4));
    list = Buffer.concat([list, extension(ExtensionType.padding, zeros)]);
  }
  const body = Buffer.concat([start, vector(2, list)]);
  return Buffer.concat([Buffer.of(1), vector(3, body)]);
}

function cipherSuites(versions: readonly number[]): number[] {
  return [
    ...(versions.includes(TlsVersion.tls13) ? CIPHER_SUITES_TLS13 : []),
    ...(versions.includes(TlsVersion.tls12) ? CIPHER_SUITES_TLS12 : []),
    ...(Math.min(...versions) < TlsVersion.tls12 ? CIPHER_SUITES_OLD : []),
    RENEGOTIATION_SCSV,
  ];
}

function extensions({ versions, servername, alpn, hasPostQuantumShare = false }: Offer): Buffer {
  const groups = [...(hasPostQuantumShare ? [X25519_MLKEM768] : []), ...GROUPS];
  const list = [
    extension(ExtensionType.supportedGroups, vector(2, uint16s(groups))),
    extension(ExtensionType.ecPointFormats, vector(1, Buffer.of(0))),
    extension(EXTENDED_MASTER_SECRET, Buffer.alloc(0)),
  ];
  if (servername !== undefined) {
    list.unshift(serverNameExtension(servername));
  }
  if (alpn.length > 0) {
    list.push(alpnExtension(alpn));
  }
  if (Math.max(...versions) >= TlsVersion.tls12) {
    list.push(extension(ExtensionType.signatureAlgorithms, vector(2, uint16s(SIGNATURES))));
  }
  if (versions.includes(TlsVersion.tls13)) {
    list.push(
      extension(ExtensionType.supportedVersions, vector(1, uint16s(versions))),
      extension(ExtensionType.pskKeyExchangeModes, vector(1, Buffer.of(1))),
      extension(ExtensionType.keyShare, vector(2, keyShares(hasPostQuantumShare))),
    );
  }
  return Buffer.concat(list);
}

/** Key shares. They need no private keys, because the handshake never continues: any 32 bytes are a public key. */
function keyShares(hasPostQuantumShare: boolean): Buffer {
  const share = Buffer.concat([uint16s([X25519]), vector(2, randomBytes(32))]);
  if (!hasPostQuantumShare) return share;
  // An ML-KEM-768 key: 1,152 bytes of coefficients, which must be below 3,329 (FIPS 203 7.2), and a seed of 32 bytes.
  // The public key of X25519 follows.
  const key = Buffer.concat([Buffer.alloc(1152), randomBytes(32), randomBytes(32)]);
  return Buffer.concat([uint16s([X25519_MLKEM768]), vector(2, key), share]);
}
