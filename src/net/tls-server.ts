import { X509Certificate } from 'node:crypto';
import {
  createSecureContext,
  createServer,
  type SecureContext,
  type SecureContextOptions,
  type SecureVersion,
  type Server,
  type TLSSocket,
} from 'node:tls';
import type { Socket } from 'node:net';
import { ClientCertificateReader, type ClientCertificates } from './client-certificates.ts';
import type { ProtocolHandlers, TcpConnection } from './tcp-connection.ts';
import type { CloseReason } from './close-reason.ts';
import { readFirstBytes, type PeekResult } from './first-bytes.ts';
import { lingerAfterAlert } from './lingering-close.ts';
import { emitConnect, sniCallback, tcpSocketOf } from './node-internals.ts';
import { JavaScriptSocket } from './javascript-socket.ts';
import type { ConnectionObserver } from './observer.ts';
import { excerpt } from './rejected-message.ts';
import { detectProtocol } from './detect-protocol.ts';
import { ciphersFor } from './old-tls.ts';
import { NewestAndOldest } from './queues.ts';
import { keyExchangeOf, keyExchangeRead, type KeyExchange } from './tls-key-exchange.ts';
import { TurnBudget } from './scheduler.ts';

/** A certificate chain and its key, in PEM. */
interface CertificateAndKey {
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
}

export interface Credentials extends CertificateAndKey {
  /** Further certificates, used for names that the first one does not cover (SNI, RFC 6066 3). */
  readonly others?: readonly CertificateAndKey[];
  /** CA bundle for verifying client certificates. Default: the public CAs. */
  readonly ca?: string | Buffer;
  /** Session-ticket keys, 48 bytes in all. Processes that share them accept each other's tickets. */
  readonly ticketKeys?: Buffer;
}

/** Whether a client certificate is requested, and whether a valid one is required. */
export type ClientCert = 'none' | 'request' | 'require';

/** The client certificate is missing or invalid. */
export class ClientCertificateError extends Error {}

export interface TlsOptions extends Credentials {
  /** Milliseconds allowed for the handshake, and again for the first bytes after it. */
  readonly headerTimeout: number;
  readonly clientCert?: ClientCert;
  readonly minVersion?: SecureVersion;
  readonly maxVersion?: SecureVersion;
  /** OpenSSL cipher list. Default: that of Node. */
  readonly ciphers?: string | undefined;
  /** Called with every TLS secret, as a line of a key log (RFC 9850). */
  readonly onSecret?: ((line: Buffer, connection: TcpConnection | undefined) => void) | undefined;
  /** Protocols that ALPN can select, in order of preference. */
  readonly alpnProtocols?: readonly AlpnProtocol[];
  /** Maximum number of handshakes in progress. Default: 2000. */
  readonly maxHandshakes?: number;
  readonly observer: ConnectionObserver;
}

/** Default of `maxHandshakes`. Above it, the oldest is aborted: ordinary clients need one or two round trips. */
const MAX_HANDSHAKES = 2000;

export const ALPN_PROTOCOLS = ['h2', 'http/1.1', 'http/1.0'] as const;
type AlpnProtocol = (typeof ALPN_PROTOCOLS)[number];

/** Performs the TLS handshake on connections from the listener. It does not listen itself. */
export class TlsServer {
  readonly #server: Server;
  readonly #handshaking = new WeakMap<Socket, TcpConnection>();
  /** Connections whose handshake is in progress, oldest first. */
  readonly #unfinished = new Set<TcpConnection>();
  /** The client's certificates; undefined until they are read at the end of the handshake. */
  readonly #certificatesOf = new WeakMap<TLSSocket, ClientCertificates | undefined>();
  readonly #handlers: ProtocolHandlers<'h2' | 'h1'>;
  readonly #headerTimeout: number;
  readonly #maxHandshakes: number;
  readonly #observer: ConnectionObserver;
  /** Options of the secure context that do not depend on the certificate. */
  readonly #context: SecureContextOptions;
  /** The certificates to choose from; empty if there is only one. The first one uses the server's own context. */
  #certificates: readonly NamedContext[] = [];
  /** Time budget of handshakes: each computes a signature as soon as its ClientHello is read. */
  readonly #turns = new TurnBudget(new NewestAndOldest());

  /** @param handlers by the protocol that ALPN selected (RFC 7301) */
  constructor(handlers: ProtocolHandlers<'h2' | 'h1'>, options: TlsOptions) {
    const { clientCert = 'none', minVersion = 'TLSv1.2', maxVersion = 'TLSv1.3' } = options;
    const { alpnProtocols = ALPN_PROTOCOLS } = options;
    this.#handlers = handlers;
    this.#headerTimeout = options.headerTimeout;
    this.#maxHandshakes = options.maxHandshakes ?? MAX_HANDSHAKES;
    this.#observer = options.observer;
    const ciphers = ciphersFor(minVersion, options.ciphers);
    this.#context = { minVersion, maxVersion, ...(ciphers !== undefined && { ciphers }) };
    this.#server = createServer({
      ...this.#context,
      ...credentialOptions(options),
      handshakeTimeout: options.headerTimeout,
      requestCert: clientCert !== 'none',
      rejectUnauthorized: clientCert === 'require',
      // Without a common protocol, Node sends the no_application_protocol alert (RFC 7301 3.2).
      ALPNProtocols: [...alpnProtocols],
      SNICallback: sniCallback((name, socket) => {
        if (socket) setImmediate(() => this.#noteKeyExchange(socket));
        return this.#contextFor(name);
      }),
    });
    this.#certificates = this.#namedContexts(options);
    this.#server.on('secureConnection', (socket) => this.#secured(socket));
    this.#server.on('tlsClientError', (error, socket) => {
      const connection = this.#connectionOf(socket);
      if (connection) {
        connection.setKeyExchange(failedKeyExchange(connection, socket));
        this.#observer.handshakeFailed?.(connection, handshakeFailure(connection, error, socket));
        if (!isClientAbort(error, socket)) connection.setCloseReason(handshakeCloseReason(error));
        if (isMissingCertificate(error)) lingerAfterAlert(connection.socket);
      }
      // `connection.close` would not destroy this socket, because `connection.tls` is not set yet.
      socket.destroy();
    });
    if (clientCert !== 'none') this.#readCertificates(clientCert);
    const { onSecret } = options;
    if (onSecret) {
      this.#server.on('keylog', (line, socket) => onSecret(line, this.#connectionOf(socket)));
    }
  }

  accept(connection: TcpConnection): void {
    this.#turns.run(() => {
      if (!connection.socket.destroyed) this.#beginHandshake(connection);
    });
  }

  #beginHandshake(connection: TcpConnection): void {
    const { inspector, socket: tcpSocket } = connection;
    const socket = inspector ? new JavaScriptSocket(tcpSocket) : tcpSocket;
    this.#handshaking.set(socket, connection);
    this.#limitHandshakes();
    this.#unfinished.add(connection);
    tcpSocket.once('close', () => this.#unfinished.delete(connection));
    // A client that sends FIN during the handshake has disconnected. Node's TLS socket copies this option.
    socket.allowHalfOpen = false;
    this.#server.emit('connection', socket);
    if (!inspector) return;
    // After the handshake, a client may send FIN and still read: the TLS socket decides what ends.
    socket.allowHalfOpen = true;
    emitConnect(socket);
  }

  /** Aborts the oldest handshake if there are too many. Each holds some 50 KiB, even if the client is silent. */
  #limitHandshakes(): void {
    if (this.#unfinished.size < this.#maxHandshakes) return;
    const [oldest] = this.#unfinished;
    oldest?.close('abort', 'overloaded');
    if (oldest) this.#unfinished.delete(oldest);
  }

  /** Sets the certificate for new handshakes. Open connections keep theirs. */
  setCredentials(credentials: Credentials): void {
    // Passes all options, because Node resets those that are omitted, including the versions and the CA bundle.
    this.#server.setSecureContext({ ...this.#context, ...credentialOptions(credentials) });
    this.#certificates = this.#namedContexts(credentials);
  }

  #namedContexts({ others = [], ...first }: Credentials): NamedContext[] {
    if (others.length === 0) return [];
    const further = others.map((each) => ({
      certificate: new X509Certificate(each.cert),
      context: createSecureContext({
        ...this.#context,
        ...credentialOptions({ ...first, ...each }),
      }),
    }));
    return [{ certificate: new X509Certificate(first.cert), context: undefined }, ...further];
  }

  /** The context of the first certificate that covers a host name; undefined to use that of the server. */
  #contextFor(name: string): SecureContext | undefined {
    return this.#certificates.find(({ certificate }) => certificate.checkHost(name))?.context;
  }

  /**
   * Reads client certificates before Node does. They can be read only once, and Node 24.21 reads those of a valid
   * client itself before `secureConnection`. The only earlier event with the socket is `keylog`, which is emitted
   * several times per handshake.
   *
   * Reading them also clears OpenSSL's error queue, which may still contain the error of a certificate with unreadable
   * extensions. Node would report it as a connection error when SSL_read has no more data.
   */
  #readCertificates(clientCert: ClientCert): void {
    const reader = new ClientCertificateReader();
    this.#server.on('keylog', (_line, socket) => {
      if (this.#certificatesOf.has(socket)) return;
      this.#certificatesOf.set(socket, undefined);
      socket.prependOnceListener('secure', () => {
        this.#certificatesOf.set(socket, reader.read(socket));
        // Node destroys the socket of an invalid certificate before it reports the error.
        if (clientCert === 'require') {
          this.#connectionOf(socket)?.setKeyExchange(keyExchangeOf(socket, true));
        }
      });
    });
  }

  /**
   * Notes the group as soon as ServerHello is sent: when Node reports that a client left without an alert, it has
   * already freed the session. Before TLS 1.3, the session does not have the group yet.
   */
  #noteKeyExchange(socket: TLSSocket): void {
    const keyExchange = keyExchangeOf(socket, false);
    if (keyExchange.group !== undefined) this.#connectionOf(socket)?.setKeyExchange(keyExchange);
  }

  #secured(socket: TLSSocket): void {
    const connection = this.#connectionOf(socket);
    /* v8 ignore next -- only another version of Node could have lost the TCP socket */
    if (!connection) {
      socket.destroy();
      return;
    }
    connection.secured(socket, this.#certificatesOf.get(socket));
    this.#unfinished.delete(connection);
    socket.allowHalfOpen = true;
    this.#observer.secured?.(connection);
    socket.on('error', (error) => {
      connection.setError(error);
      connection.close('abort');
    });
    this.#readFirstBytes(connection, socket);
  }

  /** Peeks at the first bytes after the handshake, as the listener does without TLS. */
  #readFirstBytes(connection: TcpConnection, socket: TLSSocket): void {
    const protocol = socket.alpnProtocol === 'h2' ? 'h2' : 'h1';
    const timer = setTimeout(
      () => connection.close('abort', 'header-timeout'),
      this.#headerTimeout,
    ).unref();
    const peek = (bytes: Buffer): PeekResult => {
      const found = protocol === 'h2' ? detectProtocol(bytes) : protocol;
      if (found === 'more') return bytes.length + 1;
      return () => {
        clearTimeout(timer);
        if (found !== protocol) {
          this.#rejectNonHttp2(connection, bytes);
          return;
        }
        socket.unshift(bytes);
        this.#handlers[protocol].accept(connection, bytes);
      };
    };
    readFirstBytes(socket, peek, () => {
      clearTimeout(timer);
      connection.close('abort');
    });
  }

  /** Rejects bytes that are not HTTP/2. Sends no GOAWAY, because the client does not speak HTTP/2 (RFC 9113 3.4). */
  #rejectNonHttp2(connection: TcpConnection, bytes: Buffer): void {
    connection.detected('h2');
    const error = new Error('ALPN selected h2, but the client sent no HTTP/2 connection preface');
    this.#observer.rejected?.(connection, error, { text: excerpt(bytes) });
    connection.close('graceful', 'protocol-error');
  }

  #connectionOf(socket: TLSSocket): TcpConnection | undefined {
    const tcpSocket = tcpSocketOf(socket);
    return tcpSocket && this.#handshaking.get(tcpSocket);
  }
}

interface NamedContext {
  readonly certificate: X509Certificate;
  readonly context: SecureContext | undefined;
}

function credentialOptions({ cert, key, ca, ticketKeys }: Credentials): SecureContextOptions {
  return { cert, key, ...(ca && { ca }), ...(ticketKeys && { ticketKeys }) };
}

/** The key exchange of a failed handshake; with --inspect, as read from the bytes. */
function failedKeyExchange({ inspector }: TcpConnection, socket: TLSSocket): KeyExchange {
  const flight = inspector?.serverFlight();
  return (flight && keyExchangeRead(flight)) ?? keyExchangeOf(socket, false);
}

function isMissingCertificate({ code }: NodeJS.ErrnoException): boolean {
  return code === 'ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE';
}

/** Error code if the client closes the connection, or if Node closes it because of an invalid certificate. */
const RESET = 'ECONNRESET';

/** Whether the client ended the handshake, with or without an alert. */
function isClientAbort(
  { code = '' }: NodeJS.ErrnoException,
  { authorizationError }: TLSSocket,
): boolean {
  return (code === RESET && !authorizationError) || code.includes('_ALERT_');
}

function handshakeCloseReason({ code }: NodeJS.ErrnoException): CloseReason {
  return code === 'ERR_TLS_HANDSHAKE_TIMEOUT' ? 'handshake-timeout' : 'handshake-failed';
}

/** The error of a failed handshake. If wirebin closed the connection, Node's error wrongly blames the client. */
function handshakeFailure(
  { ownCloseReason: reason }: TcpConnection,
  error: NodeJS.ErrnoException,
  socket: TLSSocket,
): Error {
  if (reason === undefined) return handshakeError(error, socket);
  return new Error(`wirebin closed the connection: ${reason}`);
}

/**
 * Explains why a handshake failed. OpenSSL rejects a missing certificate with the alert certificate_required (RFC 9846
 * 6.2; handshake_failure before TLS 1.3). Node rejects an invalid one after the handshake, and closes without an alert.
 */
function handshakeError(error: NodeJS.ErrnoException, { authorizationError }: TLSSocket): Error {
  if (isMissingCertificate(error)) return new ClientCertificateError('no certificate');
  if (authorizationError) return new ClientCertificateError(String(authorizationError));
  return error.code === RESET ? new Error('the client disconnected during the handshake') : error;
}
