import type { ClientHello } from './client-hello.ts';
import { ExtensionType } from './extensions.ts';
import { TlsVersion } from './record.ts';
import { sessionIdUse, type ServerHelloFacts } from './server-hello.ts';

/** The negotiated parameters that determine OpenSSL's ServerHello. */
export interface Negotiated {
  readonly version: number;
  /** The registered name of the cipher suite. */
  readonly cipherSuite: string;
  readonly isResumed: boolean;
  /** Of the session, before TLS 1.3; empty without one. */
  readonly sessionId: Uint8Array;
  /** Whether ALPN has selected a protocol. */
  readonly hasAlpn: boolean;
}

interface Handshake extends Negotiated {
  readonly hello: ClientHello;
}

/** TLS_EMPTY_RENEGOTIATION_INFO_SCSV (RFC 5746 3.3), a cipher suite that stands for the extension. */
const RENEGOTIATION_SCSV = 0x00ff;

/** Cipher suites with elliptic curves: ECDH(E), or an ECDSA key. */
const WITH_CURVES = /^TLS_ECDH|_ECDSA_/;
/** AEAD cipher suites, which have no separate MAC (RFC 7366 3). */
const AEAD = /_(?:GCM|CCM|CCM_8|POLY1305)_|_CCM(?:_8)?$/;

const answers = (id: number, isSent: (handshake: Handshake) => boolean = () => true) =>
  [id, (handshake: Handshake) => isOffered(handshake, id) && isSent(handshake)] as const;

/** Extensions of a ServerHello before TLS 1.3, in OpenSSL's order (`ext_defs` in ssl/statem/extensions.c). */
const EXTENSIONS = [
  [
    ExtensionType.renegotiationInfo,
    (handshake: Handshake) =>
      isOffered(handshake, ExtensionType.renegotiationInfo) ||
      handshake.hello.cipherSuites.includes(RENEGOTIATION_SCSV),
  ],
  // Never server_name: Node has no certificate for the name yet when OpenSSL asks whether it is known.
  answers(ExtensionType.maxFragmentLength),
  answers(
    ExtensionType.ecPointFormats,
    ({ cipherSuite, isResumed }) => !isResumed && WITH_CURVES.test(cipherSuite),
  ),
  // A client that gets a ticket gets no session ID (RFC 5077 3.4). From security level 3 on, OpenSSL issues session IDs
  // only. Node does not renew a ticket that is still valid.
  answers(
    ExtensionType.sessionTicket,
    ({ isResumed, sessionId }) => !isResumed && sessionId.length === 0,
  ),
  answers(ExtensionType.alpn, ({ hasAlpn }) => hasAlpn),
  answers(ExtensionType.encryptThenMac, ({ cipherSuite }) => !AEAD.test(cipherSuite)),
  answers(ExtensionType.extendedMainSecret),
] as const;

/**
 * The ServerHello that OpenSSL 3.0 to 3.5, as configured by Node, has sent in a complete handshake. In TLS 1.3 all but
 * the order is prescribed (RFC 9846 4.2.3 and 4.3).
 */
export function opensslServerHello(hello: ClientHello, negotiated: Negotiated): ServerHelloFacts {
  const { version, isResumed, sessionId } = negotiated;
  if (version === TlsVersion.tls13) {
    const { supportedVersions, keyShare, preSharedKey } = ExtensionType;
    return {
      legacyVersion: TlsVersion.tls12,
      sessionId: hello.sessionId.length > 0 ? 'echoed' : 'empty',
      extensions: [supportedVersions, keyShare, ...(isResumed ? [preSharedKey] : [])],
    };
  }
  const handshake = { ...negotiated, hello };
  return {
    legacyVersion: version,
    sessionId: sessionIdUse(sessionId, hello.sessionId),
    extensions: EXTENSIONS.filter(([, isSent]) => isSent(handshake)).map(([id]) => id),
  };
}

function isOffered({ hello }: Handshake, extension: number): boolean {
  return hello.extensions.some(({ id }) => id === extension);
}

/** A SignatureScheme and its minimum key length in bytes: RSASSA-PSS needs two digests and 2 bytes (RFC 8017 9.1.1). */
type Scheme = readonly [id: number, minBytes?: number];

/** SignatureSchemes of TLS 1.2, by the type of the key and the name of OpenSSL. */
const SIGNATURES: Readonly<Record<string, Readonly<Record<string, Scheme>>>> = {
  ec: {
    'ECDSA+SHA1': [0x0203],
    'ECDSA+SHA224': [0x0303],
    'ECDSA+SHA256': [0x0403],
    'ECDSA+SHA384': [0x0503],
    'ECDSA+SHA512': [0x0603],
  },
  rsa: {
    'RSA+SHA1': [0x0201],
    'RSA+SHA224': [0x0301],
    'RSA+SHA256': [0x0401],
    'RSA+SHA384': [0x0501],
    'RSA+SHA512': [0x0601],
    'RSA-PSS+SHA256': [0x0804, 66],
    'RSA-PSS+SHA384': [0x0805, 98],
    'RSA-PSS+SHA512': [0x0806, 130],
  },
  ed25519: { 'Ed25519+UNDEF': [0x0807] },
  ed448: { 'Ed448+UNDEF': [0x0808] },
};

/** The scheme by type of key for a client without `signature_algorithms` (RFC 5246 7.4.1.4.1). */
const DEFAULTS: Readonly<Record<string, number>> = { ec: 0x0203, rsa: 0x0201 };

/** The key of a server's certificate. */
interface ServerKey {
  /** As Node names it. */
  readonly type: string;
  /** Length of the modulus of RSA. */
  readonly bits?: number | undefined;
}

/**
 * The SignatureScheme that OpenSSL chooses in TLS 1.2: the first common one that fits its key.
 *
 * @param shared names of the common schemes, in the server's order (`getSharedSigalgs`). RSA-PSS has the same name for
 * both kinds of RSA keys, and comes first for RSASSA-PSS keys
 * @param offered schemes of the client; undefined without the extension
 * @returns undefined if it is not known
 */
export function opensslSignatureScheme(
  shared: readonly string[],
  { type, bits = 0 }: ServerKey,
  offered: readonly number[] | undefined,
): number | undefined {
  if (!offered) return DEFAULTS[type];
  const schemes = SIGNATURES[type] ?? {};
  for (const [at, name] of shared.entries()) {
    const [id, minBytes = 0] = schemes[name] ?? [];
    if (id === undefined || !offered.includes(id) || Math.ceil(bits / 8) < minBytes) continue;
    const isOfOtherKeys = name.startsWith('RSA-PSS') && shared.includes(name, at + 1);
    if (!isOfOtherKeys) return id;
  }
  return undefined;
}
