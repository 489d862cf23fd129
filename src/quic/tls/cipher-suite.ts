import { packetCiphers } from '../../wire/quic/packet-keys.ts';
import type { HashName } from '../../wire/tls/hkdf.ts';

/** Cipher suites of TLS 1.3 (RFC 9846 B.4) that QUIC uses here. RFC 9001 5.3 excludes TLS_AES_128_CCM_8_SHA256. */
export const CipherSuite = {
  aes128Gcm: 0x1301,
  aes256Gcm: 0x1302,
  chacha20Poly1305: 0x1303,
} as const;
export type CipherSuite = (typeof CipherSuite)[keyof typeof CipherSuite];

/** In the order in which a server prefers and a client offers them. AES-128-GCM is the fastest one. */
export const CIPHER_SUITES: readonly CipherSuite[] = Object.values(CipherSuite);

export function isCipherSuite(code: number): code is CipherSuite {
  return CIPHER_SUITES.some((suite) => suite === code);
}

/** Hash of the key schedule and of the transcript. */
export const suiteHash = (suite: CipherSuite): HashName => packetCiphers[suite].hash;
