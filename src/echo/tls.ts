import type { TLSSocket } from 'node:tls';
import type { Connection } from '../net/connection.ts';
import { helloFacts } from '../net/client-hello/kept.ts';
import { clientCertificatesView } from './certificate.ts';

type TlsView = Readonly<Record<string, unknown>>;

/** Caches a view of a connection's TLS, which does not change during its lifetime. */
export function cachePerConnection(
  describe: (connection: Connection, tls: TLSSocket) => TlsView,
): (connection: Connection, tls: TLSSocket) => TlsView {
  const views = new WeakMap<Connection, TlsView>();
  return (connection, tls) => {
    const cached = views.get(connection);
    if (cached) return cached;
    const view = describe(connection, tls);
    views.set(connection, view);
    return view;
  };
}

/** The `tls` object of the echo; undefined without TLS. */
export function tlsView(connection: Connection): TlsView | undefined {
  return connection.tls && describe(connection, connection.tls);
}

const describe = cachePerConnection((connection, tls) => {
  const { clientHello, clientCertificates } = connection;
  const certificates = clientCertificatesView(connection, tls);
  const facts = clientHello && helloFacts(clientHello);
  return {
    version: tls.getProtocol(),
    cipher_suite: tls.getCipher()?.standardName ?? null,
    alpn: tls.alpnProtocol || null,
    client_cert_present: certificates.length > 0,
    client_certs: certificates,
    client_certs_complete: clientCertificates?.complete ?? true,
    sni: facts?.serverName ?? null,
    session_reused: tls.isSessionReused(),
    ja3: facts?.ja3 ?? null,
    ja3_hash: facts?.ja3Hash ?? null,
    ja4: facts?.ja4 ?? null,
  };
});

/**
 * The server name that the client sent (SNI, RFC 6066 3), or null. Read from the ClientHello, because
 * Node does not have it for a session resumed in TLS 1.2.
 */
export function serverName({ clientHello }: Connection): string | null {
  return (clientHello && helloFacts(clientHello)?.serverName) ?? null;
}
