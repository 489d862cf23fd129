import type { ClientHello } from '../wire/tls/client-hello.ts';
import type { Connection } from '../net/connection.ts';
import type { NegotiatedTls } from '../net/negotiated-tls.ts';
import { ja4 } from '../net/fingerprints.ts';
import { sentHelloRetryRequest, type KeyExchange } from '../net/tls-key-exchange.ts';
import { greasePositions } from '../wire/tls/grease.ts';
import {
  helloFacts,
  MAX_STORED_HELLO,
  offersPostQuantum,
  fullClientHello,
  type StoredHello,
} from '../net/stored-hello.ts';
import {
  cipherSuiteName,
  compressionMethodName,
  groupName,
  hex,
  isPostQuantum,
  pointFormatName,
  pskModeName,
  signatureSchemeName,
  versionName,
} from '../wire/tls/names.ts';
import { certificateView, clientCertificatesView } from './certificate.ts';
import { extensionView } from './extension-view.ts';
import { serverFlightView } from './server-flight.ts';
import type { TlsView } from './echo-schema.ts';
import type { ClientHelloView, TlsDetails } from './tls-schema.ts';

/** Caches the view of a connection's TLS, which does not change. */
export function cachePerConnection<View extends object>(
  describe: (connection: Connection, tls: NegotiatedTls) => View,
): (connection: Connection, tls: NegotiatedTls) => View {
  const views = new WeakMap<Connection, View>();
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

const describe = cachePerConnection((connection, tls): TlsView => {
  const { clientHello, keyExchange } = connection;
  const certificates = clientCertificatesView(tls);
  const facts = clientHello && helloFacts(clientHello);
  return {
    version: tls.version,
    cipher_suite: tls.cipherSuite,
    ...groupView(keyExchange),
    hello_retry_request: sentHelloRetryRequest(keyExchange, facts),
    alpn: tls.alpn ?? null,
    client_cert_present: certificates.length > 0,
    client_certs: certificates,
    client_certs_complete: tls.clientCertificates?.complete ?? true,
    sni: facts?.serverName ?? null,
    session_reused: tls.isResumed,
    ja3: facts?.ja3 ?? null,
    ja3_hash: facts?.ja3Hash ?? null,
    ja3n: facts?.ja3n ?? null,
    ja3n_hash: facts?.ja3nHash ?? null,
    ja4: facts?.ja4 ?? null,
  };
});

const describeServerFlight = cachePerConnection(serverFlightView);

/**
 * The server name that the client sent (SNI, RFC 6066 3), or null. It is read from the ClientHello, because Node does
 * not know it for sessions resumed in TLS 1.2.
 */
export function serverName({ clientHello }: Connection): string | null {
  return (clientHello && helloFacts(clientHello)?.serverName) ?? null;
}

/** TLS facts of a connection: the offers of the ClientHello in order, and the result. null for what was not sent. */
export function tlsDetails(connection: Connection): TlsDetails {
  const { tls, clientHello, keyExchange } = connection;
  const facts = tlsView(connection);
  if (!tls || !facts) return { tls: null, reason: 'the connection does not use TLS' };
  const hello = clientHello && fullClientHello(clientHello);
  const offered = hello
    ? offersPostQuantum(hello)
    : ((clientHello && helloFacts(clientHello)?.offersPostQuantum) ?? false);
  const serverCertificate = tls.serverCertificate();
  return {
    tls: {
      ...facts,
      ...(hello && fingerprints(hello)),
      client_hello: hello ? clientHelloView(hello) : omittedHello(clientHello),
      ...describeServerFlight(connection, tls),
      post_quantum: {
        offered,
        negotiated: postQuantumNegotiated(keyExchange),
      },
      server_cert: serverCertificate ? certificateView(serverCertificate) : null,
    },
  };
}

function fingerprints(hello: ClientHello) {
  const { ja4_r, ja4_o, ja4_ro } = ja4(hello);
  return { ja4_r, ja4_o, ja4_ro };
}

/** Stands for a ClientHello that is too large to be kept; null for an invalid one. */
function omittedHello(hello: StoredHello | undefined) {
  if (!hello || hello instanceof Uint8Array) return null;
  return {
    length: hello.length,
    left_out: `a ClientHello of more than ${MAX_STORED_HELLO} bytes is not kept`,
  };
}

function clientHelloView(hello: ClientHello): ClientHelloView {
  return {
    legacy_version: named(versionName)(hello.legacyVersion),
    supported_versions: hello.supportedVersions?.map(named(versionName)) ?? null,
    cipher_suites: hello.cipherSuites.map(named(cipherSuiteName)),
    compression_methods: hello.compressionMethods.map(named(compressionMethodName, 1)),
    extensions: hello.extensions.map(extensionView),
    server_name: hello.serverName ?? null,
    alpn: hello.alpn ?? null,
    supported_groups: hello.supportedGroups?.map(named(groupName)) ?? null,
    key_shares:
      hello.keyShares?.map(({ group, length }) => ({ ...named(groupName)(group), length })) ?? null,
    point_formats: hello.pointFormats?.map(named(pointFormatName, 1)) ?? null,
    signature_algorithms: hello.signatureAlgorithms?.map(named(signatureSchemeName)) ?? null,
    signature_algorithms_cert:
      hello.signatureAlgorithmsCert?.map(named(signatureSchemeName)) ?? null,
    psk_modes: hello.pskModes?.map(named(pskModeName, 1)) ?? null,
    psk_identity_lengths: hello.pskIdentities?.map(({ length }) => length) ?? null,
    session_id_length: hello.sessionId.length,
    session_ticket_length: hello.sessionTicket?.length ?? null,
    early_data: hello.earlyData,
    ech: hello.ech ?? null,
    padding_length: hello.paddingLength ?? null,
    grease: Object.fromEntries(
      Object.entries(greasePositions(hello)).map(([place, values]) => [
        place,
        values.map((value) => hex(value)),
      ]),
    ),
  };
}

/** Makes views of code points with name and number. @param size bytes of the number */
function named(nameOf: (id: number) => string, size = 2) {
  return (id: number) => ({ name: nameOf(id), id: hex(id, size) });
}

/** The group of the key exchange, or why there is none. */
function groupView({ group, reason }: KeyExchange): Pick<TlsView, 'group' | 'group_reason'> {
  if (group !== undefined) return { group: named(groupName)(group) };
  return { group: null, ...(reason !== undefined && { group_reason: reason }) };
}

/** Whether a post-quantum group was negotiated, which TLS 1.2 cannot; null if the group is not known. */
function postQuantumNegotiated({ version, group }: KeyExchange): boolean | null {
  if (group !== undefined) return isPostQuantum(group);
  return version === 'TLSv1.3' ? null : false;
}
