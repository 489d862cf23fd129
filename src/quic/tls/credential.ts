import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import type { ClientHello } from '../../wire/tls/client-hello.ts';
import { alertError } from './failure.ts';
import { certificate } from './messages.ts';
import { schemesOf } from './signatures.ts';

/** A certificate of a server, with its key. */
export interface Credential {
  readonly leaf: X509Certificate;
  readonly key: KeyObject;
  /** SignatureSchemes of the key, the preferred one first; none if QUIC cannot use such a key. */
  readonly schemes: readonly number[];
  /** The Certificate message, the same in all handshakes. */
  readonly message: Buffer;
}

const BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * @param cert chain in PEM, the end entity's first
 * @param key private key in PEM, not encrypted
 * @throws Error if one is invalid
 */
export function readCredential(cert: string | Buffer, key: string | Buffer): Credential {
  const chain = (cert.toString().match(BLOCK) ?? []).map((pem) => new X509Certificate(pem));
  const [leaf] = chain;
  if (!leaf) throw new Error('there is no PEM certificate');
  const privateKey = createPrivateKey(key);
  return {
    leaf,
    key: privateKey,
    schemes: schemesOf(privateKey),
    message: certificate(
      Buffer.alloc(0),
      chain.map(({ raw }) => raw),
    ),
  };
}

/** What signs a handshake. */
export interface SigningChoice {
  readonly credential: Credential;
  /** SignatureScheme, which the client has offered. */
  readonly scheme: number;
}

/**
 * Chooses a credential (RFC 9846 4.5.1.2): the first one for the name whose key the client accepts, otherwise the first one
 * of any name.
 *
 * @throws HandshakeError if the client accepts none of the keys
 */
export function chooseCredential(
  credentials: readonly Credential[],
  { signatureAlgorithms, serverName }: ClientHello,
): SigningChoice {
  if (!signatureAlgorithms) {
    const reason = 'signature_algorithms is missing';
    throw alertError('missing_extension', 'RFC 9846 4.3.3', reason);
  }
  const usable = credentials.flatMap((credential) => {
    const scheme = credential.schemes.find((each) => signatureAlgorithms.includes(each));
    return scheme === undefined ? [] : [{ credential, scheme }];
  });
  const [first] = usable;
  if (!first) {
    const reason = 'the client accepts no signature of the server';
    throw alertError('handshake_failure', 'RFC 9846 4.2.1', reason);
  }
  if (usable.length === 1 || serverName === undefined) return first;
  return usable.find(({ credential }) => credential.leaf.checkHost(serverName)) ?? first;
}
