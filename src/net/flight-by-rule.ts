import type { TLSSocket } from 'node:tls';
import type { ClientHello } from '../wire/tls/client-hello.ts';
import { opensslServerHello, opensslSignatureScheme } from '../wire/tls/openssl-server-hello.ts';
import { sessionIdOfSession } from '../wire/tls/openssl-session.ts';
import { TlsVersion } from '../wire/tls/record.ts';
import type { ServerFlight } from '../wire/tls/server-flight.ts';
import { hasRenegotiated, isSslFreed } from './node-internals.ts';

/** Whether the rules of this version of OpenSSL are known. */
const HAS_RULES = /^3\.[0-5]\./.test(process.versions['openssl'] ?? '');

const VERSIONS = new Map<string | null, number>([
  ['TLSv1', TlsVersion.tls10],
  ['TLSv1.1', TlsVersion.tls11],
  ['TLSv1.2', TlsVersion.tls12],
  ['TLSv1.3', TlsVersion.tls13],
]);

type Flight = Pick<ServerFlight, 'hello' | 'signatureScheme'>;

/** ServerHello and ServerKeyExchange by OpenSSL's rules. Empty if the rules are not known, or if the client has renegotiated since the ClientHello. */
export function flightByRule(tls: TLSSocket, hello: ClientHello): Partial<Flight> {
  if (isSslFreed(tls) || !HAS_RULES) return {};
  const version = VERSIONS.get(tls.getProtocol());
  if (version === undefined) return {};
  const isTls13 = version === TlsVersion.tls13;
  if (!isTls13 && hasRenegotiated(tls)) return {};
  const cipherSuite = tls.getCipher().standardName;
  const isResumed = tls.isSessionReused();
  const hasAlpn = Boolean(tls.alpnProtocol);
  const session = tls.getSession();
  const sessionId = session && sessionIdOfSession(session);
  if (!sessionId) return {};
  return {
    hello: opensslServerHello(hello, { version, cipherSuite, isResumed, sessionId, hasAlpn }),
    signatureScheme:
      version === TlsVersion.tls12 && !isResumed && cipherSuite.startsWith('TLS_ECDHE_')
        ? signatureByRule(tls, hello)
        : undefined,
  };
}

function signatureByRule(tls: TLSSocket, hello: ClientHello): number | undefined {
  const { asymmetricKeyType: type = '', asymmetricKeyDetails: details } =
    tls.getX509Certificate()?.publicKey ?? {};
  const key = { type, bits: details?.modulusLength };
  return opensslSignatureScheme(tls.getSharedSigalgs(), key, hello.signatureAlgorithms);
}
