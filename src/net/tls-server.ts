import {
  createServer,
  type SecureContextOptions,
  type SecureVersion,
  type Server,
  type TLSSocket,
} from 'node:tls';
import { Socket } from 'node:net';
import { ClientCertificateReader } from './client-certificates.ts';
import type { Connection } from './connection.ts';
import type { CloseReason } from './close-reason.ts';
import { readFirstBytes, type PeekResult } from './first-bytes.ts';
import { shortenHello } from './client-hello/kept.ts';
import { lingerAfterAlert } from './lingering-close.ts';
import { peekClientPreface } from './client-preface.ts';
import type { ConnectionObserver } from './observer.ts';
import { excerpt, type RejectedMessage } from './rejected-message.ts';
import { isPrefacePrefix } from './detect-protocol.ts';
import { ciphersFor } from './old-tls.ts';

/** Who takes a connection over after the handshake; ALPN alone decides (RFC 7301). */
export interface TlsHandlers {
  h2(connection: Connection, socket: TLSSocket): void;
  h1(connection: Connection, socket: TLSSocket): void;
  failed(connection: Connection, error: Error): void;
  /** ALPN has chosen h2, and what came is something else. */
  mismatch(connection: Connection, error: Error, refused: RejectedMessage): void;
}

export interface Credentials {
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
  /** What client certificates are checked against; without it the public authorities. */
  readonly ca?: string | Buffer;
  /** 48 bytes that make session tickets, where several processes take each other's. */
  readonly ticketKeys?: Buffer;
}

/** Whether clients are asked for a certificate, and let in without a valid one. */
export type ClientCert = 'none' | 'request' | 'require';

/** A client that came without a certificate, or with one that does not hold. */
export class ClientCertificateError extends Error {}

export interface TlsOptions extends Credentials {
  /** Milliseconds the handshake may take, and then what tells of the first request. */
  readonly headerTimeout: number;
  readonly clientCert?: ClientCert;
  readonly minVersion?: SecureVersion;
  readonly maxVersion?: SecureVersion;
  /** OpenSSL cipher list; without it Node's. */
  readonly ciphers?: string | undefined;
  /** Told of every secret, in lines of the NSS key log format. */
  readonly onSecret?: ((line: Buffer) => void) | undefined;
  readonly observer?: ConnectionObserver | undefined;
}

/** The TLS half of the listener. It never listens itself: raw sockets are handed to it. */
export class TlsServer {
  readonly #server: Server;
  readonly #handshaking = new WeakMap<Socket, Connection>();
  readonly #handlers: TlsHandlers;
  readonly #headerTimeout: number;
  readonly #observer: ConnectionObserver | undefined;
  /** What of the secure context a new certificate leaves as it is. */
  readonly #context: SecureContextOptions;

  constructor(handlers: TlsHandlers, options: TlsOptions) {
    const { clientCert = 'none', minVersion = 'TLSv1.2', maxVersion = 'TLSv1.3' } = options;
    this.#handlers = handlers;
    this.#headerTimeout = options.headerTimeout;
    this.#observer = options.observer;
    const ciphers = ciphersFor(minVersion, options.ciphers);
    this.#context = { minVersion, maxVersion, ...(ciphers !== undefined && { ciphers }) };
    this.#server = createServer({
      ...this.#context,
      ...credentialOptions(options),
      handshakeTimeout: options.headerTimeout,
      requestCert: clientCert !== 'none',
      rejectUnauthorized: clientCert === 'require',
      // A client's list with none of them gets the no_application_protocol alert (RFC 7301 3.2).
      ALPNProtocols: ['h2', 'http/1.1', 'http/1.0'],
    });
    this.#server.on('secureConnection', (socket) => this.#secured(socket));
    this.#server.on('tlsClientError', (error, socket) => {
      const connection = this.#connectionOf(socket);
      if (connection) {
        const reason = handshakeError(error, socket);
        handlers.failed(connection, reason);
        this.#observer?.handshakeFailed(connection, reason);
        if (!isClientAbort(error, socket)) connection.setCloseReason(handshakeCloseReason(error));
        if (isMissingCertificate(error)) lingerAfterAlert(connection.socket);
      }
      // Not yet the connection's TLSSocket.
      socket.destroy();
    });
    if (clientCert !== 'none') this.#readCertificates();
    const { onSecret } = options;
    if (onSecret) this.#server.on('keylog', (line) => onSecret(line));
  }

  accept(connection: Connection): void {
    this.#handshaking.set(connection.socket, connection);
    // A client that closes its side in the midst of the handshake has gone.
    connection.socket.allowHalfOpen = false;
    this.#server.emit('connection', connection.socket);
  }

  /** Later handshakes use the new certificate; open connections keep theirs. */
  setCredentials(credentials: Credentials): void {
    // Node forgets what it is not told again, the versions and the authorities too.
    this.#server.setSecureContext({ ...this.#context, ...credentialOptions(credentials) });
  }

  /**
   * Reads certificates before Node does: Node 24.21 asks for those of a valid client itself, ahead of
   * `secureConnection`, and they can be read only once. Of the events before that one `keylog` alone
   * has the socket; it comes several times a handshake.
   *
   * That clears OpenSSL's error queue too, which still has the error of a certificate whose extensions
   * it cannot read. Node would take it for one of the connection, once SSL_read finds no more data.
   */
  #readCertificates(): void {
    const reader = new ClientCertificateReader();
    const awaited = new WeakSet<TLSSocket>();
    this.#server.on('keylog', (_line, socket) => {
      if (awaited.has(socket)) return;
      awaited.add(socket);
      socket.prependOnceListener('secure', () => {
        const connection = this.#connectionOf(socket);
        if (connection) connection.clientCertificates = reader.read(socket);
      });
    });
  }

  #secured(socket: TLSSocket): void {
    const connection = this.#connectionOf(socket);
    if (!connection) {
      socket.destroy();
      return;
    }
    connection.tls = socket;
    if (connection.clientHello) connection.clientHello = shortenHello(connection.clientHello);
    socket.allowHalfOpen = true;
    this.#observer?.secured(connection);
    socket.on('error', (error) => {
      connection.setError(error);
      connection.close('abort');
    });
    this.#readFirstBytes(connection, socket);
  }

  /** What comes first is looked at and put back, as the listener does in clear. */
  #readFirstBytes(connection: Connection, socket: TLSSocket): void {
    const protocol = socket.alpnProtocol === 'h2' ? 'h2' : 'h1';
    const timer = setTimeout(
      () => connection.close('abort', 'header-timeout'),
      this.#headerTimeout,
    ).unref();
    const look = (bytes: Buffer): PeekResult => {
      if (protocol === 'h2' && !isPrefacePrefix(bytes)) {
        return () => {
          clearTimeout(timer);
          this.#rejectNonHttp2(connection, bytes);
        };
      }
      const handOver = (): void => {
        clearTimeout(timer);
        connection.captureFirstBytes(protocol, bytes);
        socket.unshift(bytes);
        this.#handlers[protocol](connection, socket);
      };
      return protocol === 'h2' ? peekClientPreface(bytes, handOver) : handOver;
    };
    readFirstBytes(socket, look, () => {
      clearTimeout(timer);
      connection.close('abort');
    });
  }

  /** A GOAWAY would tell nothing to a client that does not speak HTTP/2 (RFC 9113 3.4). */
  #rejectNonHttp2(connection: Connection, bytes: Buffer): void {
    connection.protocol = 'h2';
    const error = new Error('ALPN chose h2, but what came is no HTTP/2 connection preface');
    const refused = { text: excerpt(bytes) };
    this.#handlers.mismatch(connection, error, refused);
    this.#observer?.rejected(connection, error, refused);
    connection.close('graceful', 'protocol-error');
  }

  /** By the TCP socket below: Node hands us only the TLSSocket, and has no public name for it. */
  #connectionOf(socket: TLSSocket): Connection | undefined {
    const below: unknown = Reflect.get(socket, '_parent');
    return below instanceof Socket ? this.#handshaking.get(below) : undefined;
  }
}

function credentialOptions({ cert, key, ca, ticketKeys }: Credentials): SecureContextOptions {
  return { cert, key, ...(ca && { ca }), ...(ticketKeys && { ticketKeys }) };
}

function isMissingCertificate({ code }: NodeJS.ErrnoException): boolean {
  return code === 'ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE';
}

/** However the client closes the connection, or Node itself over a certificate that does not hold. */
const CONNECTION_RESET = 'ECONNRESET';

/** Whether it is the client that ends it, with an alert or without. */
function isClientAbort(
  { code = '' }: NodeJS.ErrnoException,
  { authorizationError }: TLSSocket,
): boolean {
  return (code === CONNECTION_RESET && !authorizationError) || code.includes('_ALERT_');
}

function handshakeCloseReason({ code }: NodeJS.ErrnoException): CloseReason {
  return code === 'ERR_TLS_HANDSHAKE_TIMEOUT' ? 'handshake-timeout' : 'handshake-failed';
}

/**
 * Why a handshake failed, in words where Node has none. A missing certificate OpenSSL itself refuses,
 * with the alert certificate_required (RFC 8446 6.2; handshake_failure before TLS 1.3). One that does
 * not hold Node finds behind the handshake, and then it closes without an alert.
 */
function handshakeError(error: NodeJS.ErrnoException, { authorizationError }: TLSSocket): Error {
  if (isMissingCertificate(error)) return new ClientCertificateError('no certificate');
  if (authorizationError) return new ClientCertificateError(String(authorizationError));
  return error.code === CONNECTION_RESET ? new Error('the client left before it was done') : error;
}
