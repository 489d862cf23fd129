import { connect, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';

/** How a gateway connects to the origin by TLS. */
export interface OriginTls extends ConnectionOptions {
  /** Whether each connection has a whole handshake. */
  readonly neverResumes?: boolean;
}

/** Opens a connection to the origin for each request. */
export class OriginConnector {
  readonly #port: number;
  readonly #tls: OriginTls | undefined;
  #session: Buffer | undefined;

  /** @param tls without it, the connections are in cleartext */
  constructor(port: number, tls: OriginTls | undefined) {
    this.#port = port;
    this.#tls = tls;
  }

  /** @param header sent before all else in cleartext */
  connect(header: Buffer | undefined): Socket {
    const address = { port: this.#port, host: '127.0.0.1', allowHalfOpen: true };
    if (!this.#tls) {
      const socket = connect({ ...address, noDelay: true });
      if (header) socket.write(header);
      return socket;
    }
    const { neverResumes = false, ...options } = this.#tls;
    const socket = connectTls({
      ...address,
      servername: 'localhost',
      ALPNProtocols: ['http/1.1'],
      rejectUnauthorized: false,
      ...(this.#session && { session: this.#session }),
      ...options,
    });
    if (!neverResumes) {
      socket.on('session', (session) => {
        this.#session = session;
      });
    }
    return socket;
  }
}
