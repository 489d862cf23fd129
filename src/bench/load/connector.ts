import { createSecureContext, type SecureContext } from 'node:tls';
import type { Opened } from '../../check/client/connect.ts';
import type { Target } from '../../check/target.ts';
import type { Protocol } from '../protocol.ts';
import type {
  LoadConnection,
  LoadRequest,
  LoadRequests,
  PreparedRequest,
} from './load-connection.ts';
import { Http1LoadConnection, prepareHttp1 } from './http1-load-connection.ts';
import { Http2LoadConnection } from './http2-load-connection.ts';
import { Input } from './input.ts';
import { prepareHttp2 } from './http2-request.ts';
import { Turns } from './turns.ts';
import { openWebSocket, prepareMessage } from './web-socket-connection.ts';

/** Opens the connections of a load, and closes them all at its end. */
export class Connector {
  readonly #target: Target;
  readonly #protocol: Protocol;
  readonly #first: PreparedRequest;
  /** The requests that the connections send, in turn. */
  readonly #turns: Turns<{
    readonly weight: number | undefined;
    readonly prepared: PreparedRequest;
  }>;
  readonly #time: number;
  /** One TLS context for all connections: parsing the CA certificates again would cost more than a handshake. */
  readonly #context: SecureContext | undefined;
  readonly #isResumed: boolean;
  /** The newest session of the server, if connections resume it. */
  #session: Buffer | undefined;
  readonly #open = new Set<LoadConnection>();
  #isOver = false;

  /**
   * @param time limit for opening a connection, in milliseconds
   * @param isResumed whether connections resume TLS sessions
   */
  constructor(
    target: Target,
    protocol: Protocol,
    requests: LoadRequests,
    time: number,
    isResumed: boolean,
  ) {
    this.#target = target;
    this.#protocol = protocol;
    const [first, ...others] = requests;
    this.#first = this.prepare(first);
    this.#turns = new Turns([
      { weight: first.weight, prepared: this.#first },
      ...others.map((request) => ({ weight: request.weight, prepared: this.prepare(request) })),
    ]);
    this.#time = time;
    this.#isResumed = isResumed;
    if (target.isSecure) this.#context = createSecureContext(target.credentials);
  }

  /** The next request of the load. */
  readonly next = (): PreparedRequest => this.#turns.next().prepared;

  /** A request that these connections can send. */
  prepare(request: LoadRequest): PreparedRequest {
    if (this.#protocol !== 'http/1.1') return prepareHttp2(request);
    return request.isWebSocket === true ? prepareMessage(request) : prepareHttp1(request);
  }

  /** @throws the error of the connection or handshake, or if a session was not resumed */
  async open(): Promise<LoadConnection> {
    const isHttp1 = this.#protocol === 'http/1.1';
    const input = new Input();
    const session = this.#session;
    const tls = { alpn: [isHttp1 ? 'http/1.1' : 'h2'], context: this.#context, session };
    const opened = await this.#target.connect(this.#time, tls, input.onread);
    if (session && opened.tls?.isSessionReused() === false) {
      opened.stream.destroy();
      throw new Error('TLS session not resumed');
    }
    if (this.#isResumed) opened.tls?.on('session', (newest) => (this.#session = newest));
    const connection = await this.#connectionOn(opened, input);
    this.#open.add(connection);
    opened.stream.once('close', () => this.#open.delete(connection));
    if (this.#isOver) connection.destroy();
    return connection;
  }

  #connectionOn(opened: Opened, input: Input): LoadConnection | Promise<LoadConnection> {
    if (this.#protocol !== 'http/1.1') return new Http2LoadConnection(opened, input);
    const { request } = this.#first;
    return request.isWebSocket === true
      ? openWebSocket(opened, input, request, this.#time)
      : new Http1LoadConnection(opened, input);
  }

  destroyAll(): void {
    this.#isOver = true;
    for (const connection of this.#open) connection.destroy();
  }
}
