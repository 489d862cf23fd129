import { onEnd, type Opened } from '../../check/client/connect.ts';
import { Http2Connection } from '../../wire/http2/connection.ts';
import type { ConnectionEvents } from '../../wire/http2/connection-events.ts';
import { MAX_WINDOW, SettingId } from '../../wire/http2/frame.ts';
import type { HeaderBlock } from '../../wire/http2/header-block.ts';
import type { SectionKind } from '../../wire/http2/message-section.ts';
import { ErrorCode, errorCodeName } from '../../wire/http2/names.ts';
import type { Http2Stream } from '../../wire/http2/stream.ts';
import { StreamState } from '../../wire/http2/stream-state.ts';
import type { Violation } from '../../wire/http2/violation.ts';
import { Http2Heads } from './http2-heads.ts';
import { Http2LoadStream } from './http2-load-stream.ts';
import { Http2WebSocket, type WebSocketOwner } from './http2-web-socket.ts';
import type { Input } from './input.ts';
import {
  CLOSED,
  MALFORMED,
  MAX_SECTION,
  REFUSED,
  RESET,
  type Done,
  type LoadConnection,
  type Pending,
  type PreparedRequest,
} from './load-connection.ts';

type Stream = Http2Stream<Http2LoadStream>;

/** Windows are so large that the server hardly ever waits. */
const OPTIONS = {
  role: 'client',
  settings: [{ id: SettingId.initialWindowSize, value: MAX_WINDOW }],
  window: MAX_WINDOW,
  maxListSize: MAX_SECTION,
  limits: { block: MAX_SECTION, fragments: 1000 },
} as const;
/** Streams unless SETTINGS_MAX_CONCURRENT_STREAMS says more: its recommended minimum (RFC 9113 6.5.2). */
const ASSUMED_STREAMS = 100;
/** Bytes that may wait to be written before content has to wait. */
const MAX_WAITING = 256 * 1024;
/** Bytes of frames that a server does not read, although its own ask for more. */
const MAX_UNREAD_REPLIES = 1024 * 1024;
/** Failures of a connection, and so of all its requests. */
const MALFORMED_FRAME = 'malformed frame';
const FLOOD = 'too many control frames';

/** An HTTP/2 connection that carries one request on each of its streams. */
export class Http2LoadConnection
  implements LoadConnection, ConnectionEvents<Http2LoadStream>, WebSocketOwner
{
  readonly #opened: Opened;
  readonly #connection: Http2Connection<Http2LoadStream>;
  readonly #heads = new Http2Heads();
  /** Requests that wait until the server allows another stream. */
  #waiting: Http2LoadStream[] = [];
  #hasSettings = false;
  /** WebSockets on which no message is on its way; some may have ended since. */
  readonly #idle: Http2WebSocket[] = [];
  /** Number of pieces of any size that have arrived. */
  #pieces = 0;
  #isOpen = true;
  #closed = CLOSED;
  #refused = REFUSED;
  #isReceiving = false;
  #isFlushScheduled = false;

  constructor(opened: Opened, input: Input) {
    this.#opened = opened;
    this.#connection = new Http2Connection<Http2LoadStream>(this, OPTIONS);
    this.#flush();
    input.listen((piece) => this.#receive(piece));
    opened.stream.on('drain', () => this.#flush());
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
    const { message } = prepared;
    const idle = message && this.#idleWebSocket();
    if (idle) {
      idle.next(done);
      return idle;
    }
    const stream = message
      ? new Http2WebSocket(prepared, message, this, done)
      : new Http2LoadStream(prepared, this, done);
    // Only SETTINGS tell whether a WebSocket can be opened (RFC 8441 3).
    const isKnown = this.#hasSettings || !message;
    if (isKnown && this.#canStart) this.#start(stream);
    else this.#waiting.push(stream);
    return stream;
  }

  abort(request: Http2LoadStream, reason: string): void {
    const { stream } = request;
    if (!stream) this.#waiting = this.#waiting.filter((each) => each !== request);
    else if (stream.state !== StreamState.closed) {
      // A connection may be dead without being closed. What was sent on it later has time left.
      if (request.piecesBefore === this.#pieces) this.#retire();
      this.#connection.reset(stream, ErrorCode.cancel);
      this.#freed();
      this.#schedule();
    }
    request.finish(reason);
  }

  sendMessage(stream: Stream, frame: Uint8Array): void {
    this.#connection.send(stream, frame, false);
    if (stream.unsent > MAX_UNREAD_REPLIES) this.#end(FLOOD);
    else this.#schedule();
  }

  release(socket: Http2WebSocket): void {
    this.#idle.push(socket);
  }

  close(): void {
    this.destroy();
  }

  destroy(): void {
    this.#isOpen = false;
    this.#connection.stop();
    this.#opened.stream.destroy();
  }

  onHeaders({ owner }: Stream, block: HeaderBlock, kind: SectionKind, isEnd: boolean): void {
    if (block.leftOut > 0) this.#end(MALFORMED_FRAME);
    else if (owner && kind !== 'trailers') {
      const failure = owner.onHead(this.#heads.of(block), isEnd);
      if (failure !== undefined) this.abort(owner, failure);
    }
  }

  onContent(stream: Stream, bytes: Buffer, start: number, end: number): void {
    this.#connection.returnCredit(stream, end - start);
    stream.owner?.onContent(bytes, start, end);
  }

  onEnd(stream: Stream): void {
    // The server does not need the rest of the request (RFC 9113 8.1).
    if (stream.state !== StreamState.closed) this.#connection.reset(stream, ErrorCode.cancel);
    this.#freed();
    stream.owner?.finish(stream.owner.failure);
  }

  onReset({ owner }: Stream, code: number, violation: Violation | undefined): void {
    this.#freed();
    if (violation) owner?.finish(isOfMessage(violation) ? MALFORMED : MALFORMED_FRAME);
    else if (code === ErrorCode.refusedStream) owner?.finish(this.#refused);
    else owner?.finish(`stream reset (${errorCodeName(code)})`);
  }

  onSent(): void {}

  onSettings(): void {
    this.#hasSettings = true;
    this.#startWaiting();
  }

  onGoaway(_lastStream: number, code: number): void {
    if (code !== ErrorCode.noError) {
      this.#closed = `${CLOSED} (${errorCodeName(code)})`;
      this.#refused = `${REFUSED} (${errorCodeName(code)})`;
    }
    this.#retire();
    this.#destroyIfDone();
  }

  onConnectionError(): void {
    this.#end(MALFORMED_FRAME);
  }

  #receive(piece: Buffer): void {
    this.#pieces++;
    this.#isReceiving = true;
    this.#connection.receive(piece);
    this.#isReceiving = false;
    const unread = this.#connection.outputLength + this.#opened.stream.writableLength;
    if (unread > MAX_UNREAD_REPLIES) this.#end(FLOOD);
    else this.#flush();
  }

  get #canStart(): boolean {
    const { canOpen, peer, streamCount } = this.#connection;
    return canOpen && (peer.maxConcurrentStreams !== Infinity || streamCount < ASSUMED_STREAMS);
  }

  #start(request: Http2LoadStream): void {
    const { bytes, message, request: given } = request.prepared;
    if (message && !this.#connection.peer.enableConnectProtocol) {
      queueMicrotask(() => request.finish('extended CONNECT is not offered'));
      return;
    }
    const content = message ? undefined : given.content;
    const isEnd = !message && (content === undefined || content.length === 0);
    const stream = this.#connection.open(bytes, isEnd, request);
    request.stream = stream;
    request.piecesBefore = this.#pieces;
    if (content && !isEnd) this.#connection.send(stream, content, true);
    this.#schedule();
    if (this.#connection.isFinishing) this.#retire();
  }

  /** Takes no further request, and has those that wait sent elsewhere. */
  #retire(): void {
    this.#isOpen = false;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const request of waiting) request.finish(REFUSED);
  }

  /** Starts waiting requests, as far as the server allows. */
  #startWaiting(): void {
    while (this.#waiting.length > 0 && this.#canStart && this.isOpen) {
      const request = this.#waiting.shift();
      if (request) this.#start(request);
    }
  }

  #idleWebSocket(): Http2WebSocket | undefined {
    let socket = this.#idle.pop();
    while (socket && socket.stream?.state !== StreamState.open) socket = this.#idle.pop();
    return socket;
  }

  /** Call when a stream has ended. */
  #freed(): void {
    if (this.#waiting.length > 0) this.#startWaiting();
    this.#destroyIfDone();
  }

  /** Has the frames written that were made, at the latest when the piece being read has ended. */
  #schedule(): void {
    if (this.#isReceiving || this.#isFlushScheduled) return;
    this.#isFlushScheduled = true;
    queueMicrotask(() => {
      this.#isFlushScheduled = false;
      this.#flush();
    });
  }

  /** Writes the frames of a turn of the event loop at once: each write is a system call. */
  #flush(): void {
    const { stream: socket } = this.#opened;
    while (!socket.destroyed && socket.writableLength < MAX_WAITING) {
      const [bytes] = this.#connection.takeOutput(MAX_WAITING);
      if (!bytes) return;
      socket.write(bytes);
      // Until the socket has passed the bytes on, their memory must not change.
      if (socket.writableLength > 0) this.#connection.keepTaken();
    }
  }

  #destroyIfDone(): void {
    if (!this.#isOpen && this.#connection.streamCount === 0) this.destroy();
  }

  /** Ends the connection, and the requests on it. @param failure of requests that were sent */
  #end(failure: string): void {
    this.destroy();
    for (const { owner } of this.#connection.openStreams) owner?.finish(failure);
    this.#retire();
  }
}

/** Whether a message is malformed, rather than a frame (RFC 9113 8.1.1). */
const isOfMessage = ({ section }: Violation): boolean => section.startsWith('RFC 9113 8.');
