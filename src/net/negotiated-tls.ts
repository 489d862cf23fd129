import type { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import type { ClientHello } from '../wire/tls/client-hello.ts';
import type { ServerFlight } from '../wire/tls/server-flight.ts';
import type { ClientCertificates } from './client-certificates.ts';
import { flightByRule } from './flight-by-rule.ts';
import { keyExchangeOf, type KeyExchange } from './tls-key-exchange.ts';

/** ServerHello and ServerKeyExchange, as far as they are known, and how. */
export interface KnownFlight extends Partial<Pick<ServerFlight, 'hello' | 'signatureScheme'>> {
  readonly knownBy: 'bytes' | 'rule';
}

/** What a completed handshake has negotiated. */
export interface NegotiatedTls {
  /** Node's name of the version, such as `TLSv1.3`; null if it is not known. */
  readonly version: string | null;
  /** The registered name; null if it is not known. */
  readonly cipherSuite: string | null;
  /** The protocol of ALPN (RFC 7301); undefined without one. */
  readonly alpn: string | undefined;
  readonly isResumed: boolean;
  /** undefined if no client certificate is requested. */
  readonly clientCertificates: ClientCertificates | undefined;
  /** Why the client's certificates are not valid; undefined if they are. */
  readonly clientError: string | undefined;
  /** The certificate of the server; undefined if a session without it is resumed. */
  serverCertificate(): X509Certificate | undefined;
  keyExchange(): KeyExchange;
  serverFlight(hello: ClientHello | undefined): KnownFlight;
}

/** TLS on a TCP connection, as Node reports it. Reads each value on demand, because most requests need none. */
export class NodeTls implements NegotiatedTls {
  readonly #socket: TLSSocket;
  readonly clientCertificates: ClientCertificates | undefined;

  constructor(socket: TLSSocket, clientCertificates: ClientCertificates | undefined) {
    this.#socket = socket;
    this.clientCertificates = clientCertificates;
  }

  get version(): string | null {
    return this.#socket.getProtocol();
  }

  get cipherSuite(): string | null {
    return this.#socket.getCipher()?.standardName ?? null;
  }

  get alpn(): string | undefined {
    return this.#socket.alpnProtocol || undefined;
  }

  get isResumed(): boolean {
    return this.#socket.isSessionReused();
  }

  get clientError(): string | undefined {
    const { authorized, authorizationError } = this.#socket;
    return authorized ? undefined : String(authorizationError);
  }

  serverCertificate(): X509Certificate | undefined {
    return this.#socket.getX509Certificate();
  }

  keyExchange(): KeyExchange {
    return keyExchangeOf(this.#socket, true);
  }

  serverFlight(hello: ClientHello | undefined): KnownFlight {
    return { knownBy: 'rule', ...(hello && flightByRule(this.#socket, hello)) };
  }
}
