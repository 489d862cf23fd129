import { HpackDecoder } from '../../wire/http2/hpack-decoder.ts';
import type { HeaderBlock } from '../../wire/http2/header-block.ts';
import { MAX_SECTION } from './load-connection.ts';

/** What a load needs of the fields of a response. */
export interface Http2Head {
  /** 0 without `:status`, as in trailers; NaN if it is invalid. */
  readonly status: number;
  /** Content-Length; NaN if it is invalid, or repeated with another value (RFC 9110 8.6). */
  readonly length: number | undefined;
}

/** Reads the field blocks of the responses of a connection. A block like the one before is not decoded again. */
export class Http2Heads {
  readonly #decoder = new HpackDecoder({ maxListSize: MAX_SECTION });
  /** The newest block that left the dynamic table as it was; undefined if the table has changed since. */
  #block: Buffer | undefined;
  #head: Http2Head = { status: 0, length: undefined };

  /** @returns undefined if the block cannot be decoded, or its fields exceed the limit */
  read(block: Buffer): Http2Head | undefined {
    if (this.#block?.equals(block)) return this.#head;
    const decoded = this.#decoder.decode(block);
    if (decoded.error || decoded.leftOut > 0) return undefined;
    this.#head = headOf(decoded);
    const { insertions, evictions, sizeUpdates } = decoded;
    const isSame = insertions === 0 && evictions === 0 && sizeUpdates.length === 0;
    // Copied, because the block is a part of a larger piece.
    this.#block = isSame ? Buffer.from(block) : undefined;
    return this.#head;
  }
}

function headOf({ fields }: HeaderBlock): Http2Head {
  let status = 0;
  let length: number | undefined;
  for (const { name, value } of fields) {
    if (name === ':status') {
      status = status === 0 && /^[1-5]\d\d$/.test(value) ? Number(value) : NaN;
    } else if (name === 'content-length') {
      const number = /^\d+$/.test(value) ? Number(value) : NaN;
      length = length === undefined || length === number ? number : NaN;
    }
  }
  return { status, length };
}
