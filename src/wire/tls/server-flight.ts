import type { ServerHelloFacts } from './server-hello.ts';

/** What a server has sent of the handshake in cleartext. */
export interface ServerFlight {
  /** The selected version, also of a HelloRetryRequest. */
  readonly version: number;
  /** Group of the key exchange, also of a HelloRetryRequest; undefined if there is none, or none yet. */
  readonly group: number | undefined;
  /** undefined before the ServerHello. */
  readonly hello: ServerHelloFacts | undefined;
  /** SignatureScheme of ServerKeyExchange, which TLS 1.2 has with ECDHE; undefined without one. */
  readonly signatureScheme: number | undefined;
}
