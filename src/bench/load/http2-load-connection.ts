import { constants } from 'node:http2';
import { onEnd, type Opened } from '../../check/client/connect.ts';
import {
  DEFAULT_MAX_FRAME_SIZE,
  DEFAULT_WINDOW,
  Flag,
  FrameType,
  MAX_STREAM,
  MAX_WINDOW,
  PREFACE,
  SettingId,
  uint32,
} from '../../wire/http2/frame.ts';
import { settingsPayload, type Setting } from '../../wire/http2/frame-payload.ts';
import { errorCodeName } from '../../wire/http2/names.ts';
import { FrameReader, type FrameSink } from './http2-frame-reader.ts';
import { Http2Heads } from './http2-heads.ts';
import { Http2LoadStream } from './http2-load-stream.ts';
import { Http2Output } from './http2-output.ts';
import { Http2Uploads } from './http2-uploads.ts';
import { Http2WebSocket, type WebSocketOwner } from './http2-web-socket.ts';
import type { Input } from './input.ts';
import {
  CLOSED,
  REFUSED,
  RESET,
  type Done,
  type LoadConnection,
  type Pending,
  type PreparedRequest,
} from './load-connection.ts';

/** Windows are so large that the server hardly ever waits; WINDOW_UPDATE renews them when half is used. */
const HALF_WINDOW = (MAX_WINDOW + 1) / 2;
/** Streams until SETTINGS_MAX_CONCURRENT_STREAMS has arrived: its recommended minimum (RFC 9113 6.5.2). */
const ASSUMED_STREAMS = 100;
/** Bytes of frames that a server does not read, although its own ask for more. */
const MAX_UNREAD_REPLIES = 1024 * 1024;
/** Number of streams whose late frames are not taken for an error. */
const MAX_CANCELLED = 10_000;
/** SETTINGS_MAX_FRAME_SIZE is less (RFC 9113 6.5.2). */
const MAX_FRAME_SIZE_END = 2 ** 24;
/** Failures of a connection, and so of all its requests. */
const MALFORMED_FRAME = 'malformed frame';
const FLOOD = 'too many control frames';

const SETTINGS = settingsPayload([
  [SettingId.enablePush, 0],
  [SettingId.initialWindowSize, MAX_WINDOW],
]);

/** An HTTP/2 connection that carries one request on each of its streams, by frames on its socket. */
export class Http2LoadConnection implements LoadConnection, FrameSink, WebSocketOwner {
  readonly #opened: Opened;
  readonly #output: Http2Output;
  readonly #uploads: Http2Uploads;
  readonly #reader = new FrameReader(this);
  readonly #heads = new Http2Heads();
  /** Open streams by identifier. */
  readonly #streams = new Map<number, Http2LoadStream>();
  /** Requests that wait until the server allows another stream. */
  #waiting: Http2LoadStream[] = [];
  /** Streams that were reset here: the server may have sent frames on them before it knew (RFC 9113 5.1). */
  readonly #cancelled = new Set<number>();
  #nextStream = 1;
  #maxStreams = ASSUMED_STREAMS;
  /** Bytes received since the last WINDOW_UPDATE of the connection. */
  #received = 0;
  readsContent = false;
  #hasSettings = false;
  #allowsConnect = false;
  /** WebSockets on which no message is on its way; some may have ended since. */
  readonly #idle: Http2WebSocket[] = [];
  /** Number of pieces of any size that have arrived. */
  #pieces = 0;
  #isOpen = true;
  #closed = CLOSED;
  #isReceiving = false;

  constructor(opened: Opened, input: Input) {
    const { stream } = opened;
    this.#opened = opened;
    this.#output = new Http2Output(stream);
    this.#uploads = new Http2Uploads(this.#output);
    this.#output.bytes(PREFACE);
    this.#output.frame(FrameType.settings, 0, 0, SETTINGS);
    this.#sendWindowUpdate(0, MAX_WINDOW - DEFAULT_WINDOW);
    this.#output.flush();
    input.listen((piece) => this.#receive(piece));
    stream.on('drain', () => this.#upload());
    onEnd(
      opened,
      () => this.#end(this.#closed),
      () => {
        this.#closed = RESET;
      },
    );
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  send(prepared: PreparedRequest, done: Done): Pending {
    const { message, request } = prepared;
    const idle = message && this.#idleWebSocket();
    if (idle) {
      idle.next(done);
      return idle;
    }
    this.readsContent ||= message !== undefined || request.sha256 !== undefined;
    const stream = message
      ? new Http2WebSocket(prepared, message, this, done)
      : new Http2LoadStream(prepared, this, done);
    // Only SETTINGS tell whether a WebSocket can be opened (RFC 8441 3).
    const isKnown = this.#hasSettings || !message;
    if (isKnown && this.#streams.size < this.#maxStreams) this.#start(stream);
    else this.#waiting.push(stream);
    return stream;
  }

  abort(stream: Http2LoadStream, reason: string): void {
    if (stream.id === 0) this.#waiting = this.#waiting.filter((each) => each !== stream);
    else if (this.#streams.has(stream.id)) {
      // A connection may be dead without being closed. What was sent on it later has time left.
      if (stream.piecesBefore === this.#pieces) this.#retire();
      this.#resetStream(stream);
      this.#flush();
    }
    stream.finish(reason);
  }

  sendOn(stream: Http2LoadStream): void {
    if (stream.unsent > 0) this.#uploads.add(stream);
    if (stream.prepared.message && stream.unsent > MAX_UNREAD_REPLIES) this.#end(FLOOD);
    else this.#upload();
  }

  release(socket: Http2WebSocket): void {
    this.#idle.push(socket);
  }

  close(): void {
    this.destroy();
  }

  destroy(): void {
    this.#isOpen = false;
    this.#reader.stop();
    this.#opened.stream.destroy();
  }

  onHeaders(id: number, block: Buffer, isEnd: boolean): void {
    const head = this.#heads.read(block);
    if (!head) {
      this.onMalformed();
      return;
    }
    const stream = this.#receiving(id);
    if (!stream) return;
    const failure = stream.onHead(head, isEnd);
    if (failure !== undefined) this.abort(stream, failure);
    else if (isEnd) this.#complete(stream);
  }

  onContent(id: number, content: Buffer): void {
    this.#streams.get(id)?.onContent(content);
  }

  onData(id: number, size: number, length: number, isEnd: boolean): void {
    this.#received += size;
    if (this.#received >= HALF_WINDOW) {
      this.#sendWindowUpdate(0, this.#received);
      this.#received = 0;
    }
    const stream = this.#receiving(id);
    if (!stream) return;
    const failure = stream.onData(length);
    if (failure !== undefined) this.abort(stream, failure);
    else if (isEnd) this.#complete(stream);
    else this.#renewWindow(stream, size);
  }

  onReset(id: number, code: number): void {
    const stream = this.#streamOf(id);
    if (!stream) return;
    this.#remove(stream);
    stream.finish(
      code === constants.NGHTTP2_REFUSED_STREAM ? REFUSED : `stream reset (${errorCodeName(code)})`,
    );
  }

  onSettings(settings: readonly Setting[]): void {
    for (const { id, value } of settings) {
      if (!this.#apply(id, value)) {
        this.onMalformed();
        return;
      }
    }
    this.#hasSettings = true;
    this.#reply(FrameType.settings);
    this.#startWaiting();
    this.#uploads.send();
  }

  onPing(payload: Buffer): void {
    this.#reply(FrameType.ping, payload);
  }

  onGoaway(lastStream: number, code: number): void {
    const isError = code !== constants.NGHTTP2_NO_ERROR;
    const because = (failure: string) =>
      isError ? `${failure} (${errorCodeName(code)})` : failure;
    if (isError) this.#closed = because(CLOSED);
    this.#retire();
    const refused = [...this.#streams.values()].filter(({ id }) => id > lastStream);
    for (const stream of refused) this.#remove(stream);
    for (const stream of refused) stream.finish(because(REFUSED));
    this.#destroyIfDone();
  }

  onWindowUpdate(id: number, increment: number): void {
    if (id === 0) {
      if (increment === 0 || !this.#uploads.addWindow(increment)) this.onMalformed();
    } else {
      const stream = this.#streamOf(id);
      if (!stream) return;
      stream.window += increment;
      if (increment === 0 || stream.window > MAX_WINDOW) this.abort(stream, MALFORMED_FRAME);
    }
    this.#uploads.send();
  }

  onMalformed(): void {
    this.#end(MALFORMED_FRAME);
  }

  #receive(piece: Buffer): void {
    this.#pieces++;
    this.#isReceiving = true;
    this.#reader.read(piece);
    this.#isReceiving = false;
    this.#output.flush();
  }

  #start(stream: Http2LoadStream): void {
    if (stream.prepared.message && !this.#allowsConnect) {
      queueMicrotask(() => stream.finish('extended CONNECT is not offered'));
      return;
    }
    stream.id = this.#nextStream;
    stream.window = this.#uploads.initialWindow;
    stream.piecesBefore = this.#pieces;
    this.#nextStream += 2;
    this.#streams.set(stream.id, stream);
    this.#output.request(stream.prepared, stream.id);
    this.sendOn(stream);
    if (this.#nextStream > MAX_STREAM) this.#retire();
  }

  /** Takes no further request, and has those that wait sent elsewhere. */
  #retire(): void {
    this.#isOpen = false;
    for (const stream of this.#takeWaiting()) stream.finish(REFUSED);
  }

  /** Starts waiting requests, as far as the server allows. */
  #startWaiting(): void {
    while (this.#waiting.length > 0 && this.#streams.size < this.#maxStreams && this.isOpen) {
      const stream = this.#waiting.shift();
      if (stream) this.#start(stream);
    }
  }

  #idleWebSocket(): Http2WebSocket | undefined {
    let socket = this.#idle.pop();
    while (socket && this.#streams.get(socket.id) !== socket) socket = this.#idle.pop();
    return socket;
  }

  #complete(stream: Http2LoadStream): void {
    // The server does not need the rest of the request (RFC 9113 8.1).
    if (stream.unsent > 0 || !stream.endsAfter) this.#resetStream(stream);
    else this.#remove(stream);
    stream.finish(stream.failure);
  }

  #resetStream(stream: Http2LoadStream): void {
    this.#output.frame(FrameType.rstStream, 0, stream.id, uint32(constants.NGHTTP2_CANCEL));
    this.#cancelled.add(stream.id);
    if (this.#cancelled.size > MAX_CANCELLED) {
      const [oldest = 0] = this.#cancelled;
      this.#cancelled.delete(oldest);
    }
    this.#remove(stream);
  }

  #remove(stream: Http2LoadStream): void {
    this.#streams.delete(stream.id);
    this.#uploads.delete(stream);
    if (this.#waiting.length > 0) this.#startWaiting();
    this.#destroyIfDone();
  }

  #renewWindow(stream: Http2LoadStream, size: number): void {
    stream.received += size;
    if (stream.received < HALF_WINDOW) return;
    this.#sendWindowUpdate(stream.id, stream.received);
    stream.received = 0;
  }

  /** An open stream; undefined if it has ended. A stream that was never opened breaks the rules (RFC 9113 5.1). */
  #streamOf(id: number): Http2LoadStream | undefined {
    const stream = this.#streams.get(id);
    if (!stream && (id % 2 === 0 || id >= this.#nextStream)) this.onMalformed();
    return stream;
  }

  /** The stream of a part of a response; undefined if it is not wanted any more. */
  #receiving(id: number): Http2LoadStream | undefined {
    const stream = this.#streamOf(id);
    // The server has ended the stream (RFC 9113 5.1).
    if (!stream && !this.#cancelled.has(id)) this.onMalformed();
    return stream;
  }

  /** Applies a setting of the server. @returns false if its value is not allowed (RFC 9113 6.5.2) */
  #apply(id: number, value: number): boolean {
    switch (id) {
      case SettingId.maxConcurrentStreams:
        this.#maxStreams = value;
        return true;
      case SettingId.initialWindowSize:
        return this.#uploads.setInitialWindow(value, [...this.#streams.values()]);
      case SettingId.enableConnectProtocol:
        this.#allowsConnect = value === 1;
        return value <= 1;
      case SettingId.maxFrameSize:
        return value >= DEFAULT_MAX_FRAME_SIZE && value < MAX_FRAME_SIZE_END;
      default:
        return true;
    }
  }

  /** Acknowledges a frame. */
  #reply(type: number, payload?: Buffer): void {
    this.#output.frame(type, Flag.ack, 0, payload);
    if (this.#output.waiting > MAX_UNREAD_REPLIES) this.#end(FLOOD);
    else this.#flush();
  }

  #sendWindowUpdate(id: number, increment: number): void {
    this.#output.frame(FrameType.windowUpdate, 0, id, uint32(increment));
  }

  #upload(): void {
    this.#uploads.send();
    this.#flush();
  }

  /** Has the frames written that were made, at the latest when the piece being read has ended. */
  #flush(): void {
    if (!this.#isReceiving) this.#output.schedule();
  }

  #takeWaiting(): Http2LoadStream[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    return waiting;
  }

  #destroyIfDone(): void {
    if (!this.#isOpen && this.#streams.size === 0) this.destroy();
  }

  /** Ends the connection, and the requests on it. @param failure of requests that were sent */
  #end(failure: string): void {
    this.destroy();
    const sent = [...this.#streams.values()];
    this.#streams.clear();
    for (const stream of sent) stream.finish(failure);
    this.#retire();
  }
}
