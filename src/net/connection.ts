import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { unmapAddress, type Networks } from '../http/ip-address.ts';
import type { ClientCertificates } from './client-certificates.ts';
import {
  causeFromError,
  type CloseMethod,
  type CloseReason,
  type CloseCause,
} from './close-reason.ts';
import { captureClientPreface, type CapturedPreface } from './client-preface.ts';
import { closeLingering } from './lingering-close.ts';
import type { StoredHello } from './client-hello/kept.ts';
import type { ProxyHeader } from './proxy-protocol/header.ts';

declare module 'node:net' {
  interface Socket {
    /** Not in Node's types: what libuv reads from and writes to. */
    readonly _handle?: { readonly readStop: () => void; readonly readStart: () => void } | null;
  }
}

/**
 * How a connection speaks, once its first bytes (or ALPN) have told; RFC 9113 3.1 names h2 and h2c.
 * `http/1.1` and `https/1.1` stand for all of HTTP/1.x: each request has a version of its own.
 */
export type Protocol = 'http/1.1' | 'https/1.1' | 'h2' | 'h2c';

let connectionCount = 0;

/** Bytes that are kept of a connection's first bytes, for the length of its first request. */
const MAX_FIRST_BYTES = 8 * 1024;

/** Milliseconds of silence before each keep-alive probe of a client that has closed its side. */
const PROBE_INTERVAL = 5000;

/** The ledger of one accepted TCP connection: all that wirebin knows of it, in one place. */
export class Connection {
  /** Unique: a counter in base 36, behind the number of the worker where there are several. */
  readonly id: string;
  /** The number of the process that serves it; absent where there is but one. */
  readonly worker: number | undefined;
  /** `performance.now()` at accept, in milliseconds. */
  readonly openedAt = performance.now();
  /** The client's address: the peer's, unless a PROXY header says that it speaks for another. */
  remoteAddress: string;
  remotePort: number;
  /** Of the other end of the socket, without the `::ffff:` of IPv4 on a dual-stack listener. */
  readonly peerAddress: string;
  readonly peerPort: number;
  readonly localAddress: string;
  readonly localPort: number;
  readonly socket: Socket;
  protocol: Protocol | undefined;
  /** The PROXY header that came in front of all else; absent without one. */
  proxyHeader: ProxyHeader | undefined;
  /** Whose forwarding fields are believed; absent where the client at `remoteAddress` is none of them. */
  trustedProxies: Networks | undefined;
  /** Requests received so far. */
  requests = 0;
  /** Requests received and not yet answered: streams on HTTP/2, pipelined requests on HTTP/1.1. */
  openRequests = 0;
  /** The TLS ClientHello, a long one whole until the end of the handshake; absent in clear. */
  clientHello: StoredHello | undefined;
  /** Read at the end of the handshake; absent where clients are not asked for any. */
  clientCertificates: ClientCertificates | undefined;
  /** HTTP/2: the client's first frames. */
  clientPreface: CapturedPreface | undefined;
  /** HTTP/2: the connection's flow-control window for us when the first request came, in bytes. */
  firstSendWindow: number | undefined;
  #firstBytes: Buffer | undefined;
  /** Set when the handshake is done; absent in clear. */
  tls: TLSSocket | undefined;
  /** Requests that began while another was open. */
  overlappingRequests = 0;
  /** The greatest `openRequests` so far. */
  maxOpenRequests = 0;
  /** Called by `close` when it is given a reason; absent without a trace. */
  onClosing: ((how: CloseMethod, reason: CloseReason) => void) | undefined;
  #closing: CloseMethod | undefined;
  #closeCause: CloseCause | undefined;
  #lastSeenRequests = 0;
  #idleSince = this.openedAt;

  constructor(socket: Socket, worker?: number) {
    const ordinal = (++connectionCount).toString(36);
    this.id = worker === undefined ? ordinal : `${worker}-${ordinal}`;
    this.worker = worker;
    this.socket = socket;
    this.peerAddress = unmapAddress(socket.remoteAddress ?? '');
    this.peerPort = socket.remotePort ?? 0;
    this.remoteAddress = this.peerAddress;
    this.remotePort = this.peerPort;
    this.localAddress = unmapAddress(socket.localAddress ?? '');
    this.localPort = socket.localPort ?? 0;
  }

  /** The peer speaks for another, or for itself, and says so by a PROXY header. */
  applyProxyHeader(header: ProxyHeader): void {
    this.proxyHeader = header;
    const { source } = header;
    // A path names no client on this network: then the peer stays.
    if (!source || 'path' in source) return;
    this.remoteAddress = unmapAddress(source.address);
    this.remotePort = source.port;
  }

  /** HTTP/1.x: the connection's first bytes, up to 8 KiB, until its first request is answered. */
  get firstBytes(): Buffer | undefined {
    return this.#firstBytes;
  }

  /** Keeps copies of what is told of the first bytes: Node's own may be a part of 64 KiB. */
  captureFirstBytes(protocol: 'h1' | 'h2', bytes: Buffer): void {
    if (protocol === 'h2') {
      this.clientPreface = captureClientPreface(bytes);
      return;
    }
    this.#firstBytes = Buffer.allocUnsafeSlow(Math.min(bytes.length, MAX_FIRST_BYTES));
    bytes.copy(this.#firstBytes);
  }

  requestStarted(): number {
    if (++this.openRequests > 1) this.overlappingRequests++;
    if (this.openRequests > this.maxOpenRequests) this.maxOpenRequests = this.openRequests;
    return ++this.requests;
  }

  requestFinished(): void {
    this.openRequests--;
    this.#firstBytes = undefined;
  }

  /**
   * Notes why wirebin closes, for a close by a protocol's own means, such as GOAWAY; otherwise `close`
   * does. The first reason stays, and so does a close by the client.
   */
  setCloseReason(reason: CloseReason): void {
    if (!this.clientHalfClosed) this.#closeCause ??= { by: 'wirebin', reason };
  }

  /** Whether the client will send no more. It may have gone, or wait for its responses. */
  get clientHalfClosed(): boolean {
    return (this.tls ?? this.socket).readableEnded;
  }

  /** To be told of the socket's errors. */
  setError(error: Error): void {
    this.#closeCause ??= causeFromError(error);
  }

  /**
   * Reads no more. What has come already would else be handed to the protocol within the same turn of
   * the event loop, up to 2 MiB of it. `socket.pause()` does not stop an HTTP/2 session, and on
   * HTTP/1.1 whoever reads content undoes it.
   */
  stopReading(): void {
    // oxlint-disable-next-line no-underscore-dangle -- the name is Node's
    this.socket._handle?.readStop();
  }

  /** Reads again. */
  startReading(): void {
    // oxlint-disable-next-line no-underscore-dangle -- the name is Node's
    this.socket._handle?.readStart();
  }

  /**
   * Closes the connection:
   *
   * - graceful: all that is written arrives, and what the client still sends is read off
   * - abort: at once; what the kernel has is still sent
   * - reset: at once, by RST; the kernel would else keep up to some MiB for minutes after the end of a
   *   client that reads nothing
   *
   * @param reason absent where the client, or an error, has ended it
   * @param lingerTime milliseconds in which the client has to send something after a graceful close
   */
  close(how: CloseMethod, reason?: CloseReason, lingerTime?: number): void {
    if (reason) {
      if (how !== this.#closing) this.onClosing?.(how, reason);
      this.#closing = how;
      this.setCloseReason(reason);
    }
    const stream = this.tls ?? this.socket;
    switch (how) {
      case 'graceful':
        closeLingering(stream, lingerTime);
        return;
      case 'abort':
        stream.destroy();
        return;
      case 'reset':
        // After a FIN libuv refuses to, and Node would leave the socket open.
        if (stream.writableEnded) stream.destroy();
        else this.socket.resetAndDestroy();
    }
  }

  /**
   * After the client's FIN, which may mean that it has gone, or that it waits for its response. TCP's
   * keep-alive probes get RST from one that has gone, once its system has forgotten the socket: within
   * about a minute (FIN-WAIT-2, RFC 9293 3.6).
   */
  startProbing(): void {
    this.socket.setKeepAlive(true, PROBE_INTERVAL);
  }

  /**
   * Finds the RST, of which reading does not tell after FIN, by a write of nothing. To be called at
   * intervals.
   */
  probe(): void {
    // Not by way of TLS, which would swallow it.
    if (this.clientHalfClosed && this.socket.writable) this.socket.write('');
  }

  /** How it has ended, once it has. */
  get closeCause(): CloseCause {
    return this.#closeCause ?? { by: 'client', reason: 'closed' };
  }

  /**
   * Milliseconds without a request, as far as calls at intervals can tell: the first call that finds
   * it idle says 0. A clock read for every request would cost more than all that is asked of it.
   *
   * @param now by performance.now()
   */
  idleFor(now: number): number {
    if (this.openRequests > 0 || this.requests !== this.#lastSeenRequests) {
      this.#lastSeenRequests = this.requests;
      this.#idleSince = now;
    }
    return now - this.#idleSince;
  }
}
