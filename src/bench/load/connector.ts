import { createSecureContext, type SecureContext } from 'node:tls';
import type { Target } from '../../check/target.ts';
import type { Protocol } from '../protocol.ts';
import type { LoadConnection, LoadRequest, PreparedRequest } from './load-connection.ts';
import { Http1LoadConnection, prepareHttp1 } from './http1-load-connection.ts';
import { Http2LoadConnection } from './http2-load-connection.ts';
import { Input } from './input.ts';
import { prepareHttp2 } from './http2-request.ts';

/** Opens the connections of a load, and closes them all at its end. */
export class Connector {
  readonly #target: Target;
  readonly #protocol: Protocol;
  /** The request that the connections send. */
  readonly request: PreparedRequest;
  readonly #time: number;
  /** One TLS context for all connections: parsing the CA certificates again would cost more than a handshake. */
  readonly #context: SecureContext | undefined;
  readonly #open = new Set<LoadConnection>();
  #isOver = false;

  /** @param time limit for opening a connection, in milliseconds */
  constructor(target: Target, protocol: Protocol, request: LoadRequest, time: number) {
    this.#target = target;
    this.#protocol = protocol;
    this.request = this.prepare(request);
    this.#time = time;
    if (target.isSecure) this.#context = createSecureContext(target.credentials);
  }

  /** A request that these connections can send. */
  prepare(request: LoadRequest): PreparedRequest {
    return this.#protocol === 'http/1.1' ? prepareHttp1(request) : prepareHttp2(request);
  }

  /** @throws the error of the connection or handshake */
  async open(): Promise<LoadConnection> {
    const isHttp1 = this.#protocol === 'http/1.1';
    const input = new Input();
    const tls = { alpn: [isHttp1 ? 'http/1.1' : 'h2'], context: this.#context };
    const opened = await this.#target.connect(this.#time, tls, input.onread);
    const connection = isHttp1
      ? new Http1LoadConnection(opened, input)
      : new Http2LoadConnection(opened, input);
    this.#open.add(connection);
    opened.stream.once('close', () => this.#open.delete(connection));
    if (this.#isOver) connection.destroy();
    return connection;
  }

  destroyAll(): void {
    this.#isOver = true;
    for (const connection of this.#open) connection.destroy();
  }
}
