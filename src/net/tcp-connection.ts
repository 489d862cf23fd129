import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { unmapAddress } from '../http/ip-address.ts';
import type { ClientCertificates } from './client-certificates.ts';
import type { CloseMethod } from './close-reason.ts';
import { Connection, type ClosingListener, type Origin } from './connection.ts';
import { closeLingering, closeTruncated } from './lingering-close.ts';
import { NodeTls } from './negotiated-tls.ts';
import { queuedBytes } from './node-internals.ts';
import { ReadGate, type HoldReason } from './read-gate.ts';

/** Milliseconds between TCP keep-alive probes of a client that has half-closed the connection. */
const PROBE_INTERVAL = 5000;

/** Handlers by detected protocol. Each gets a connection and its first bytes, which are back in the socket. */
export type ProtocolHandlers<Name extends string> = Readonly<
  Record<Name, { accept(connection: TcpConnection, first: Buffer): void }>
>;

/** An accepted TCP connection, its socket, and TLS on it. */
export class TcpConnection extends Connection {
  readonly socket: Socket;
  readonly #gate: ReadGate;
  #tlsSocket: TLSSocket | undefined;
  #tls: NodeTls | undefined;

  /** @param onClosing called by `close()` if it has a reason */
  constructor(socket: Socket, origin?: Origin, onClosing?: ClosingListener) {
    const addresses = {
      peerAddress: unmapAddress(socket.remoteAddress ?? ''),
      peerPort: socket.remotePort ?? 0,
      localAddress: unmapAddress(socket.localAddress ?? ''),
      localPort: socket.localPort ?? 0,
    };
    super(addresses, origin, onClosing);
    this.socket = socket;
    this.#gate = new ReadGate(socket);
  }

  get tls(): NodeTls | undefined {
    return this.#tls;
  }

  /** Call at the end of the handshake. @param certificates undefined if none are requested */
  secured(socket: TLSSocket, certificates: ClientCertificates | undefined): void {
    this.#tlsSocket = socket;
    this.#tls = new NodeTls(socket, certificates);
    this.handshakeCompleted();
  }

  get bytesReceived(): number {
    return this.socket.bytesRead;
  }

  get bytesSent(): number {
    return this.socket.bytesWritten;
  }

  /** The TLS socket, or the TCP socket without TLS. */
  get stream(): Socket {
    return this.#tlsSocket ?? this.socket;
  }

  /**
   * A number that changes whenever the system has taken more bytes to send, even within a large write, which Node
   * counts only as a whole. Not a byte count: without TLS, the pending part of a write is subtracted twice.
   */
  get writeProgress(): number {
    const { socket } = this;
    return socket.bytesWritten - socket.writableLength - queuedBytes(socket);
  }

  /** Whether the client may be gone: it has sent FIN, or might have while the socket was not being read. */
  get mayBeGone(): boolean {
    return this.clientHalfClosed || !this.#gate.isOpen;
  }

  /** Whether the client has sent FIN. It may have disconnected, or may be waiting for responses. */
  get clientHalfClosed(): boolean {
    return this.stream.readableEnded;
  }

  /** Stops reading until all reasons are released. Unless this is only a turn, probes for a client that is gone. */
  holdReading(reason: HoldReason): void {
    this.#gate.hold(reason);
    if (reason !== 'turn') this.enableKeepAlive();
  }

  isReadingHeld(reason: HoldReason): boolean {
    return this.#gate.isHeld(reason);
  }

  releaseReading(reason: HoldReason): void {
    this.#gate.release(reason);
  }

  /** Releases all reasons, because another protocol takes the socket over. */
  releaseAllReading(): void {
    this.#gate.open();
  }

  protected override end(how: CloseMethod, lingerTime?: number): void {
    const { stream } = this;
    switch (how) {
      case 'graceful':
        closeLingering(stream, lingerTime);
        return;
      case 'truncate':
        closeTruncated(stream, this.socket, lingerTime);
        return;
      case 'abort':
        stream.destroy();
        return;
      case 'reset':
        // After FIN, libuv refuses to reset, and Node would leave the socket open.
        if (stream.writableEnded) stream.destroy();
        else this.socket.resetAndDestroy();
    }
  }

  /**
   * Enables TCP keep-alive probes. Call after the client's FIN, which means that it has disconnected or is waiting for
   * its response, and when the socket is not read, so that FIN would go unnoticed. The system of a client that has
   * disconnected replies with RST once it has dropped the socket, within about a minute (FIN-WAIT-2, RFC 9293 3.6).
   */
  enableKeepAlive(): void {
    this.socket.setKeepAlive(true, PROBE_INTERVAL);
  }

  /**
   * Makes an empty write to detect an RST that neither reading nor writing reports. Call at intervals. Does nothing
   * while the system has yet to take earlier bytes: their write itself fails after an RST.
   */
  detectReset(): void {
    const { socket } = this;
    // Over TLS, Node would mistake the end of an empty write that was queued for the end of the TLS socket's next write,
    // and reuse memory whose bytes the system has yet to take (`TLSWrap::OnStreamAfterWrite`).
    if (!socket.writable || queuedBytes(socket) > 0) return;
    // The TLSSocket would ignore an empty write.
    socket.write('');
  }

  protected get isDestroyed(): boolean {
    return this.socket.destroyed;
  }

  override idleFor(now: number): number {
    // A connection that waits for its turn may have sent a request that has not been read yet.
    return this.requests.idleFor(now, this.isReadingHeld('turn'));
  }
}
