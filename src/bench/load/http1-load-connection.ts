import { onEnd, type Opened } from '../../check/client/connect.ts';
import { chunk, http1Request, lastChunk } from '../../check/client/http1-message.ts';
import type { Input } from './input.ts';
import {
  CLOSED,
  answerFailure,
  fieldLinesOf,
  MALFORMED,
  RESET,
  type Done,
  type LoadConnection,
  type LoadRequest,
  type Pending,
  type PreparedRequest,
} from './load-connection.ts';
import { ResponseMeter } from './response-meter.ts';

/** Milliseconds to wait for the server to close a connection, after a response with `Connection: close`. */
const LINGER = 500;

/** Bytes of content in a chunk, as in a DATA frame. */
const CHUNK = 16 * 1024;

/** A request on HTTP/1.1. */
export function prepareHttp1(request: LoadRequest): PreparedRequest {
  const { method, path, authority, closes, content, isStreamed = false } = request;
  const fields = [...fieldLinesOf(request), ...(closes ? [['Connection', 'close'] as const] : [])];
  const message = { method, target: path, fields, ...(content && { content }) };
  const { head, content: bytes } = http1Request(
    isStreamed ? { ...message, framing: 'chunked' } : message,
    authority,
  );
  const sent = isStreamed && content ? chunksOf(content) : [bytes];
  return { request, bytes: Buffer.concat([head, ...sent]) };
}

function chunksOf(content: Uint8Array): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0; at < content.length; at += CHUNK)
    chunks.push(chunk(Buffer.from(content.subarray(at, at + CHUNK))));
  return [...chunks, lastChunk([])];
}

/** A connection that carries one request at a time. */
export class Http1LoadConnection implements LoadConnection, Pending {
  readonly #opened: Opened;
  readonly #reader = new ResponseMeter();
  #request: LoadRequest | undefined;
  #done: Done | undefined;
  #isOpen = true;
  #isReset = false;

  constructor(opened: Opened, input: Input) {
    this.#opened = opened;
    input.listen((piece) => this.#receive(piece));
    onEnd(
      opened,
      () => this.#end(),
      () => {
        this.#isReset = true;
      },
    );
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  send({ request, bytes }: PreparedRequest, done: Done): Pending {
    this.#request = request;
    this.#done = done;
    this.#reader.reset(request.method, request.sha256 !== undefined);
    this.#opened.stream.write(bytes);
    return this;
  }

  abort(reason: string): void {
    this.#finish(reason);
  }

  close(): void {
    // Otherwise the server closes first. The side that does keeps TIME_WAIT, and the client would run out of ports.
    if (this.#reader.keepsAlive || !this.#reader.isComplete) this.destroy();
  }

  destroy(): void {
    this.#isOpen = false;
    this.#opened.stream.destroy();
  }

  #receive(piece: Buffer): void {
    const reader = this.#reader;
    // No request was sent that this could be the response to.
    if (!this.#done || !this.#request) {
      this.destroy();
      return;
    }
    reader.push(piece);
    if (reader.isMalformed) this.#finish(MALFORMED);
    else if (reader.isComplete)
      this.#finish(answerFailure(reader.status, reader.length, this.#request, reader.sha256));
  }

  #end(): void {
    if (!this.#isReset) this.#reader.end();
    this.#isOpen = false;
    if (this.#reader.isComplete) this.#receive(Buffer.alloc(0));
    else this.#finish(this.#isReset ? RESET : CLOSED);
    this.#opened.stream.destroy();
  }

  #finish(failure: string | undefined): void {
    if (!this.#reader.isComplete) this.destroy();
    if (!this.#reader.keepsAlive) {
      this.#isOpen = false;
      this.#opened.stream.setTimeout(LINGER, () => this.destroy());
    }
    const done = this.#done;
    this.#done = undefined;
    done?.(failure);
  }
}
