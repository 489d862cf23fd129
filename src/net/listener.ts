import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Networks } from '../http/ip-address.ts';
import { clientHelloLength, MAX_CLIENT_HELLO } from './client-hello/length.ts';
import { Connection } from './connection.ts';
import { cutReasonOf, type CutReason } from './close-reason.ts';
import { readFirstBytes, type PeekResult } from './first-bytes.ts';
import { peekClientPreface } from './client-preface.ts';
import { listening, SOCKET_OPTIONS } from './listen.ts';
import type { ConnectionObserver } from './observer.ts';
import type { ProxyHeaderError } from './proxy-protocol/header.ts';
import { keptText } from './rejected-message.ts';
import { readProxyHeader, type ProxyProtocol } from './proxy-protocol/read.ts';
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
  readonly onProxyFault?: (connection: Connection, fault: ProxyHeaderError) => void;
  /** Whose forwarding fields are believed; without it nobody's. */
  readonly trustProxy?: Networks | undefined;
  readonly observer?: ConnectionObserver | undefined;
  /** Told of each connection that was cut; one above the limit has no ledger. */
  readonly onCut?: (reason: CutReason, connection?: Connection) => void;
}

/** decode_error (RFC 8446 6): what a ClientHello longer than we keep gets before the close. */
const ALERT_DECODE_ERROR = Buffer.from([0x15, 3, 1, 0, 2, 2, 50]);

/** The one listening socket. It reads just enough to tell the protocol, puts it back and lets go. */
export class Listener {
  readonly connections = new Set<Connection>();
  readonly #server: Server;
  readonly #undecided = new Set<Connection>();
  readonly #takers: ProtocolHandlers;
  readonly #options: ListenerOptions;
  readonly #sweep: NodeJS.Timeout;

  constructor(takers: ProtocolHandlers, options: ListenerOptions) {
    this.#takers = takers;
    this.#options = options;
    this.#server = createServer(SOCKET_OPTIONS, (socket) => this.accept(socket));
    // The bytes before the decision belong to no server yet, so no server's timeout covers them.
    this.#sweep = setInterval(() => {
      const oldest = performance.now() - options.headerTimeout;
      for (const connection of this.#undecided) {
        if (connection.openedAt >= oldest) continue;
        connection.close('abort', 'header-timeout');
      }
    }, options.sweepInterval).unref();
  }

  /** @throws where the address cannot be used; the message is for the user */
  listen(port: number, host: string | undefined): Promise<AddressInfo> {
    return listening(this.#server, port, host, this.#options.onAcceptError);
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
  cutUndecided(since: number): void {
    for (const connection of this.connections) {
      if (connection.protocol !== undefined || connection.openedAt > since) continue;
      connection.close('abort', 'draining');
    }
  }

  /** Takes a new connection: one of our own, or one that the primary has accepted for us. */
  accept(socket: Socket): void {
    const { observer, onCut, maxConnections = Infinity } = this.#options;
    if (this.connections.size >= maxConnections) {
      socket.destroy();
      onCut?.('connection-limit');
      return;
    }
    // A client may close its side after the request and still wait for the answer.
    socket.allowHalfOpen = true;
    const connection = new Connection(socket, this.#options.worker);
    this.connections.add(connection);
    this.#undecided.add(connection);
    if (observer?.closing) {
      connection.onClosing = (how, reason) => observer.closing?.(connection, how, reason);
    }
    observer?.opened(connection);
    socket.once('close', () => {
      this.connections.delete(connection);
      this.#undecided.delete(connection);
      // What is above the socket hears of it later, and has the end of its requests to tell.
      if (observer) setImmediate(() => observer.closed(connection));
      const reason = cutReasonOf(connection.ending);
      if (reason) onCut?.(reason, connection);
    });
    // The socket's errors are the peer's going away; whoever takes it over sees 'close' as well.
    socket.on('error', (error) => {
      connection.failed(error);
      connection.close('abort');
    });
    const { proxyProtocol = 'off' } = this.#options;
    if (proxyProtocol === 'off') this.#decide(connection);
    else this.#readProxyHeader(connection, proxyProtocol === 'require');
  }

  #readProxyHeader(connection: Connection, required: boolean): void {
    const { socket } = connection;
    const refuse = (fault: ProxyHeaderError, bytes?: Buffer): void => {
      this.#options.onProxyFault?.(connection, fault);
      const refused = bytes && { text: keptText(bytes) };
      this.#options.observer?.rejected(connection, new Error(`PROXY header: ${fault}`), refused);
      connection.close('abort', 'proxy-protocol');
    };
    const look = (bytes: Buffer): number | (() => void) => {
      const reading = readProxyHeader(bytes);
      if (reading.kind === 'more') return reading.wanted;
      return () => {
        if (reading.kind === 'header') {
          connection.proxied(reading.header);
          socket.unshift(bytes.subarray(reading.length));
        } else if (reading.fault === 'missing' && !required) {
          socket.unshift(bytes);
        } else {
          refuse(reading.fault, bytes);
          return;
        }
        this.#decide(connection);
      };
    };
    readFirstBytes(socket, look, (length) => {
      // A health check that only connects and goes is no fault.
      if (length > 0) refuse('incomplete');
      else connection.close('abort');
    });
  }

  #decide(connection: Connection): void {
    const { socket } = connection;
    const { trustProxy } = this.#options;
    if (trustProxy?.has(connection.remoteAddress)) connection.trustedProxies = trustProxy;
    const look = (bytes: Buffer): PeekResult => {
      const sniffed = detectProtocol(bytes);
      if (sniffed === 'more') return bytes.length + 1;
      if (sniffed === 'tls') {
        const length = clientHelloLength(bytes);
        if (length > MAX_CLIENT_HELLO) return () => this.#refuseClientHello(connection);
        if (bytes.length < length) return length;
        connection.clientHello = Uint8Array.prototype.slice.call(bytes, 0, length);
      }
      const handOver = (): void => {
        this.#undecided.delete(connection);
        if (sniffed !== 'tls') connection.keep(sniffed, bytes);
        socket.unshift(bytes);
        this.#takers[sniffed](connection);
      };
      return sniffed === 'h2' ? peekClientPreface(bytes, handOver) : handOver;
    };
    readFirstBytes(socket, look, () => connection.close('abort'));
  }

  #refuseClientHello(connection: Connection): void {
    this.#undecided.delete(connection);
    this.#options.observer?.handshakeFailed(connection, new Error('the ClientHello is too long'));
    connection.socket.write(ALERT_DECODE_ERROR);
    connection.close('graceful', 'handshake-failed');
  }
}
