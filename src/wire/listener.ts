import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { clientHelloLength, MAX_CLIENT_HELLO } from './client-hello.ts';
import { Connection } from './connection.ts';
import { linger } from './linger.ts';
import { listening, SOCKET_OPTIONS } from './listening.ts';
import { sniff } from './sniff.ts';

/** Who takes a connection over once its first bytes have told what it speaks. */
export interface Takers {
  tls(connection: Connection): void;
  h2(connection: Connection): void;
  h1(connection: Connection): void;
}

export interface ListenerOptions {
  /** Milliseconds a connection may take to say what it speaks. */
  readonly headerTimeout: number;
  /** Told when a connection could not be accepted, as without a free descriptor. */
  readonly onAcceptError: (error: Error) => void;
  /** The number of this process where there are several. */
  readonly worker?: number | undefined;
}

/** decode_error (RFC 8446 6): what a ClientHello longer than we keep gets before the close. */
const ALERT_DECODE_ERROR = Buffer.from([0x15, 3, 1, 0, 2, 2, 50]);

const SWEEP_INTERVAL = 500;

/** The one listening socket. It reads just enough to tell the protocol, puts it back and lets go. */
export class Listener {
  readonly connections = new Set<Connection>();
  readonly #server: Server;
  readonly #undecided = new Set<Connection>();
  readonly #takers: Takers;
  readonly #onAcceptError: (error: Error) => void;
  readonly #worker: number | undefined;
  readonly #sweep: NodeJS.Timeout;

  constructor(takers: Takers, { headerTimeout, onAcceptError, worker }: ListenerOptions) {
    this.#takers = takers;
    this.#worker = worker;
    this.#server = createServer(SOCKET_OPTIONS, (socket) => this.accept(socket));
    this.#onAcceptError = onAcceptError;
    // The bytes before the decision belong to no server yet, so no server's timeout covers them.
    this.#sweep = setInterval(() => {
      const oldest = performance.now() - headerTimeout;
      for (const connection of this.#undecided) {
        if (connection.openedAt >= oldest) continue;
        connection.closes('header-timeout');
        connection.socket.destroy();
      }
    }, SWEEP_INTERVAL).unref();
  }

  /** @throws where the address cannot be used; the message is for the user */
  listen(port: number, host: string | undefined): Promise<AddressInfo> {
    return listening(this.#server, port, host, this.#onAcceptError);
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
      connection.closes('stopped');
      connection.socket.destroy();
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
      connection.closes('draining');
      connection.socket.destroy();
    }
  }

  /** Takes a new connection: one of our own, or one that the primary has accepted for us. */
  accept(socket: Socket): void {
    // A client may close its side after the request and still wait for the answer.
    socket.allowHalfOpen = true;
    const connection = new Connection(socket, this.#worker);
    this.connections.add(connection);
    socket.once('close', () => this.connections.delete(connection));
    // The socket's errors are the peer's going away; whoever takes it over sees 'close' as well.
    socket.on('error', (error) => {
      connection.failed(error);
      socket.destroy();
    });
    this.#decide(connection);
  }

  #decide(connection: Connection): void {
    const { socket } = connection;
    const chunks: Buffer[] = [];
    let length = 0;
    let wanted = 1;

    const release = (): void => {
      socket.off('data', onData).off('end', onEnd).off('close', onEnd);
      this.#undecided.delete(connection);
    };
    const onEnd = (): void => {
      release();
      socket.destroy();
    };
    const onData = (chunk: Buffer): void => {
      chunks.push(chunk);
      length += chunk.length;
      if (length < wanted) return;
      const bytes = chunks.length === 1 ? chunk : Buffer.concat(chunks, length);
      const sniffed = sniff(bytes);
      if (sniffed === 'more') {
        wanted = length + 1;
        return;
      }
      if (sniffed === 'tls') {
        wanted = clientHelloLength(bytes);
        if (wanted > MAX_CLIENT_HELLO) {
          release();
          connection.closes('handshake-failed');
          socket.write(ALERT_DECODE_ERROR);
          linger(socket);
          return;
        }
        if (length < wanted) return;
        connection.clientHello = Uint8Array.prototype.slice.call(bytes, 0, wanted);
      }
      release();
      socket.pause();
      socket.unshift(bytes);
      this.#takers[sniffed](connection);
    };

    this.#undecided.add(connection);
    socket.on('data', onData).on('end', onEnd).on('close', onEnd);
  }
}
