import type { HeaderBlock } from '../../wire/http2/header-block.ts';
import { responseStatus } from '../../wire/http2/message-section.ts';

/** What a load needs of the fields of a response. */
export interface Http2Head {
  readonly status: number;
  /** Content-Length; NaN if it is invalid, or repeated with another value (RFC 9110 8.6). */
  readonly length: number | undefined;
}

/** Makes heads of field blocks. A connection has the same object for a block like the one before. */
export class Http2Heads {
  #block: HeaderBlock | undefined;
  #head: Http2Head = { status: 0, length: undefined };

  of(block: HeaderBlock): Http2Head {
    if (block !== this.#block) this.#head = headOf(block);
    this.#block = block;
    return this.#head;
  }
}

function headOf({ fields }: HeaderBlock): Http2Head {
  let length: number | undefined;
  for (const { name, value } of fields) {
    if (name !== 'content-length') continue;
    const number = /^\d+$/.test(value) ? Number(value) : NaN;
    length = length === undefined || length === number ? number : NaN;
  }
  return { status: responseStatus(fields), length };
}
