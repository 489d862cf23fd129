/* oxlint-disable no-underscore-dangle -- the names are Node's */
// Everything that wirebin relies on in Node beyond its documentation. Each part has a test that fails if a version of
// Node changes it.
import type { Server, ServerResponse } from 'node:http';
import type {
  Http2Server,
  Http2Session,
  Http2Stream,
  ServerHttp2Session,
  ServerHttp2Stream,
} from 'node:http2';
import { Socket, type Server as NetServer } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { FieldLines } from '../http/fields.ts';
import type { ByteObserver } from './inspector.ts';

declare module 'node:net' {
  interface Socket {
    readonly _handle?: {
      readonly readStop: () => void;
      readonly readStart: () => void;
      readonly writeQueueSize: number;
    } | null;
    readonly _parent?: unknown;
    readonly _paused?: boolean;
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

/** Reverses `stopReading`. */
export function startReading(socket: Socket): void {
  socket._handle?.readStart();
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

/** Passes a connection to the server. @returns the session, created synchronously (lib/internal/http2/core.js) */
export function acceptSession(server: Http2Server, socket: Duplex): ServerHttp2Session | undefined {
  let accepted: ServerHttp2Session | undefined;
  const onSession = (session: ServerHttp2Session): void => {
    accepted = session;
  };
  server.once('session', onSession);
  server.emit('connection', socket);
  server.off('session', onSession);
  return accepted;
}

/** Calls the listener with a stream's trailers as sent, which are an undocumented third argument: `rawTrailers`. */
export function onTrailers(stream: ServerHttp2Stream, listener: (lines: FieldLines) => void): void {
  stream.once('trailers', (_fields: unknown, _flags: number, lines: FieldLines) => listener(lines));
}

/**
 * Defers `session.destroy` until nghttp2 has processed all bytes that it was called with. Node and wirebin may destroy
 * a session from an nghttp2 callback, at a GOAWAY or when a stream is closed. Further frames in the same bytes could
 * then abort the process (nghttp2/nghttp2#2509, nodejs/node#38964, nodejs/node#64850).
 *
 * @param before called with the error before the session is destroyed, while its state is available
 * @param defer calls a function later
 * @returns a function that destroys the session immediately
 */
export function deferDestroy(
  session: Http2Session,
  before?: (error?: Error) => void,
  defer: (call: () => void) => void = setImmediate,
): (error?: Error) => void {
  const destroy = session.destroy.bind(session);
  const destroyNow: typeof destroy = (error, code) => {
    before?.(error);
    destroy(error, code);
  };
  session.destroy = (error, code) => defer(() => destroyNow(error, code));
  return destroyNow;
}

/**
 * Removes all references of a session to its connection after it was closed. A native session owns its unacknowledged
 * SETTINGS, and those refer to the session. Anything that refers to the native session, such as the stack of an error,
 * would close a cycle through native memory, which is never collected.
 */
export function releaseOnceClosed(session: Http2Session): void {
  session.once('close', () => {
    session.removeAllListeners().on('error', ignore);
    // The method set by `deferDestroy`.
    Reflect.deleteProperty(session, 'destroy');
  });
}

/**
 * Keeps a native session alive until its streams were collected, except complete ones that cannot have had trailers.
 * Node frees a native stream in a later iteration of the event loop than that of its end. If its bytes are being
 * written, it leaves the stream to the garbage collector, together with the fields of incomplete or refused trailers.
 * Those are memory of the session, which ends the process if it is collected first (`Http2Session::~Http2Session`;
 * compare nodejs/node#35233).
 *
 * @returns a function to call with each stream that was closed
 */
export function outliveStreams(session: Http2Session): (stream: Http2Stream) => void {
  const native = nativeHandle(session);
  let witness: object | undefined;
  return (stream) => {
    if (stream.endAfterHeaders && stream.writableFinished) return;
    if (!witness) {
      witness = {};
      witnesses.register(witness, native);
    }
    // A native stream refers to its JavaScript object, so it is not collected later than that.
    Reflect.set(stream, WITNESS, witness);
  };
}

/** Property of streams: an object to which all streams of a session refer, collected with the last of them. */
const WITNESS = Symbol('witness');

/** Holds native sessions until the witness of their streams was collected. */
const witnesses = new FinalizationRegistry<unknown>(ignore);

/** Native objects of node:http2. Node stores them under a symbol (`lib/internal/http2/core.js`). */
type NativeSession = {
  destroy(code: number, isSocketClosed: boolean): void;
  ondone?: () => void;
  ping(payload: undefined, callback: (ack: boolean) => void): boolean;
};
interface NativeStream {
  rstStream: (this: NativeStream, code: number) => void;
  respond(fields: [block: string, count: number], options: number): number;
}

function nativeHandle(owner: object): unknown {
  return symbolProperty(owner, 'kHandle');
}

/** The value of a property whose key is a symbol of Node. */
function symbolProperty(object: object, description: string): unknown {
  const symbol = Object.getOwnPropertySymbols(object).find(
    (each) => each.description === description,
  );
  return symbol && Reflect.get(object, symbol);
}

function isNativeSession(handle: unknown): handle is NativeSession {
  return typeof handle === 'object' && handle !== null && 'consume' in handle;
}

function isNativeStream(handle: unknown): handle is NativeStream {
  return typeof handle === 'object' && handle !== null && 'rstStream' in handle;
}

/**
 * Sends a PING, even on a closing session, on which `session.ping` sends none, but reports a missing acknowledgement.
 *
 * @returns false if it was not sent, because the session has ended, or too many PINGs are unacknowledged
 */
export function pingSession(session: Http2Session): boolean {
  const handle = nativeHandle(session);
  return isNativeSession(handle) && handle.ping(undefined, ignore);
}

/**
 * Destroys a session without GOAWAY, and leaves its socket open, which JavaScript then reads and writes. Bytes that the
 * session had to send are dropped, but a write may still be in progress: see `queuedBytes`. Must not be called from an
 * nghttp2 callback.
 *
 * The native session is destroyed first, with its socket marked as closed, so that it sends nothing: its streams, if
 * destroyed first, would send RST_STREAM. Node ends the socket unless `destroyed` is true (`finishSessionClose`,
 * lib/internal/http2/core.js).
 *
 * @param destroy destroys the session
 */
export function detachSession(
  session: ServerHttp2Session,
  socket: Socket,
  destroy: () => void,
): void {
  const native = nativeHandle(session);
  if (!isNativeSession(native)) return;
  detachedSessions.add(native);
  socket.once('close', () => detachedSessions.delete(native));
  native.destroy(0, true);
  Object.defineProperty(socket, 'destroyed', { configurable: true, value: true });
  destroy();
  native.ondone?.();
  Reflect.deleteProperty(socket, 'destroyed');
}

/**
 * Native sessions whose socket is open. They are kept here because a write in progress uses their memory. A reference
 * from the socket would keep a session with unacknowledged SETTINGS forever, because those refer to the socket.
 */
const detachedSessions = new Set<NativeSession>();

/**
 * Number of bytes that are queued natively. A TLS socket must not be written before there are none in a later iteration
 * (`setImmediate`): the process may abort (`TLSWrap::DoWrite`).
 */
export function queuedBytes(socket: Socket): number {
  return socket._handle?.writeQueueSize ?? 0;
}

/** Sends RST_STREAM. `stream.close` would end the response first, with END_STREAM (lib/internal/http2/core.js). */
export function resetStream(stream: ServerHttp2Stream, code: number): void {
  const native = nativeHandle(stream);
  if (isNativeStream(native)) native.rstStream(code);
}

/**
 * Makes `rstStream` of all native streams ignore streams without owner in JavaScript. `onSessionHeaders`
 * (lib/internal/http2/core.js) refuses a new stream of a closed session by it, from an nghttp2 callback: Node then
 * sends the queued GOAWAY, and nghttp2 frees the stream that it is reading (nodejs/node#64113, CVE-2026-56848). The
 * GOAWAY refuses that stream, too (RFC 9113 6.8).
 *
 * @param any a stream of any session
 */
export function keepRefusedStreams(any: Http2Stream): void {
  const native: unknown = Object.getPrototypeOf(nativeHandle(any));
  if (!isNativeStream(native)) return;
  const { rstStream } = native;
  native.rstStream = function rstStreamOfOwner(this: NativeStream, code) {
    if (symbolProperty(this, 'owner_symbol') !== undefined) rstStream.call(this, code);
  };
}

/** Responds with any fields in their order. `stream.respond` rejects what RFC 9113 8.2 and 8.3 forbid. */
export function respondVerbatim(
  stream: ServerHttp2Stream,
  fields: readonly (readonly [name: string, value: string])[],
): void {
  const native = nativeHandle(stream);
  if (!isNativeStream(native)) return;
  const respond = native.respond.bind(native);
  // Each field is name, value and flags.
  const block = fields.map(([name, value]) => `${name}\0${value}\0\0`).join('');
  native.respond = (_, options) => respond([block, fields.length], options);
  stream.respond();
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
 * Detaches Node's HTTP/1 parser from a socket, whose bytes are then left to the caller, like Node does before `upgrade`
 * (`onParserExecuteCommon`, lib/_http_server.js). With a listener for that event, Node would emit it for every request
 * with Upgrade. Must not be called while the parser is running.
 */
export function detachParser(socket: Socket): void {
  // Has Node detach the parser from the handle.
  parseInJavaScript(socket, () => undefined);
  socket.removeAllListeners('data');
  for (const listener of socket.listeners('end')) {
    if (isListener(listener) && listener.name === 'bound socketOnEnd') socket.off('end', listener);
  }
}

function isListener(listener: unknown): listener is () => void {
  return typeof listener === 'function';
}

/** Call after a socket without handle was passed to a TLS server, which waits for `connect`. */
export function emitConnect(socket: Socket): void {
  socket.emit('connect');
}

function ignore(): void {}
