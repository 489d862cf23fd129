import { onEnd, type Opened } from '../../check/client/connect.ts';
import { http1Request } from '../../check/client/http1-message.ts';
import type { FieldLine } from '../../check/message.ts';
import { VERSION } from '../../version.ts';
import type { Input } from './input.ts';
import {
  CLOSED,
  answerFailure,
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

/** A request on HTTP/1.1. */
export function prepareHttp1(request: LoadRequest): PreparedRequest {
  const { method, path, authority, closes, fields = [], content } = request;
  const sent: readonly FieldLine[] = [
    ['User-Agent', `wirebin-bench/${VERSION}`],
    ['Accept', '*/*'],
    ...fields,
    ...(closes ? [['Connection', 'close'] as const] : []),
  ];
  const bytes = http1Request(
    { method, target: path, fields: sent, ...(content && { content }) },
    authority,
  );
  return { request, bytes: Buffer.concat([bytes.head, bytes.content]), streamOffsets: [] };
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
    this.#reader.reset();
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
    reader.push(piece);
    if (reader.isMalformed) this.#finish(MALFORMED);
    else if (reader.isComplete && this.#request)
      this.#finish(answerFailure(reader.status, reader.length, this.#request));
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
