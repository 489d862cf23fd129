import { unmapAddress, type Networks } from '../http/ip-address.ts';
import {
  causeFromError,
  terminationReason,
  type CloseMethod,
  type CloseReason,
  type CloseCause,
} from './close-reason.ts';
import {
  connectionPhaseAfter,
  type ConnectionPhase,
  type ConnectionStep,
} from './connection-phase.ts';
import type { NegotiatedTls } from './negotiated-tls.ts';
import { RequestCounts } from './request-counts.ts';
import type { ConnectionInspector } from './inspector.ts';
import { shortenHello, type StoredHello } from './stored-hello.ts';
import { NO_KEY_EXCHANGE, type KeyExchange } from './tls-key-exchange.ts';
import type { ProxyHeader } from '../wire/proxy-protocol/header.ts';

/**
 * The protocols of connections, detected from their first bytes or ALPN; RFC 9113 3.1 defines h2 and
 * h2c. `http/1.1` and `https/1.1` mean any HTTP/1.x: each request has its own version.
 */
export const PROTOCOLS = ['http/1.1', 'h2c', 'https/1.1', 'h2'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/** The transport; `none` until it is detected. */
export function transportOf({ protocol }: Connection): Protocol | 'none' {
  return protocol ?? 'none';
}

/** The protocol of a request, with the version of its request line on HTTP/1.x; empty if it has not been detected. */
export function protocolOf(request: {
  readonly connection: Connection;
  readonly version: string;
}): string {
  const { connection, version } = request;
  const { protocol = '' } = connection;
  if (version === 'HTTP/1.1') return protocol;
  switch (protocol) {
    case 'http/1.1':
    case 'https/1.1':
      return `${protocol === 'https/1.1' ? 'https' : 'http'}/${version.slice('HTTP/'.length)}`;
    case 'h2':
    case 'h2c':
    case '':
      return protocol;
  }
}

let connectionCount = 0;

/** Which service accepts a connection. */
export interface Origin {
  /** Number of this worker process; undefined with a single process. */
  readonly worker?: number | undefined;
  /** Name of the service; undefined without one. */
  readonly instance?: string | undefined;
  /** Id of the running service: new with every start, the same for all workers. */
  readonly process?: string | undefined;
}

/** What proxies say about the client. */
interface Proxied {
  readonly header: ProxyHeader | undefined;
  readonly address: string;
  /** undefined to use the port of the peer. */
  readonly port: number | undefined;
  readonly trusted: Networks | undefined;
}

export type ClosingListener = (
  connection: Connection,
  how: CloseMethod,
  reason: CloseReason,
) => void;

/** Between whom a connection is. */
export interface Addresses {
  /** IPv4 has no `::ffff:`, even on a dual-stack listener. */
  readonly peerAddress: string;
  readonly peerPort: number;
  readonly localAddress: string;
  readonly localPort: number;
}

/** A connection of a client, what is known about it, and how it is closed. */
export abstract class Connection {
  /** Unique id: a counter in base 36, after the worker number if there are several. */
  readonly id: string;
  /** Number of the worker process that serves the connection; undefined with a single process. */
  readonly worker: number | undefined;
  /** Name of the service that accepted the connection (--name); undefined if it has none. */
  readonly instance: string | undefined;
  /** Id of the running service that accepted the connection; empty without one. */
  readonly process: string;
  /** `performance.now()` at accept, in milliseconds. */
  readonly openedAt = performance.now();
  /** The remote address of the socket. */
  readonly peerAddress: string;
  readonly peerPort: number;
  readonly localAddress: string;
  readonly localPort: number;
  readonly requests: Readonly<RequestCounts> = new RequestCounts(this.openedAt);
  #protocol: Protocol | undefined;
  /** What a PROXY header and --trust-proxy say about the client; undefined if they say nothing. */
  #proxied: Proxied | undefined;
  #clientHello: StoredHello | undefined;
  #keyExchange: KeyExchange | undefined;
  /** With --inspect: the inspector, or why there is none. */
  #inspection: ConnectionInspector | string | undefined;
  readonly #onClosing: ClosingListener | undefined;
  #phase: ConnectionPhase = 'open';
  #closeCause: CloseCause | undefined;

  /** @param onClosing called by `close()` if it has a reason */
  constructor(
    addresses: Addresses,
    { worker, instance, process = '' }: Origin = {},
    onClosing?: ClosingListener,
  ) {
    const number = (++connectionCount).toString(36);
    this.id = worker === undefined ? number : `${worker}-${number}`;
    this.worker = worker;
    this.instance = instance;
    this.process = process;
    this.peerAddress = addresses.peerAddress;
    this.peerPort = addresses.peerPort;
    this.localAddress = addresses.localAddress;
    this.localPort = addresses.localPort;
    this.#onClosing = onClosing;
  }

  /** The protocol; undefined until it is detected. */
  get protocol(): Protocol | undefined {
    return this.#protocol;
  }

  /** Call when the protocol has been detected from the first bytes or by ALPN. */
  detected(protocol: Protocol): void {
    this.#protocol = protocol;
  }

  /** Call before the protocol is detected, with the PROXY header, if there is one, and the trusted proxies. */
  identifyClient(header: ProxyHeader | undefined, trustProxy: Networks | undefined): void {
    const source = header?.source;
    // LOCAL and UNKNOWN headers and UNIX socket paths have no client address.
    const client = source && !('path' in source) ? source : undefined;
    const address = client ? unmapAddress(client.address) : this.peerAddress;
    const trusted = trustProxy?.has(address) ? trustProxy : undefined;
    if (header ?? trusted) this.#proxied = { header, address, port: client?.port, trusted };
  }

  /** The client's address: that of the peer, unless a PROXY header contains another. */
  get remoteAddress(): string {
    return this.#proxied?.address ?? this.peerAddress;
  }

  get remotePort(): number {
    return this.#proxied?.port ?? this.peerPort;
  }

  /** The PROXY header; undefined without one. */
  get proxyHeader(): ProxyHeader | undefined {
    return this.#proxied?.header;
  }

  /** The trusted proxies; undefined unless `remoteAddress` is one of them. */
  get trustedProxies(): Networks | undefined {
    return this.#proxied?.trusted;
  }

  /** The ClientHello, shortened after the handshake; undefined without TLS. */
  get clientHello(): StoredHello | undefined {
    return this.#clientHello;
  }

  /** Call before the handshake. */
  receivedHello(hello: Uint8Array): void {
    this.#clientHello = hello;
  }

  /** Call at the end of the handshake. */
  protected handshakeCompleted(): void {
    this.#clientHello &&= shortenHello(this.#clientHello);
  }

  /** What was negotiated, set after the handshake; undefined without TLS. */
  abstract readonly tls: NegotiatedTls | undefined;

  abstract readonly bytesReceived: number;
  abstract readonly bytesSent: number;

  /** The key exchange of TLS, read when it is first asked for. */
  get keyExchange(): KeyExchange {
    this.#keyExchange ??= this.tls?.keyExchange();
    return this.#keyExchange ?? NO_KEY_EXCHANGE;
  }

  /** Sets the key exchange of a handshake that fails or may fail: `tls` is not set then. The first one is kept. */
  setKeyExchange(keyExchange: KeyExchange): void {
    this.#keyExchange ??= keyExchange;
  }

  /** Sets the inspector when the connection is opened, or why the connection is not inspected. */
  inspect(inspection: ConnectionInspector | string): void {
    this.#inspection = inspection;
  }

  /** The inspector; undefined without --inspect, and if the connection is not inspected. */
  get inspector(): ConnectionInspector | undefined {
    return typeof this.#inspection === 'string' ? undefined : this.#inspection;
  }

  /** With --inspect: why the connection is not inspected; undefined if it is. */
  get notInspected(): string | undefined {
    return typeof this.#inspection === 'string' ? this.#inspection : undefined;
  }

  /**
   * Sets the close reason if the protocol itself closes the connection, such as with GOAWAY. Otherwise call `close`.
   * The first cause is kept. The client's FIN is one, unless a limit ends a response that the client may be waiting
   * for.
   */
  setCloseReason(reason: CloseReason): void {
    const cause: CloseCause = { by: 'wirebin', reason };
    const endsResponse = this.requests.open > 0 && terminationReason(cause) !== undefined;
    if (!this.clientHalfClosed || endsResponse) this.#closeCause ??= cause;
  }

  /** Whether the client has sent FIN. It may have disconnected, or may be waiting for responses. */
  abstract readonly clientHalfClosed: boolean;

  protected abstract readonly isDestroyed: boolean;

  /** Records an error of the socket or of the HTTP/2 session as the cause of the close, unless there is one. */
  setError(error: NodeJS.ErrnoException): void {
    // A write that the close cancelled. The close itself has another cause.
    if (error.code === 'ECANCELED') return;
    this.#closeCause ??= causeFromError(error);
  }

  /**
   * Must be called with the error of an HTTP/2 session before the error ends its streams and requests. Socket errors
   * are left to the socket's own event: the client may have closed properly before.
   */
  setSessionError(error: Error): void {
    if ('syscall' in error) return;
    this.#advance('fail');
    this.setError(error);
  }

  /** @returns whether the phase has changed */
  #advance(step: ConnectionStep): boolean {
    const next = connectionPhaseAfter(this.#phase, step);
    this.#phase = next ?? this.#phase;
    return next !== undefined;
  }

  /**
   * Closes the connection:
   *
   * - graceful: sends FIN after pending writes, and discards what the client still sends
   * - abort: destroys the socket; the kernel still sends what it has buffered
   * - reset: sends RST; otherwise, the kernel could buffer a few MiB for minutes for a client that does not read
   * - truncate: over TLS, sends FIN without close_notify; otherwise like graceful
   *
   * A closing connection can still be aborted or reset; apart from that, only the first call counts.
   *
   * @param reason omitted if the client or an error closed the connection
   * @param lingerTime milliseconds for which a client may be silent after a graceful close
   */
  close(how: CloseMethod, reason?: CloseReason, lingerTime?: number): void {
    if (!this.#advance(how)) return;
    if (reason) {
      this.#onClosing?.(this, how, reason);
      this.setCloseReason(reason);
    }
    this.end(how, lingerTime);
  }

  protected abstract end(how: CloseMethod, lingerTime?: number): void;

  /** Whether the connection is closed, or about to be because its HTTP/2 session has failed. */
  get isOver(): boolean {
    return this.isDestroyed || this.#phase === 'failed' || this.#phase === 'destroyed';
  }

  /** Why wirebin closes the connection, if it does. The client may still turn out to have closed it first. */
  get ownCloseReason(): CloseReason | undefined {
    const cause = this.#closeCause;
    return cause?.by === 'wirebin' ? cause.reason : undefined;
  }

  /** The first cause. Valid only after the connection has closed. */
  get closeCause(): CloseCause {
    return this.#closeCause ?? { by: 'client', reason: 'closed' };
  }

  /** Milliseconds since the connection was opened or its last request finished. @param now from performance.now() */
  idleFor(now: number): number {
    return this.requests.idleFor(now, false);
  }
}
