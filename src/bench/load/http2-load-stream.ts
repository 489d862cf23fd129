import { createHash, type Hash } from 'node:crypto';
import { MAX_INTERIM } from '../../check/client/response-recorder.ts';
import type { Http2Stream } from '../../wire/http2/stream.ts';
import type { Http2Head } from './http2-heads.ts';
import {
  answerFailure,
  WRONG_LENGTH,
  type Done,
  type Pending,
  type PreparedRequest,
} from './load-connection.ts';

/** The connection of a request. */
export interface StreamOwner {
  /** Fails a request, and resets its stream if it has one. */
  abort(request: Http2LoadStream, reason: string): void;
}

/** A request and its response on a stream. */
export class Http2LoadStream implements Pending {
  readonly prepared: PreparedRequest;
  readonly #owner: StreamOwner;
  #done: Done | undefined;
  /** undefined until the request was sent. */
  stream: Http2Stream<Http2LoadStream> | undefined;
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
    if (prepared.request.sha256 !== undefined) this.#hash = createHash('sha256');
  }

  abort(reason: string): void {
    this.#owner.abort(this, reason);
  }

  /** Takes an interim or the final header section. @returns why the request fails; undefined if it may go on */
  onHead({ status, length }: Http2Head, _isEnd: boolean): string | undefined {
    if (status < 200) {
      return ++this.#interim > MAX_INTERIM ? 'too many interim responses' : undefined;
    }
    this.#status = status;
    this.#declared = length;
    return undefined;
  }

  onContent(bytes: Buffer, start: number, end: number): void {
    this.#length += end - start;
    this.#hash?.update(bytes.subarray(start, end));
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
