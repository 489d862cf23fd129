import { createServer, type Server, type TLSSocket } from 'node:tls';
import type { Socket } from 'node:net';
import type { Connection } from './connection.ts';

declare module 'node:tls' {
  interface TLSSocket {
    /** The TCP socket below. Node has no public name for it, and hands us only the TLSSocket. */
    readonly _parent?: Socket;
  }
}

/** Who takes a connection over after the handshake; ALPN alone decides (RFC 7301). */
export interface TlsTakers {
  h2(connection: Connection, socket: TLSSocket): void;
  h1(connection: Connection, socket: TLSSocket): void;
  failed(connection: Connection, error: Error): void;
}

export interface Credentials {
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
}

export interface TlsOptions extends Credentials {
  /** Milliseconds the handshake may take. */
  readonly handshakeTimeout: number;
}

/** The TLS half of the listener. It never listens itself: raw sockets are handed to it. */
export class TlsServer {
  readonly #server: Server;
  readonly #handshaking = new WeakMap<Socket, Connection>();
  readonly #takers: TlsTakers;

  constructor(takers: TlsTakers, options: TlsOptions) {
    this.#takers = takers;
    this.#server = createServer({
      cert: options.cert,
      key: options.key,
      handshakeTimeout: options.handshakeTimeout,
      minVersion: 'TLSv1.2',
      // A client's list with neither gets the no_application_protocol alert (RFC 7301 3.2).
      ALPNProtocols: ['h2', 'http/1.1'],
    });
    this.#server.on('secureConnection', (socket) => this.#secured(socket));
    this.#server.on('tlsClientError', (error, socket) => {
      const connection = this.#connectionOf(socket);
      if (connection) takers.failed(connection, error);
      socket.destroy();
    });
  }

  accept(connection: Connection): void {
    this.#handshaking.set(connection.socket, connection);
    this.#server.emit('connection', connection.socket);
  }

  /** Later handshakes use the new certificate; open connections keep theirs. */
  renew(credentials: Credentials): void {
    this.#server.setSecureContext(credentials);
  }

  #secured(socket: TLSSocket): void {
    const connection = this.#connectionOf(socket);
    if (!connection) {
      socket.destroy();
      return;
    }
    connection.tls = socket;
    socket.on('error', () => socket.destroy());
    if (socket.alpnProtocol === 'h2') this.#takers.h2(connection, socket);
    else this.#takers.h1(connection, socket);
  }

  #connectionOf({ _parent }: TLSSocket): Connection | undefined {
    return _parent && this.#handshaking.get(_parent);
  }
}
