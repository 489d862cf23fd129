import { gunzip } from 'node:zlib';
import { promisify } from 'node:util';
import { fieldValue } from '../http/fields.ts';
import { turns } from '../net/scheduler.ts';
import type { Request } from '../server/request.ts';
import { inThread } from '../server/request-cost.ts';
import { FramingError, MessageReader, type Framed } from '../wire/grpc/message.ts';
import { GrpcStatus } from '../wire/grpc/status.ts';
import { MAX_RATIO, maxInflated } from '../wire/inflation.ts';
import { Base64Reader } from '../wire/grpc/web-text.ts';
import { Wakeup } from './wakeup.ts';

const inflate = promisify(gunzip);

/** Bytes that are read ahead of the handler. More arrive only for a message that is longer. */
const READ_AHEAD = 64 * 1024;

/** The messages of a request, read no faster than they are taken. */
export class Incoming {
  readonly #request: Request;
  readonly #limit: number;
  readonly #reserve: (bytes: number) => void;
  readonly #reader: MessageReader;
  readonly #text: Base64Reader | undefined;
  readonly #encoding: string;
  readonly #arrival = new Wakeup();
  /** Whether all of the content has arrived. `complete` of the request may become true a moment later. */
  hasEnded: boolean;
  #error: unknown;
  /** Bytes of compressed messages so far, and of what they were inflated to. */
  #compressed = 0;
  #content = 0;

  /**
   * @param limit maximum bytes of a message
   * @param isText whether the content is base64
   * @param reserve called with a number of bytes before they are allocated; may throw
   */
  constructor(request: Request, limit: number, isText: boolean, reserve: (bytes: number) => void) {
    const { body, contentProblem } = request;
    this.#request = request;
    this.#limit = limit;
    this.#reserve = reserve;
    this.#reader = new MessageReader(limit, reserve);
    this.#text = isText ? new Base64Reader() : undefined;
    this.#encoding = fieldValue(request.fields, 'grpc-encoding') ?? 'identity';
    this.hasEnded = !request.hasBody || body.readableEnded;
    this.#error = contentProblem;
    if (this.hasEnded) return;
    body
      .on('data', (piece: Buffer) => this.#push(piece))
      .on('end', () => {
        this.hasEnded = true;
        this.#arrival.wake();
      })
      .on('error', (error) => this.fail(error));
    request.sendContinueIfExpected();
    body.resume();
  }

  /** Bytes that have arrived and were not taken. */
  get length(): number {
    return this.#reader.length;
  }

  /** The next message, inflated; undefined after the last one. @throws GrpcStatus, Problem, or what `fail` was given */
  async next(): Promise<Framed | undefined> {
    for (;;) {
      if (this.#error !== undefined) throw this.#error;
      const framed = this.#take();
      if (framed) {
        const { connection } = this.#request;
        // A client may send ten thousand messages in one piece.
        if (turns.isSpent()) await turns.waitForTurn(connection);
        return framed.isCompressed ? this.#inflated(framed.content) : framed;
      }
      if (this.hasEnded) {
        if (this.#reader.length === 0 && this.#text?.isComplete !== false) return undefined;
        throw new GrpcStatus('INTERNAL', 'the request ended within a message');
      }
      await this.#arrival.wait();
    }
  }

  /** Makes `next` throw. The rest of the content is discarded. */
  fail(error: unknown): void {
    this.#error ??= error;
    this.#request.body.resume();
    this.#arrival.wake();
  }

  #push(piece: Buffer): void {
    if (this.#error !== undefined) return;
    const { body } = this.#request;
    try {
      this.#reader.push(this.#text?.push(piece) ?? piece);
    } catch (error) {
      this.fail(error);
      return;
    }
    if (!this.#reader.isReady) return;
    if (this.#reader.length >= READ_AHEAD) body.pause();
    this.#arrival.wake();
  }

  #take(): Framed | undefined {
    try {
      const framed = this.#reader.take();
      const { body } = this.#request;
      if (body.isPaused() && (this.#reader.length < READ_AHEAD || !this.#reader.isReady))
        body.resume();
      return framed;
    } catch (error) {
      if (!(error instanceof FramingError)) throw error;
      throw new GrpcStatus(error.isTooLong ? 'RESOURCE_EXHAUSTED' : 'INTERNAL', error.message);
    }
  }

  async #inflated(content: Buffer): Promise<Framed> {
    if (this.#encoding !== 'gzip') {
      throw new GrpcStatus(
        'INTERNAL',
        'a message is compressed, and grpc-encoding names no coding',
      );
    }
    this.#compressed += content.length;
    // The ratio is that of all messages of the call, because small ones can be many.
    const left = maxInflated(this.#compressed) - this.#content;
    const maxOutputLength = Math.max(1, Math.min(this.#limit, left));
    try {
      const inflated = await inThread(this.#request, () => inflate(content, { maxOutputLength }));
      this.#content += inflated.length;
      this.#reserve(inflated.length);
      return { isCompressed: true, content: inflated };
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      if (code.startsWith('Z_')) throw new GrpcStatus('INTERNAL', 'a message cannot be inflated');
      if (code !== 'ERR_BUFFER_TOO_LARGE') throw error;
      const limit = left < this.#limit ? `${MAX_RATIO} times its size` : this.#limit;
      throw new GrpcStatus(
        'RESOURCE_EXHAUSTED',
        `a message exceeds the maximum of ${limit} when inflated`,
      );
    }
  }
}
