import { WebSocketEcho, type EchoSink } from './web-socket-echo.ts';
import type { Http2Stream } from '../../wire/http2/stream.ts';
import { Http2LoadStream, type StreamOwner } from './http2-load-stream.ts';
import type { Http2Head } from './http2-heads.ts';
import { CLOSED, type Done, type PreparedRequest } from './load-connection.ts';

/** Failure of a message that no request waits for. It is in no report. */
const UNASKED = 'a message that was not sent';

/** The connection of a WebSocket. */
export interface WebSocketOwner extends StreamOwner {
  /** Sends a frame of the WebSocket. */
  sendMessage(stream: Http2Stream<Http2LoadStream>, frame: Uint8Array): void;
  /** Has the WebSocket carry further messages. */
  release(socket: Http2WebSocket): void;
}

/** A WebSocket on a stream of HTTP/2 (RFC 8441), which carries one message at a time and waits for its echo. */
export class Http2WebSocket extends Http2LoadStream implements EchoSink {
  readonly #owner: WebSocketOwner;
  readonly #echo: WebSocketEcho;

  readonly #message: Uint8Array;

  constructor(prepared: PreparedRequest, message: Uint8Array, owner: WebSocketOwner, done: Done) {
    super(prepared, owner, done);
    this.#owner = owner;
    this.#message = message;
    this.#echo = new WebSocketEcho(prepared.request.content ?? Buffer.alloc(0), this);
  }

  /** Sends another message. */
  next(done: Done): void {
    this.expect(done);
    this.#send(this.#message);
  }

  override onHead({ status }: Http2Head, isEnd: boolean): string | undefined {
    if (status >= 100 && status < 200 && !isEnd) return undefined;
    if (status !== 200 || isEnd) return `status ${status}`;
    this.#send(this.#message);
    return undefined;
  }

  override onContent(bytes: Buffer, start: number, end: number): void {
    this.#echo.read(bytes.subarray(start, end));
  }

  override get failure(): string | undefined {
    return CLOSED;
  }

  onEcho(failure: string | undefined): void {
    if (this.isPending) {
      this.#owner.release(this);
      this.finish(failure);
    } else this.abort(UNASKED);
  }

  onReply(frame: Buffer): void {
    this.#send(frame);
  }

  onClosed(failure: string): void {
    this.abort(failure);
  }

  #send(frame: Uint8Array): void {
    if (this.stream) this.#owner.sendMessage(this.stream, frame);
  }
}
