import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Networks } from '../http/ip-address.ts';
import { clientHelloLength, MAX_CLIENT_HELLO } from '../wire/tls/client-hello-length.ts';
import { fatalAlert } from '../wire/tls/record.ts';
import type { Origin } from './connection.ts';
import { TcpConnection, type ProtocolHandlers } from './tcp-connection.ts';
import { terminationReason } from './close-reason.ts';
import { readFirstBytes, type PeekResult } from './first-bytes.ts';
import { arrivals } from './scheduler.ts';
import { listen, SOCKET_OPTIONS } from './listen.ts';
import type { ConnectionObserver } from './observer.ts';
import {
  InvalidProxyHeader,
  type ProxyHeader,
  type ProxyHeaderError,
} from '../wire/proxy-protocol/header.ts';
import { excerpt } from './rejected-message.ts';
import { parseProxyHeader, type ProxyProtocol } from '../wire/proxy-protocol/read.ts';
import { detectProtocol } from './detect-protocol.ts';
import { afterIterations } from './event-loop.ts';

export interface ListenerOptions extends Origin {
  /** Milliseconds within which the first bytes must arrive. */
  readonly headerTimeout: number;
  /** Milliseconds between checks of `headerTimeout`. */
  readonly sweepInterval: number;
  /** Maximum number of open connections; default: unlimited. */
  readonly maxConnections?: number;
  /** Whether connections may or must begin with a PROXY header. Default: `off`. */
  readonly proxyProtocol?: ProxyProtocol;
  /** Proxies whose forwarding fields are trusted. Default: none. */
  readonly trustProxy?: Networks | undefined;
  readonly observer: ConnectionObserver;
}

/** Alert decode_error (RFC 9846 6), the reply to a ClientHello that is too long. */
const DECODE_ERROR_ALERT = fatalAlert(50);

/**
 * Iterations of the event loop until TLS and HTTP/2 have noticed the close of an inspected connection. Each takes one
 * more than natively, because they read it in JavaScript (`doClose`, lib/internal/js_stream_socket.js).
 */
const INSPECTED_CLOSE_ITERATIONS = 3;

/** The listening socket. Peeks at the first bytes of each connection to detect the protocol. */
export class Listener {
  readonly connections = new Set<TcpConnection>();
  readonly #server: Server;
  readonly #undetected = new Set<TcpConnection>();
  readonly #handlers: ProtocolHandlers<'tls' | 'h2' | 'h1'>;
  readonly #options: ListenerOptions;
  readonly #sweep: NodeJS.Timeout;

  constructor(handlers: ProtocolHandlers<'tls' | 'h2' | 'h1'>, options: ListenerOptions) {
    this.#handlers = handlers;
    this.#options = options;
    this.#server = createServer(SOCKET_OPTIONS, (socket) => this.accept(socket));
    // The timeouts of the protocols apply only after detection.
    this.#sweep = setInterval(() => {
      const openedBefore = performance.now() - options.headerTimeout;
      for (const connection of this.#undetected) {
        if (connection.openedAt < openedBefore) connection.close('abort', 'header-timeout');
      }
    }, options.sweepInterval).unref();
  }

  /** @throws if the address cannot be used; the message is for the user */
  listen(port: number, host: string | undefined): Promise<AddressInfo> {
    const onAcceptError = (error: Error): void => this.#options.observer.acceptFailed?.(error);
    return listen(this.#server, port, host, onAcceptError);
  }

  /** Stops accepting. Resolves when the last connection has closed. */
  close(): Promise<void> {
    clearInterval(this.#sweep);
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
    });
  }

  /** Stops accepting until `listen` is called again. */
  closePort(): void {
    this.#server.close();
  }

  /** Aborts all connections; resets those of HTTP/1.x with an open request, because FIN could end a response. */
  abort(): void {
    for (const connection of this.connections) {
      const isHttp1 = connection.protocol === 'http/1.1' || connection.protocol === 'https/1.1';
      const isResponding = isHttp1 && connection.requests.open > 0;
      connection.close(isResponding ? 'reset' : 'abort', 'stopped');
    }
  }

  destroy(): void {
    clearInterval(this.#sweep);
    this.#server.close();
    this.abort();
  }

  /**
   * Aborts connections whose protocol has not been detected.
   *
   * @param openedBefore from performance.now(); connections opened later are spared
   */
  abortUndetected(openedBefore: number): void {
    for (const connection of this.connections) {
      if (connection.protocol !== undefined || connection.openedAt > openedBefore) continue;
      connection.close('abort', 'draining');
    }
  }

  /** Handles a new connection, accepted here or by the cluster primary. */
  accept(socket: Socket): void {
    const { observer, maxConnections = Infinity } = this.#options;
    if (this.connections.size >= maxConnections) {
      socket.destroy();
      observer.terminated?.('connection-limit');
      return;
    }
    // A client may send FIN after its request and wait for the response.
    socket.allowHalfOpen = true;
    const connection = new TcpConnection(socket, this.#options, observer.closing);
    this.connections.add(connection);
    this.#undetected.add(connection);
    observer.opened?.(connection);
    socket.once('close', () => {
      this.#undetected.delete(connection);
      // Deferred, so that protocols can first report the end of their requests, and HTTP/2 its error.
      afterIterations(connection.inspector ? INSPECTED_CLOSE_ITERATIONS : 1, () => {
        this.connections.delete(connection);
        const reason = terminationReason(connection.closeCause);
        if (reason) observer.terminated?.(reason, connection);
        observer.closed?.(connection);
      });
    });
    // Most errors mean that the client has disconnected. Protocol handlers receive `close` as well.
    socket.on('error', (error) => {
      connection.setError(error);
      connection.close('abort');
    });
    arrivals.add(() => this.#read(connection));
  }

  #read(connection: TcpConnection): void {
    if (connection.socket.destroyed) return;
    const { proxyProtocol = 'off' } = this.#options;
    if (proxyProtocol === 'off') this.#detectProtocol(connection, undefined);
    else this.#readProxyHeader(connection, proxyProtocol === 'require');
  }

  #readProxyHeader(connection: TcpConnection, required: boolean): void {
    const { socket } = connection;
    const reject = (reason: ProxyHeaderError, bytes?: Buffer): void => {
      const message = bytes && { text: excerpt(bytes) };
      this.#options.observer.rejected?.(connection, new InvalidProxyHeader(reason), message);
      connection.close('abort', 'proxy-protocol');
    };
    const peek = (bytes: Buffer): number | (() => void) => {
      const result = parseProxyHeader(bytes);
      if (result.kind === 'more') return result.needed;
      return () => {
        if (result.kind === 'header') {
          socket.unshift(bytes.subarray(result.length));
          this.#detectProtocol(connection, result.header);
        } else if (result.error === 'missing' && !required) {
          socket.unshift(bytes);
          this.#detectProtocol(connection, undefined);
        } else reject(result.error, bytes);
      };
    };
    readFirstBytes(socket, peek, (length) => {
      // Without any bytes, this is not an error: a health check may only connect.
      if (length > 0) reject('incomplete');
      else connection.close('abort');
    });
  }

  #detectProtocol(connection: TcpConnection, header: ProxyHeader | undefined): void {
    const { socket } = connection;
    connection.identifyClient(header, this.#options.trustProxy);
    const peek = (bytes: Buffer): PeekResult => {
      const protocol = detectProtocol(bytes);
      if (protocol === 'more') return bytes.length + 1;
      if (protocol === 'tls') {
        const length = clientHelloLength(bytes);
        if (length > MAX_CLIENT_HELLO) return () => this.#rejectClientHello(connection);
        if (bytes.length < length) return length;
        connection.receivedHello(Uint8Array.prototype.slice.call(bytes, 0, length));
      }
      return () => {
        this.#undetected.delete(connection);
        socket.unshift(bytes);
        this.#handlers[protocol].accept(connection, bytes);
      };
    };
    readFirstBytes(socket, peek, () => connection.close('abort'));
  }

  #rejectClientHello(connection: TcpConnection): void {
    this.#undetected.delete(connection);
    const error = new Error('the ClientHello is too long');
    this.#options.observer.handshakeFailed?.(connection, error);
    connection.socket.write(DECODE_ERROR_ALERT);
    connection.close('graceful', 'handshake-failed');
  }
}
