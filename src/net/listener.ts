import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Networks } from '../http/ip-address.ts';
import { clientHelloLength, MAX_CLIENT_HELLO } from './client-hello/length.ts';
import { Connection } from './connection.ts';
import { terminationReason, type TerminationReason } from './close-reason.ts';
import { readFirstBytes, type PeekResult } from './first-bytes.ts';
import { peekClientPreface } from './client-preface.ts';
import { listen, SOCKET_OPTIONS } from './listen.ts';
import type { ConnectionObserver } from './observer.ts';
import type { ProxyHeaderError } from './proxy-protocol/header.ts';
import { excerpt } from './rejected-message.ts';
import { parseProxyHeader, type ProxyProtocol } from './proxy-protocol/read.ts';
import { detectProtocol } from './detect-protocol.ts';

/** Who takes a connection over once its first bytes have told what it speaks. */
export interface ProtocolHandlers {
  tls(connection: Connection): void;
  h2(connection: Connection): void;
  h1(connection: Connection): void;
}

export interface ListenerOptions {
  /** Milliseconds a connection may take to say what it speaks. */
  readonly headerTimeout: number;
  /** Milliseconds between two looks whether they have. */
  readonly sweepInterval: number;
  /** Connections at once; without it as many as come. */
  readonly maxConnections?: number;
  /** Told when a connection could not be accepted, as without a free descriptor. */
  readonly onAcceptError: (error: Error) => void;
  /** The number of this process where there are several. */
  readonly worker?: number | undefined;
  /** `off` without it. */
  readonly proxyProtocol?: ProxyProtocol;
  /** Told why a connection is closed in its PROXY header, or for want of one. */
  readonly onProxyHeaderError?: (connection: Connection, fault: ProxyHeaderError) => void;
  /** Whose forwarding fields are believed; without it nobody's. */
  readonly trustProxy?: Networks | undefined;
  readonly observer?: ConnectionObserver | undefined;
  /** Told of each connection that was cut; one above the limit has no ledger. */
  readonly onTerminated?: (reason: TerminationReason, connection?: Connection) => void;
}

/** decode_error (RFC 8446 6): what a ClientHello longer than we keep gets before the close. */
const DECODE_ERROR_ALERT = Buffer.from([0x15, 3, 1, 0, 2, 2, 50]);

/** The one listening socket. It reads just enough to tell the protocol, puts it back and lets go. */
export class Listener {
  readonly connections = new Set<Connection>();
  readonly #server: Server;
  readonly #undetected = new Set<Connection>();
  readonly #handlers: ProtocolHandlers;
  readonly #options: ListenerOptions;
  readonly #sweep: NodeJS.Timeout;

  constructor(takers: ProtocolHandlers, options: ListenerOptions) {
    this.#handlers = takers;
    this.#options = options;
    this.#server = createServer(SOCKET_OPTIONS, (socket) => this.accept(socket));
    // The bytes before the decision belong to no server yet, so no server's timeout covers them.
    this.#sweep = setInterval(() => {
      const oldest = performance.now() - options.headerTimeout;
      for (const connection of this.#undetected) {
        if (connection.openedAt >= oldest) continue;
        connection.close('abort', 'header-timeout');
      }
    }, options.sweepInterval).unref();
  }

  /** @throws where the address cannot be used; the message is for the user */
  listen(port: number, host: string | undefined): Promise<AddressInfo> {
    return listen(this.#server, port, host, this.#options.onAcceptError);
  }

  /** Stops accepting; resolves when the last connection has gone. */
  close(): Promise<void> {
    clearInterval(this.#sweep);
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
    });
  }

  /** Cuts every connection. */
  destroy(): void {
    clearInterval(this.#sweep);
    this.#server.close();
    for (const connection of this.connections) {
      connection.close('abort', 'stopped');
    }
  }

  /**
   * Cuts connections that have not been handed to a protocol.
   *
   * @param since only those opened before, by performance.now()
   */
  abortUndetected(since: number): void {
    for (const connection of this.connections) {
      if (connection.protocol !== undefined || connection.openedAt > since) continue;
      connection.close('abort', 'draining');
    }
  }

  /** Takes a new connection: one of our own, or one that the primary has accepted for us. */
  accept(socket: Socket): void {
    const { observer, onTerminated, maxConnections = Infinity } = this.#options;
    if (this.connections.size >= maxConnections) {
      socket.destroy();
      onTerminated?.('connection-limit');
      return;
    }
    // A client may close its side after the request and still wait for the answer.
    socket.allowHalfOpen = true;
    const connection = new Connection(socket, this.#options.worker);
    this.connections.add(connection);
    this.#undetected.add(connection);
    if (observer?.closing) {
      connection.onClosing = (how, reason) => observer.closing?.(connection, how, reason);
    }
    observer?.opened(connection);
    socket.once('close', () => {
      this.connections.delete(connection);
      this.#undetected.delete(connection);
      // What is above the socket hears of it later, and has the end of its requests to tell.
      if (observer) setImmediate(() => observer.closed(connection));
      const reason = terminationReason(connection.closeCause);
      if (reason) onTerminated?.(reason, connection);
    });
    // The socket's errors are the peer's going away; whoever takes it over sees 'close' as well.
    socket.on('error', (error) => {
      connection.setError(error);
      connection.close('abort');
    });
    const { proxyProtocol = 'off' } = this.#options;
    if (proxyProtocol === 'off') this.#detectProtocol(connection);
    else this.#readProxyHeader(connection, proxyProtocol === 'require');
  }

  #readProxyHeader(connection: Connection, required: boolean): void {
    const { socket } = connection;
    const refuse = (fault: ProxyHeaderError, bytes?: Buffer): void => {
      this.#options.onProxyHeaderError?.(connection, fault);
      const refused = bytes && { text: excerpt(bytes) };
      this.#options.observer?.rejected(connection, new Error(`PROXY header: ${fault}`), refused);
      connection.close('abort', 'proxy-protocol');
    };
    const look = (bytes: Buffer): number | (() => void) => {
      const reading = parseProxyHeader(bytes);
      if (reading.kind === 'more') return reading.needed;
      return () => {
        if (reading.kind === 'header') {
          connection.applyProxyHeader(reading.header);
          socket.unshift(bytes.subarray(reading.length));
        } else if (reading.error === 'missing' && !required) {
          socket.unshift(bytes);
        } else {
          refuse(reading.error, bytes);
          return;
        }
        this.#detectProtocol(connection);
      };
    };
    readFirstBytes(socket, look, (length) => {
      // A health check that only connects and goes is no fault.
      if (length > 0) refuse('incomplete');
      else connection.close('abort');
    });
  }

  #detectProtocol(connection: Connection): void {
    const { socket } = connection;
    const { trustProxy } = this.#options;
    if (trustProxy?.has(connection.remoteAddress)) connection.trustedProxies = trustProxy;
    const look = (bytes: Buffer): PeekResult => {
      const sniffed = detectProtocol(bytes);
      if (sniffed === 'more') return bytes.length + 1;
      if (sniffed === 'tls') {
        const length = clientHelloLength(bytes);
        if (length > MAX_CLIENT_HELLO) return () => this.#rejectClientHello(connection);
        if (bytes.length < length) return length;
        connection.clientHello = Uint8Array.prototype.slice.call(bytes, 0, length);
      }
      const handOver = (): void => {
        this.#undetected.delete(connection);
        if (sniffed !== 'tls') connection.captureFirstBytes(sniffed, bytes);
        socket.unshift(bytes);
        this.#handlers[sniffed](connection);
      };
      return sniffed === 'h2' ? peekClientPreface(bytes, handOver) : handOver;
    };
    readFirstBytes(socket, look, () => connection.close('abort'));
  }

  #rejectClientHello(connection: Connection): void {
    this.#undetected.delete(connection);
    this.#options.observer?.handshakeFailed(connection, new Error('the ClientHello is too long'));
    connection.socket.write(DECODE_ERROR_ALERT);
    connection.close('graceful', 'handshake-failed');
  }
}
