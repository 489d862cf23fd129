import { constants } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import type { ClientHello } from '../net/client-hello/parser.ts';
import type { Connection } from '../net/connection.ts';
import { ja4 } from '../net/fingerprints.ts';
import { greasePositions } from '../net/client-hello/grease.ts';
import {
  helloFacts,
  MAX_STORED_HELLO,
  offersPostQuantum,
  fullClientHello,
  type StoredHello,
} from '../net/client-hello/kept.ts';
import {
  cipherSuiteName,
  compressionMethodName,
  extensionName,
  groupName,
  hex,
  pointFormatName,
  pskModeName,
  signatureSchemeName,
  versionName,
} from '../net/tls-names.ts';
import { certificateView } from './certificate.ts';
import { tlsView } from './tls.ts';

type View = Record<string, unknown>;

/**
 * All that is known of a connection's TLS: what the ClientHello offers, in its order, and what came
 * of it. What was not sent is null.
 */
export function tlsDetails(connection: Connection): View {
  const { tls, clientHello } = connection;
  const facts = tlsView(connection);
  if (!tls || !facts) return { tls: null, reason: 'the connection is in clear' };
  const hello = clientHello && fullClientHello(clientHello);
  const offered = hello
    ? offersPostQuantum(hello)
    : ((clientHello && helloFacts(clientHello)?.offersPostQuantum) ?? false);
  const own = tls.getX509Certificate();
  return {
    tls: {
      ...facts,
      ...(hello && fingerprints(hello)),
      client_hello: hello ? offer(hello) : leftOut(clientHello),
      post_quantum: {
        offered,
        negotiated: postQuantumNegotiated(tls, offered),
      },
      server_cert: own ? certificateView(own) : null,
    },
  };
}

function fingerprints(hello: ClientHello): View {
  const { ja4_r, ja4_o, ja4_ro } = ja4(hello);
  return { ja4_r, ja4_o, ja4_ro };
}

/** In place of a ClientHello that is not kept whole; null for what is none. */
function leftOut(hello: StoredHello | undefined): View | null {
  if (!hello || hello instanceof Uint8Array) return null;
  return {
    length: hello.length,
    left_out: `a ClientHello of more than ${MAX_STORED_HELLO} bytes is not kept`,
  };
}

function offer(hello: ClientHello): View {
  return {
    legacy_version: named(versionName)(hello.legacyVersion),
    supported_versions: hello.supportedVersions?.map(named(versionName)) ?? null,
    cipher_suites: hello.cipherSuites.map(named(cipherSuiteName)),
    compression_methods: hello.compressionMethods.map(named(compressionMethodName, 1)),
    extensions: hello.extensions.map(({ id, data }) => ({
      ...named(extensionName)(id),
      length: data.length,
    })),
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
    psk_identity_lengths: hello.pskIdentityLengths ?? null,
    session_id_length: hello.sessionIdLength,
    session_ticket_length: hello.sessionTicketLength ?? null,
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

/** A code point by name and number. @param size of the number, in bytes */
function named(nameOf: (id: number) => string, size = 2): (id: number) => View {
  return (id) => ({ name: nameOf(id), id: hex(id, size) });
}

/** OpenSSL 3.5, the first that has ML-KEM. */
const OPENSSL_WITH_MLKEM = 0x30500000;

/**
 * Whether the keys of this connection hold against a quantum computer. Node does not tell a server
 * the group, so this is a no where it cannot be, and null where it could be either.
 */
function postQuantumNegotiated(tls: TLSSocket, offered: boolean): false | null {
  const able = constants.OPENSSL_VERSION_NUMBER >= OPENSSL_WITH_MLKEM;
  return able && offered && tls.getProtocol() === 'TLSv1.3' ? null : false;
}
