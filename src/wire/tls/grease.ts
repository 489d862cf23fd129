import type { ClientHello } from './client-hello.ts';

/** Whether a 16-bit code point is reserved by RFC 8701 3.1: 0x0A0A, 0x1A1A … 0xFAFA. */
export function isGrease(value: number): boolean {
  return (value & 0x0f0f) === 0x0a0a && value >> 8 === (value & 0xff);
}

/** Whether a PskKeyExchangeMode is GREASE. Modes have their own values: 0x0B, 0x2A … 0xE4 (RFC 8701 3.1). */
export function isGreaseMode(mode: number): boolean {
  return mode % 0x1f === 0x0b && mode <= 0xe4;
}

/** Whether an ALPN name is GREASE: the same code points as two bytes. */
export function isGreaseProtocol(name: string): boolean {
  return name.length === 2 && isGrease((name.charCodeAt(0) << 8) | name.charCodeAt(1));
}

/** The GREASE values in a ClientHello by list; lists without one are omitted. */
export function greasePositions(hello: ClientHello): Record<string, number[]> {
  const byList: Record<string, number[]> = {
    cipher_suites: hello.cipherSuites.filter(isGrease),
    extensions: hello.extensions.map(({ id }) => id).filter(isGrease),
    supported_groups: (hello.supportedGroups ?? []).filter(isGrease),
    key_share: (hello.keyShares ?? []).map(({ group }) => group).filter(isGrease),
    supported_versions: (hello.supportedVersions ?? []).filter(isGrease),
    signature_algorithms: (hello.signatureAlgorithms ?? []).filter(isGrease),
    signature_algorithms_cert: (hello.signatureAlgorithmsCert ?? []).filter(isGrease),
    psk_key_exchange_modes: (hello.pskModes ?? []).filter(isGreaseMode),
    alpn: (hello.alpn ?? [])
      .filter(isGreaseProtocol)
      .map((name) => (name.charCodeAt(0) << 8) | name.charCodeAt(1)),
  };
  return Object.fromEntries(Object.entries(byList).filter(([, values]) => values.length > 0));
}
