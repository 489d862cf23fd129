import type { TLSSocket } from 'node:tls';
import type { Connection } from '../net/connection.ts';
import { helloFacts } from '../net/client-hello/kept.ts';
import { clientCertificatesView } from './certificate.ts';

type TlsView = Readonly<Record<string, unknown>>;

/**
 * Makes a view of a connection's TLS when it is first asked for. Nothing of it changes while the
 * connection lives.
 */
export function oncePerConnection(
  describe: (connection: Connection, tls: TLSSocket) => TlsView,
): (connection: Connection, tls: TLSSocket) => TlsView {
  const views = new WeakMap<Connection, TlsView>();
  return (connection, tls) => {
    const known = views.get(connection);
    if (known) return known;
    const view = describe(connection, tls);
    views.set(connection, view);
    return view;
  };
}

/** The `tls` object of the echo; undefined in clear. */
export function tlsView(connection: Connection): TlsView | undefined {
  return connection.tls && describe(connection, connection.tls);
}

const describe = oncePerConnection((connection, tls) => {
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
 * What the client calls the server (SNI, RFC 6066 3), null where it does not say. Node does not tell
 * it of a session that is resumed in TLS 1.2.
 */
export function serverName({ clientHello }: Connection): string | null {
  return (clientHello && helloFacts(clientHello)?.serverName) ?? null;
}
