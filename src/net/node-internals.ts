/* oxlint-disable no-underscore-dangle -- the names are Node's */
// Everything that wirebin relies on in Node beyond its documentation, but for HTTP/2 (node-internals-http2.ts). Each part
// has a test that fails if a version of Node changes it.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Socket, type Server as NetServer } from 'node:net';
import type { TLSSocket } from 'node:tls';
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
    _paused?: boolean;
    /** Node's HTTP/1 parser. */
    readonly parser?: object | null;
    /** The HTTP/1 server that the socket was handed to. */
    readonly server?: Server;
    _write(chunk: Buffer | string, encoding: WriteEncoding, callback: WriteCallback): void;
    _writev?(
      chunks: readonly { readonly chunk: Buffer | string; readonly encoding: WriteEncoding }[],
      callback: WriteCallback,
    ): void;
  }
  /** Node passes `buffer` for bytes. */
  type WriteEncoding = BufferEncoding | 'buffer';
  type WriteCallback = (error?: Error | null) => void;
}

declare module 'node:http' {
  interface Server {
    httpAllowHalfOpen: boolean;
  }
  interface ServerResponse {
    _header: string | null;
    readonly _writeRaw: (text: string, encoding: BufferEncoding) => boolean;
  }
}

/**
 * Stops reading immediately, by libuv's handle (lib/net.js). `socket.pause()` does not stop an HTTP/2 session, and on
 * HTTP/1.1 reading content resumes the socket.
 */
export function stopReading(socket: Socket): void {
  socket._handle?.readStop();
}

/** Reverses `stopReading`. An error of a second start, by Node, would destroy the socket (`tryReadStart`, lib/net.js). */
export function startReading(socket: Socket): void {
  const { _handle: handle } = socket;
  if (!handle) return;
  handle.reading = true;
  handle.readStart();
}

/** Resumes a socket unless Node's HTTP/1.1 server has paused it: `socketOnData` would fail an assertion, fatally. */
export function resumeUnlessPaused(socket: Socket): void {
  if (socket._paused !== true) socket.resume();
}

/** The TCP socket below a TLS socket (lib/internal/tls/wrap.js), for which there is no public property. */
export function tcpSocketOf({ _parent: parent }: TLSSocket): Socket | undefined {
  return parent instanceof Socket ? parent : undefined;
}

/**
 * Keeps Node from destroying a socket. Node destroys the TCP socket together with its TLS socket
 * (lib/internal/tls/wrap.js).
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

/** Replaces Node's destroy after the last HTTP/1 response of a connection (`resOnFinish`, lib/_http_server.js). */
export function onLastResponse(socket: Socket, close: () => void): void {
  socket.destroySoon = close;
}

/** Keeps a client's FIN from aborting the HTTP/1 response (`socketOnEnd`, lib/_http_server.js). */
export function allowHalfOpen(server: Pick<Server, 'httpAllowHalfOpen'>): void {
  server.httpAllowHalfOpen = true;
}

/** Starts the timeout checks of a server that does not listen (nodejs/node#48611). */
export function startTimeoutChecks(server: NetServer): void {
  server.emit('listening');
}

/**
 * The parsers of the connections on which a message has begun to arrive, and is not complete. Node uses the
 * list for its time limits (`checkConnections`, lib/_http_server.js).
 *
 * @param server for which `startTimeoutChecks` was called
 */
export function activeParsers(server: NetServer): readonly object[] {
  for (const key of Object.getOwnPropertySymbols(server)) {
    if (key.description !== 'http.server.connections') continue;
    const list: unknown = Reflect.get(server, key);
    if (hasActive(list)) return list.active();
  }
  return [];
}

function hasActive(list: unknown): list is { active(): object[] } {
  return typeof list === 'object' && list !== null && 'active' in list;
}

/** Sets the header section, which Node sends with the first bytes of content (lib/_http_outgoing.js). */
export function setHeaderSection(response: ServerResponse, section: string): void {
  response._header = section;
}

/**
 * Writes an interim response. Like `writeContinue` (lib/_http_server.js), it is queued while earlier responses are
 * incomplete. Only Node 24 and later can write all statuses.
 *
 * @param text one character per byte
 */
export function writeBeforeHeaderSection(response: ServerResponse, text: string): void {
  response._writeRaw(text, 'latin1');
}

/**
 * Makes Node treat a response as ended, whose bytes are written to the socket directly. The caller has to emit
 * `finish`, at which Node continues with the next request (lib/_http_outgoing.js).
 */
export function setEnded(response: ServerResponse): void {
  response.finished = true;
}

/**
 * Number of bytes that are queued natively. A TLS socket must not be written before there are none in a later iteration
 * (`setImmediate`): the process may abort (`TLSWrap::DoWrite`).
 */
export function queuedBytes(socket: Socket): number {
  return socket._handle?.writeQueueSize ?? 0;
}

/**
 * Passes the bytes of a socket to an observer. Node pushes received bytes (`onStreamRead`,
 * lib/internal/stream_base_commons.js), and sends by `_write`, `_writev` and `_final` (lib/net.js). Bytes that a native
 * engine reads or writes do not come this way: see `JavaScriptSocket`.
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
  // Writes the encoded bytes in place of a string, because Node would encode it again.
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

/**
 * Makes Node parse HTTP/1 in JavaScript, where `observeSocket` sees the bytes: because of a listener for data, Node
 * detaches its parser from the socket's handle (`unconsume`, lib/_http_server.js).
 *
 * @param onParsed called after Node has parsed a piece
 */
export function parseInJavaScript(socket: Socket, onParsed: (bytes: Buffer) => void): void {
  socket.on('data', onParsed);
}

/**
 * Has Node leave a socket to the caller after the request with Upgrade that it is parsing, as it does before `upgrade`
 * (`onParserExecuteCommon`, lib/_http_server.js). The bytes after the request stay in the stream, until that is read.
 * Must be called while Node emits the request, which must have no content.
 */
export function takeOverAfterRequest(incoming: IncomingMessage): void {
  const { socket } = incoming;
  const taken = (_request: unknown, _socket: unknown, ahead: Buffer): void => {
    socket.removeAllListeners('data');
    // Node no longer resumes the socket when responses to earlier requests were sent.
    socket._paused = false;
    // Nor does it start to read again what it has stopped for unread content of an earlier request (`onSocketResume`).
    if (socket._handle?.reading === false) startReading(socket);
    if (ahead.length > 0) socket.unshift(ahead);
  };
  // Node reads it once, right before it emits `upgrade`. A listener that is added earlier, or stays, would get the
  // requests of other connections, too.
  Object.defineProperty(incoming, 'upgrade', {
    get: () => {
      socket.server?.once('upgrade', taken);
      return true;
    },
  });
}

/** The bytes that Node's HTTP/1 parser is reading. Empty unless it is called while Node emits the request in them. */
export function bytesBeingParsed({ parser }: Socket): Buffer {
  return hasBuffer(parser) ? parser.getCurrentBuffer() : Buffer.alloc(0);
}

function hasBuffer(parser?: object | null): parser is { getCurrentBuffer(): Buffer } {
  return parser !== null && parser !== undefined && 'getCurrentBuffer' in parser;
}

/** Whether Node parses what arrives on a socket as HTTP/1. */
export function isParsed({ parser }: Socket): boolean {
  return parser !== null && parser !== undefined;
}

/** Call after a socket without handle was passed to a TLS server, which waits for `connect`. */
export function emitConnect(socket: Socket): void {
  socket.emit('connect');
}
