import type { Connection } from '../net/connection.ts';
import type { KnownFlight, NegotiatedTls } from '../net/negotiated-tls.ts';
import { fullClientHello } from '../net/stored-hello.ts';
import { extensionName, hex, signatureSchemeName, versionName } from '../wire/tls/names.ts';
import type { ServerHelloFacts } from '../wire/tls/server-hello.ts';
import type { ServerFlightView } from './tls-schema.ts';

/** ServerHello and ServerKeyExchange of wirebin: read from the bytes with --inspect. */
export function serverFlightView(connection: Connection, tls: NegotiatedTls): ServerFlightView {
  const read = connection.inspector?.serverFlight();
  if (read?.hello) return viewOf({ ...read, knownBy: 'bytes' });
  const hello = connection.clientHello && fullClientHello(connection.clientHello);
  return viewOf(tls.serverFlight(hello));
}

function viewOf({ hello, signatureScheme, knownBy }: KnownFlight): ServerFlightView {
  return {
    server_hello: hello ? { known_by: knownBy, ...helloView(hello) } : null,
    server_key_exchange:
      signatureScheme === undefined
        ? null
        : {
            known_by: knownBy,
            signature_scheme: {
              name: signatureSchemeName(signatureScheme),
              id: hex(signatureScheme),
            },
          },
  };
}

function helloView({ legacyVersion, sessionId, extensions }: ServerHelloFacts) {
  return {
    legacy_version: { name: versionName(legacyVersion), id: hex(legacyVersion) },
    session_id: sessionId,
    extensions: extensions.map((id) => ({ name: extensionName(id), id: hex(id) })),
  };
}
