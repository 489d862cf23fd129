/* oxlint-disable no-underscore-dangle -- the names are Node's */
// Everything undocumented in Node that wirebin relies on, except for HTTP/2 (node-internals-http2.ts). Each part has a
// test that fails if a version of Node changes it.
import { Socket } from 'node:net';
import { TLSSocket, type SecureContext } from 'node:tls';
import type { ByteObserver } from './inspector.ts';

declare module 'node:net' {
  interface Socket {
    readonly _handle?: {
      reading: boolean;
      readonly readStop: () => void;
      readonly readStart: () => void;
      readonly writeQueueSize: number;
    } | null;
    readonly _parent?: unknown;
    /** Of a TLS socket. */
    readonly ssl?: unknown;
    _write(chunk: Buffer | string, encoding: WriteEncoding, callback: WriteCallback): void;
    _writev?(
      chunks: readonly { readonly chunk: Buffer | string; readonly encoding: WriteEncoding }[],
      callback: WriteCallback,
    ): void;
  }
  /** For bytes, Node passes `buffer`. */
  type WriteEncoding = BufferEncoding | 'buffer';
  type WriteCallback = (error?: Error | null) => void;
}

/**
 * Stops reading immediately, through libuv's handle (lib/net.js). `socket.pause()` stops neither an HTTP/2 session nor
 * what libuv reads in the current iteration of the event loop.
 */
export function stopReading(socket: Socket): void {
  const { _handle: handle } = socket;
  if (!handle) return;
  // With `reading` false, as after Node itself has stopped a full stream, the next `_read` would start the handle.
  handle.reading = true;
  handle.readStop();
}

/**
 * Reverses `stopReading`. Sets `reading`, so that Node does not start the handle a second time: that would fail, and
 * Node would destroy the socket (`tryReadStart`, lib/net.js).
 */
export function startReading(socket: Socket): void {
  const { _handle: handle } = socket;
  if (!handle) return;
  handle.reading = true;
  handle.readStart();
}

/** The TCP socket below a TLS socket (lib/internal/tls/wrap.js), for which there is no public property. */
export function tcpSocketOf({ _parent: parent }: TLSSocket): Socket | undefined {
  return parent instanceof Socket ? parent : undefined;
}

/**
 * Whether Node has freed the SSL of a TLS socket, or is about to (lib/internal/tls/wrap.js). If its TCP socket was
 * destroyed, the TLS socket still has its handle while it emits `tlsClientError` and `close`. Node 20 then crashes in
 * `getSession`, `getProtocol`, `getCipher` and `isSessionReused`, and Node 26 in `getProtocol`.
 */
export function isSslFreed({ ssl }: TLSSocket): boolean {
  return ssl === null;
}

/**
 * Whether the client has renegotiated (RFC 5246 7.4.1.1), which Node counts (`onhandshakestart`,
 * lib/internal/tls/wrap.js). Not for TLS 1.3, which has no renegotiation.
 */
export function hasRenegotiated({ ssl }: TLSSocket): boolean {
  return !isObject(ssl) || ssl['handshakes'] !== 0;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/**
 * An SNICallback that receives the TLS socket, which Node passes as `this` (`loadSNI`, lib/internal/tls/wrap.js). It is
 * called in the handshake of a client that sends SNI, unless a session is resumed.
 */
export function sniCallback(
  contextFor: (name: string, socket: TLSSocket | undefined) => SecureContext | undefined,
) {
  return function (
    this: unknown,
    name: string,
    done: (error: null, context: SecureContext | undefined) => void,
  ): void {
    done(null, contextFor(name, this instanceof TLSSocket ? this : undefined));
  };
}

/**
 * Keeps Node from destroying a TCP socket together with its TLS socket (lib/internal/tls/wrap.js).
 *
 * @returns a function that destroys the socket
 */
export function suspendDestroy(socket: Socket): () => void {
  const destroy = socket.destroy.bind(socket);
  socket.destroy = () => socket;
  return () => {
    socket.destroy = destroy;
    socket.destroy();
  };
}

/**
 * Number of bytes queued natively. After an HTTP/2 session is detached, do not write to its TLS socket until this is 0
 * in a later iteration of the event loop (`setImmediate`): the process might abort (`TLSWrap::DoWrite`).
 */
export function queuedBytes(socket: Socket): number {
  return socket._handle?.writeQueueSize ?? 0;
}

/**
 * Passes the bytes of a socket to an observer. Node pushes received bytes (`onStreamRead`,
 * lib/internal/stream_base_commons.js), and sends through `_write`, `_writev` and `_final` (lib/net.js). Bytes that a
 * native engine reads or writes bypass these methods: see `JavaScriptSocket`.
 */
export function observeSocket(socket: Socket, observer: ByteObserver): void {
  const push = socket.push.bind(socket);
  const write = socket._write.bind(socket);
  const writev = socket._writev?.bind(socket);
  const final = socket._final.bind(socket);
  socket.push = (chunk: Buffer | null, encoding) => {
    if (chunk === null) observer.receivedEnd();
    else observer.received(chunk);
    return push(chunk, encoding);
  };
  // Writes the encoded bytes instead of a string, which Node would encode again.
  socket._write = (chunk, encoding, callback) => {
    const bytes = chunkBytes(chunk, encoding);
    observer.sent(bytes);
    write(bytes, 'buffer', callback);
  };
  socket._writev = (chunks, callback) => {
    const encoded = chunks.map(({ chunk, encoding }) => chunkBytes(chunk, encoding));
    for (const bytes of encoded) observer.sent(bytes);
    writev?.(
      encoded.map((chunk) => ({ chunk, encoding: 'buffer' })),
      callback,
    );
  };
  socket._final = (callback) => {
    observer.sentEnd();
    final(callback);
  };
}

function chunkBytes(chunk: Buffer | string, encoding: BufferEncoding | 'buffer'): Buffer {
  if (typeof chunk !== 'string') return chunk;
  return Buffer.from(chunk, encoding === 'buffer' ? 'utf8' : encoding);
}

/** Call after passing a socket without a handle to a TLS server, which waits for `connect`. */
export function emitConnect(socket: Socket): void {
  socket.emit('connect');
}
