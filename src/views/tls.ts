import type { TLSSocket } from 'node:tls';
import type { Connection } from '../wire/connection.ts';

/** The `tls` object of the echo; undefined in clear. */
export function tlsView({ tls }: Connection): Record<string, unknown> | undefined {
  if (!tls) return undefined;
  return {
    version: tls.getProtocol(),
    cipher_suite: tls.getCipher()?.standardName ?? null,
    alpn: tls.alpnProtocol || null,
    client_cert_present: hasPeerCertificate(tls),
    client_certs: [],
    sni: serverName(tls),
    session_reused: tls.isSessionReused(),
  };
}

/** The certificate itself tells: without one Node still sets `authorizationError`. */
function hasPeerCertificate(tls: TLSSocket): boolean {
  return tls.getPeerX509Certificate() !== undefined;
}

function serverName(tls: TLSSocket): string | null {
  return 'servername' in tls && typeof tls.servername === 'string' ? tls.servername : null;
}
