import type { TLSSocket } from 'node:tls';
import { parseClientHello } from '../wire/client-hello-parser.ts';
import type { Connection } from '../wire/connection.ts';
import { ja3, md5, ja4 } from '../wire/fingerprints.ts';
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
  const hello = clientHello && parseClientHello(clientHello);
  const fingerprint = hello && ja3(hello);
  return {
    version: tls.getProtocol(),
    cipher_suite: tls.getCipher()?.standardName ?? null,
    alpn: tls.alpnProtocol || null,
    client_cert_present: certificates.length > 0,
    client_certs: certificates,
    client_certs_complete: clientCertificates?.complete ?? true,
    sni: hello?.serverName ?? null,
    session_reused: tls.isSessionReused(),
    ja3: fingerprint ?? null,
    ja3_hash: fingerprint === undefined ? null : md5(fingerprint),
    ja4: hello ? ja4(hello).ja4 : null,
  };
});

/**
 * What the client calls the server (SNI, RFC 6066 3), null where it does not say. Node does not tell
 * it of a session that is resumed in TLS 1.2.
 */
export function serverName({ clientHello }: Connection): string | null {
  return (clientHello && parseClientHello(clientHello)?.serverName) ?? null;
}
