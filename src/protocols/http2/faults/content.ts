import type { ServerHttp2Stream } from 'node:http2';
import { isWhole, pullBytes, type Payload } from '../../../server/payload.ts';
import type { Delivery } from '../../../server/pump.ts';

const PIECE = 32 * 1024;

/** Sends a payload in parts, which end where a fault wants it. */
export class ContentInParts {
  readonly #stream: ServerHttp2Stream;
  readonly #delivery: Delivery;
  readonly #next: (size: number) => Uint8Array | string | null | undefined;
  readonly #wait: (signal: AbortSignal) => Promise<void>;
  #rest: Buffer | undefined;

  constructor(stream: ServerHttp2Stream, payload: Payload, delivery: Delivery) {
    this.#stream = stream;
    this.#delivery = delivery;
    const source = sourceOf(payload);
    this.#next = (size) => source.next(size);
    this.#wait = async (signal) => (source.kind === 'timed' ? source.wait(signal) : undefined);
  }

  /**
   * Resolves when the bytes have been written to the socket, the payload ends, or the stream is closed.
   *
   * @throws AbortError if the client disconnects while a timed payload waits
   */
  async send(bytes: number): Promise<void> {
    for (let left = bytes; left > 0 && !this.#stream.destroyed;) {
      const piece = await this.#piece(left);
      if (!piece) return;
      left -= piece.length;
      this.#delivery.bytes += piece.length;
      await new Promise<void>((resolve) => {
        this.#stream.write(piece, () => resolve());
      });
    }
  }

  async #piece(max: number): Promise<Buffer | undefined> {
    let piece: Uint8Array | string | null | undefined = this.#rest;
    this.#rest = undefined;
    const size = Math.min(max, PIECE);
    while ((piece ??= this.#next(size)) === null) await this.#wait(this.#delivery.signal);
    if (piece === undefined) return undefined;
    const bytes = typeof piece === 'string' ? Buffer.from(piece, 'latin1') : Buffer.from(piece);
    if (bytes.length > max) this.#rest = bytes.subarray(max);
    return bytes.subarray(0, max);
  }
}

function sourceOf(payload: Payload) {
  if (!isWhole(payload) && payload.kind !== 'with-trailers') return payload;
  const content = isWhole(payload) ? payload : payload.content;
  return pullBytes(typeof content === 'string' ? Buffer.from(content, 'latin1') : content);
}
