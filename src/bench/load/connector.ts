import { once } from 'node:events';
import { createSecureContext, type SecureContext } from 'node:tls';
import type { Opened } from '../../check/client/connect.ts';
import { below } from '../../check/path-prefix.ts';
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

/** Milliseconds that a server has for the first session. */
const SESSION_TIME = 1000;

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
  prepare(given: LoadRequest): PreparedRequest {
    const request = { ...given, path: below(this.#target.prefix, given.path) };
    if (this.#protocol !== 'http/1.1') return prepareHttp2(request);
    return request.isWebSocket === true ? prepareMessage(request) : prepareHttp1(request);
  }

  /** Gets the session that connections resume, if they do. Without one, all of them fail. */
  async prepareSession(): Promise<void> {
    if (!this.#isResumed) return;
    const opened = await this.#connect(undefined);
    const { tls, stream } = opened;
    this.#watchSession(opened);
    try {
      // In TLS 1.3, the server sends it after the handshake (RFC 9846 4.7.1).
      if (tls) await once(tls, 'session', { signal: AbortSignal.timeout(SESSION_TIME) });
    } finally {
      stream.destroy();
    }
  }

  #connect(input: Input | undefined): Promise<Opened> {
    const alpn = [this.#protocol === 'http/1.1' ? 'http/1.1' : 'h2'];
    const tls = { alpn, context: this.#context, session: this.#session };
    return this.#target.connect(this.#time, tls, input?.onread);
  }

  /** @throws the error of the connection or handshake, or if a session was not resumed */
  async open(): Promise<LoadConnection> {
    const input = new Input();
    const opened = await this.#connect(input);
    if (this.#isResumed && opened.tls?.isSessionReused() === false) {
      opened.stream.destroy();
      throw new Error('TLS session not resumed');
    }
    this.#watchSession(opened);
    const connection = await this.#connectionOn(opened, input);
    this.#open.add(connection);
    opened.stream.once('close', () => this.#open.delete(connection));
    if (this.#isOver) connection.destroy();
    return connection;
  }

  #watchSession({ tls }: Opened): void {
    if (this.#isResumed) tls?.on('session', (newest) => (this.#session = newest));
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
