import type { TLSSocket } from 'node:tls';
import { parseClientHello } from '../wire/client-hello-parser.ts';
import type { Connection } from '../wire/connection.ts';
import { ja3, md5, ja4 } from '../wire/fingerprints.ts';
import { clientCertificatesView } from './certificate.ts';

type TlsView = Readonly<Record<string, unknown>>;

/** Nothing of it changes while a connection lives, so it is made for the first echo only. */
const views = new WeakMap<Connection, TlsView>();

/** The `tls` object of the echo; undefined in clear. */
export function tlsView(connection: Connection): TlsView | undefined {
  const { tls } = connection;
  if (!tls) return undefined;
  const known = views.get(connection);
  if (known) return known;
  const view = describe(tls, connection.clientHello);
  views.set(connection, view);
  return view;
}

function describe(tls: TLSSocket, clientHello: Uint8Array | undefined): TlsView {
  const certificates = clientCertificatesView(tls);
  const hello = clientHello && parseClientHello(clientHello);
  const fingerprint = hello && ja3(hello);
  return {
    version: tls.getProtocol(),
    cipher_suite: tls.getCipher()?.standardName ?? null,
    alpn: tls.alpnProtocol || null,
    client_cert_present: certificates.length > 0,
    client_certs: certificates,
    sni: serverName(tls),
    session_reused: tls.isSessionReused(),
    ja3: fingerprint ?? null,
    ja3_hash: fingerprint === undefined ? null : md5(fingerprint),
    ja4: hello ? ja4(hello).ja4 : null,
  };
}

/** What the client calls the server (SNI, RFC 6066 3), null where it does not say. */
export function serverName(tls: TLSSocket): string | null {
  return 'servername' in tls && typeof tls.servername === 'string' ? tls.servername : null;
}
