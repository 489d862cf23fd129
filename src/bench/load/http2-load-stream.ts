import { createHash, type Hash } from 'node:crypto';
import { MAX_INTERIM } from '../../check/client/response-recorder.ts';
import type { Http2Head } from './http2-heads.ts';
import {
  answerFailure,
  MALFORMED,
  WRONG_LENGTH,
  type Done,
  type Pending,
  type PreparedRequest,
} from './load-connection.ts';

const NOTHING: Uint8Array = Buffer.alloc(0);

/** The connection of a stream. */
export interface StreamOwner {
  /** Fails a request, and resets its stream if it has one. */
  abort(stream: Http2LoadStream, reason: string): void;
}

/** A request and its response on a stream. */
export class Http2LoadStream implements Pending {
  readonly prepared: PreparedRequest;
  readonly #owner: StreamOwner;
  #done: Done | undefined;
  /** 0 until the request was sent. */
  id = 0;
  /** Bytes that flow control allows to send. */
  window = 0;
  /** What is sent in DATA frames, and how many bytes of it were. */
  outgoing: Uint8Array;
  sent = 0;
  /** Bytes received since the last WINDOW_UPDATE. */
  received = 0;
  /** Number of pieces that had arrived on the connection when the request was sent. */
  piecesBefore = 0;
  #status = 0;
  #declared: number | undefined;
  #length = 0;
  #interim = 0;
  readonly #hash: Hash | undefined;

  constructor(prepared: PreparedRequest, owner: StreamOwner, done: Done) {
    this.prepared = prepared;
    this.#owner = owner;
    this.#done = done;
    this.outgoing = prepared.request.content ?? NOTHING;
    if (prepared.request.sha256 !== undefined) this.#hash = createHash('sha256');
  }

  /** Bytes that were not sent yet. */
  get unsent(): number {
    return this.outgoing.length - this.sent;
  }

  /** Whether END_STREAM follows what is sent. */
  get endsAfter(): boolean {
    return true;
  }

  abort(reason: string): void {
    this.#owner.abort(this, reason);
  }

  /** @returns why the response is wrong at this point; undefined if it may go on */
  onHead({ status, length }: Http2Head, isEnd: boolean): string | undefined {
    // Trailers have no status, and end the stream (RFC 9113 8.1).
    if (this.#status !== 0) return isEnd && status === 0 ? undefined : MALFORMED;
    // 101 does not exist in HTTP/2 (RFC 9113 8.6).
    if (!(status >= 100) || status === 101) return MALFORMED;
    if (status < 200) {
      if (++this.#interim > MAX_INTERIM) return 'too many interim responses';
      return isEnd ? MALFORMED : undefined;
    }
    this.#status = status;
    this.#declared = length;
    return undefined;
  }

  onContent(content: Buffer): void {
    this.#hash?.update(content);
  }

  /** @returns why the response is wrong; undefined if it may go on */
  onData(length: number): string | undefined {
    this.#length += length;
    return this.#status === 0 ? MALFORMED : undefined;
  }

  /** Why the complete response is wrong; undefined if it is right. */
  get failure(): string | undefined {
    const { request } = this.prepared;
    const sha256 = this.#hash?.digest('hex');
    const failure = answerFailure(this.#status, this.#length, request, sha256);
    // These have no content, and may have the Content-Length of a response to GET (RFC 9110 8.6).
    const isEmpty = request.method === 'HEAD' || this.#status === 304;
    const declared = isEmpty ? 0 : this.#declared;
    if (failure !== undefined || declared === undefined) return failure;
    return declared === this.#length ? undefined : WRONG_LENGTH;
  }

  /** Whether the request, or message, is not over. */
  protected get isPending(): boolean {
    return this.#done !== undefined;
  }

  /** Has `done` called at the next end. */
  protected expect(done: Done): void {
    this.#done = done;
  }

  /** @param failure why the request failed; undefined if it succeeded */
  finish(failure: string | undefined): void {
    const done = this.#done;
    this.#done = undefined;
    done?.(failure);
  }
}
