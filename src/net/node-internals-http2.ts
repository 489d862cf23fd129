// Everything undocumented in node:http2 that wirebin relies on. Each part has a test that fails if a version of Node
// changes it.
import type {
  Http2Server,
  Http2Session,
  Http2Stream,
  ServerHttp2Session,
  ServerHttp2Stream,
} from 'node:http2';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { FieldLines } from '../http/fields.ts';
import { createServer as createHttp1Server } from './node-http.ts';

declare module 'node:http2' {
  interface ServerStreamResponseOptions {
    /** Whether Node adds Date. */
    sendDate?: boolean;
  }
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

/** Calls the listener with a stream's trailers as sent: an undocumented third argument, `rawTrailers`. */
export function onTrailers(stream: ServerHttp2Stream, listener: (lines: FieldLines) => void): void {
  stream.once('trailers', (_fields: unknown, _flags: number, lines: FieldLines) => listener(lines));
}

/**
 * Defers `session.destroy` until nghttp2 has processed all bytes that it was given. Node and wirebin may destroy a
 * session from an nghttp2 callback, at a GOAWAY or when a stream closes. Further frames in the same bytes could then
 * abort the process (nghttp2/nghttp2#2509, nodejs/node#38964, nodejs/node#64850).
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
 * Removes all references from a session to its connection once it has closed. The native session owns its
 * unacknowledged SETTINGS, which refer to the session object. If that in turn refers to the native session, for example
 * through the stack of an error, the cycle passes through native memory and is never collected.
 */
export function releaseOnceClosed(session: Http2Session): void {
  session.once('close', () => {
    session.removeAllListeners().on('error', ignore);
    // The method set by `deferDestroy`.
    Reflect.deleteProperty(session, 'destroy');
  });
}

/**
 * Keeps a native session alive until its streams have been garbage-collected, except complete streams that cannot have
 * had trailers. Node frees a native stream in a later iteration of the event loop than the one in which it ends. If a
 * write of its bytes is in progress, Node leaves the stream to the garbage collector, together with the fields of
 * incomplete or refused trailers. These fields are memory of the session, which ends the process if it is collected
 * first (`Http2Session::~Http2Session`; compare nodejs/node#35233).
 *
 * @returns a function to call with each stream that has closed
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
    // A native stream holds a reference to its JavaScript object, so it is collected no later than that.
    Reflect.set(stream, WITNESS, witness);
  };
}

/** Property of streams. All streams of a session share its value, which is collected with the last of them. */
const WITNESS = Symbol('witness');

/** Holds each native session until the witness of its streams has been collected. */
const witnesses = new FinalizationRegistry<unknown>(ignore);

/** Native objects of node:http2. Node stores them under a symbol (`lib/internal/http2/core.js`). */
type NativeSession = {
  destroy(code: number, isSocketClosed: boolean): void;
  ondone?: () => void;
  ping(payload: undefined, callback: (ack: boolean) => void): boolean;
  receive(bytes: Buffer): void;
};
interface NativeStream {
  rstStream: (this: NativeStream, code: number) => void;
  respond: (this: NativeStream, fields: FieldBlock, options: number) => number;
}

function nativeHandle(owner: object): unknown {
  return symbolProperty(owner, 'kHandle');
}

/** The value of a property whose key is a symbol private to Node. */
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
 * Sends a PING, even on a closing session, where `session.ping` sends none and reports a missing acknowledgement.
 *
 * @returns false if it was not sent, because the session has ended, or too many PINGs are unacknowledged
 */
export function pingSession(session: Http2Session): boolean {
  const handle = nativeHandle(session);
  return isNativeSession(handle) && handle.ping(undefined, ignore);
}

/**
 * Destroys a session without sending GOAWAY, and leaves its socket open for JavaScript to read and write. Bytes that
 * the session had to send are dropped, but a write may still be in progress: see `queuedBytes`. Must not be called from
 * an nghttp2 callback.
 *
 * The native session is destroyed first, with its socket marked as closed, so that it sends nothing. If its streams
 * were destroyed first, they would send RST_STREAM. Node ends the socket unless `destroyed` is true
 * (`finishSessionClose`, lib/internal/http2/core.js).
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
 * Detached native sessions whose socket is open, kept alive because a write in progress uses their memory. A reference
 * from the socket would keep a session with unacknowledged SETTINGS forever, because those refer to the socket.
 */
const detachedSessions = new Set<NativeSession>();

/** Sends RST_STREAM. `stream.close` would end the response first, with END_STREAM (lib/internal/http2/core.js). */
export function resetStream(stream: ServerHttp2Stream, code: number): void {
  const native = nativeHandle(stream);
  if (isNativeStream(native)) native.rstStream(code);
}

/**
 * Makes `rstStream` of all native streams ignore streams without an owner in JavaScript. `onSessionHeaders`
 * (lib/internal/http2/core.js) uses it to refuse a new stream of a closed session from an nghttp2 callback: Node then
 * sends the queued GOAWAY, and nghttp2 frees the stream that it is reading (nodejs/node#64113, CVE-2026-56848). The
 * GOAWAY already refuses that stream (RFC 9113 6.8).
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

/** Fields in nghttp2's form, and their number. Each is name, NUL, value, NUL and a character of flags. */
export type FieldBlock = readonly [block: string, count: number];

/** Fields to send in the current call of `respond` instead of those that Node made; undefined to send Node's. */
let responseBlock: FieldBlock | undefined;
let takesBlocks = false;

/** Makes `respond` of all native streams send `responseBlock` if it is set. @param any a stream of any session */
function takeBlocks(any: Http2Stream): void {
  takesBlocks = true;
  const native: unknown = Object.getPrototypeOf(nativeHandle(any));
  if (!isNativeStream(native)) return;
  const { respond } = native;
  native.respond = function respondWithGivenBlock(this: NativeStream, fields, options) {
    return respond.call(this, responseBlock ?? fields, options);
  };
}

/** Responds with fields that Node does not check. @param status also contained in the block */
export function respondWithBlock(
  stream: ServerHttp2Stream,
  block: FieldBlock,
  status: number,
  endStream: boolean,
): void {
  if (!takesBlocks) takeBlocks(stream);
  responseBlock = block;
  try {
    stream.respond({ ':status': status }, { endStream, sendDate: false });
  } finally {
    responseBlock = undefined;
  }
}

/** Responds with any fields, in the given order. `stream.respond` rejects what RFC 9113 8.2 and 8.3 forbid. */
export function respondVerbatim(
  stream: ServerHttp2Stream,
  fields: readonly (readonly [name: string, value: string])[],
): void {
  const block = fields.map(([name, value]) => `${name}\0${value}\0\0`).join('');
  respondWithBlock(stream, [block, fields.length], 200, false);
}

/**
 * Passes what a session receives to a function, before the session gets it. A session reads its socket natively, and
 * displaces all earlier readers. Node's native HTTP/1 parser can displace the session in turn, and be removed again
 * (`consume`, `unconsume`, src/node_http_parser.cc). It fails to parse the bytes, but provides them.
 *
 * @param observe returns false when it needs no more bytes; the session then reads natively again
 */
export function observeReceived(
  session: Http2Session,
  socket: Socket,
  observe: (bytes: Buffer) => boolean,
): void {
  const { _handle: handle } = socket;
  if (!handle) return;
  const parser = createParser((bytes) => {
    if (!observe(bytes)) release();
    const native = nativeHandle(session);
    if (isNativeSession(native)) native.receive(bytes);
  });
  const release = (): void => {
    socket.off('close', release);
    parser.unconsume();
    // Deferred, because closing frees the parser, which may have made this call.
    setImmediate(() => parser.close());
  };
  socket.once('close', release);
  parser.consume(handle);
}

interface NativeParser {
  initialize(type: number, asyncResource: object): void;
  consume(handle: object): void;
  unconsume(): void;
  getCurrentBuffer(): Buffer;
  close(): void;
}
type NativeParserClass = (new () => NativeParser) & {
  readonly REQUEST: number;
  /** Key of the method that is called after each read. */
  readonly kOnExecute: number;
};

let parserClass: NativeParserClass | undefined;

/** Creates a native HTTP/1 parser. @param onRead called with the bytes of each read */
function createParser(onRead: (bytes: Buffer) => void): NativeParser {
  const Parser = (parserClass ??= findParserClass());
  const parser = new Parser();
  parser.initialize(Parser.REQUEST, {});
  Reflect.set(parser, Parser.kOnExecute, () => onRead(parser.getCurrentBuffer()));
  return parser;
}

/** Native parsers can be reached only through a connection. The one made here leads nowhere. */
function findParserClass(): NativeParserClass {
  const socket = new Duplex({ read: ignore, write: (_chunk, _encoding, written) => written() });
  createHttp1Server().emit('connection', socket);
  const parser: unknown = Reflect.get(socket, 'parser');
  const found: unknown = parser?.constructor;
  socket.destroy();
  /* v8 ignore next -- only another version of Node could have none */
  if (!isNativeParserClass(found)) throw new Error('node:http has no native parser');
  return found;
}

function isNativeParserClass(found: unknown): found is NativeParserClass {
  return typeof found === 'function' && 'kOnExecute' in found && 'consume' in found.prototype;
}

function ignore(): void {}
