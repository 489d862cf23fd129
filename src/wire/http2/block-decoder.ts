import { HpackDecoder } from './hpack-decoder.ts';
import type { HeaderBlock } from './header-block.ts';

const NOTHING: Buffer = Buffer.alloc(0);
/** Longer blocks are compared by Buffer. */
const MAX_LOOP = 128;
/** Larger lists are not kept: no limit counts the memory of connections that are idle. */
export const MAX_KEPT_LIST = 4096;

/** Decodes the field blocks of a peer. A block like the one before is not decoded again. */
export class BlockDecoder {
  readonly #hpack: HpackDecoder;
  /** The newest block as sent that was kept, because it is small and left the dynamic table as it was. */
  #bytes = NOTHING;
  #block: HeaderBlock | undefined;

  /** @param maxListSize maximum size of the fields that are kept of a block, counted as RFC 9113 6.5.2 says */
  constructor(maxListSize: number) {
    this.#hpack = new HpackDecoder({ maxListSize });
  }

  /** @returns the same object as before for the same bytes, unless the table has changed */
  decode(bytes: Buffer): HeaderBlock {
    if (this.#block && isSame(this.#bytes, bytes)) return this.#block;
    const block = this.#hpack.decode(bytes);
    const { insertions, evictions, sizeUpdates, listSize, error } = block;
    const isUnchanged = insertions === 0 && evictions === 0 && sizeUpdates.length === 0 && !error;
    const isKept = isUnchanged && listSize <= MAX_KEPT_LIST;
    this.#block = isKept ? block : undefined;
    if (isKept) this.#keep(bytes);
    return block;
  }

  /** Call when the peer acknowledges SETTINGS_HEADER_TABLE_SIZE (RFC 9113 4.3.1). */
  setTableSizeLimit(size: number): void {
    this.#block = undefined;
    this.#hpack.setTableSizeLimit(size);
  }

  /** Copies the bytes, which are a part of a larger piece. */
  #keep(bytes: Buffer): void {
    if (this.#bytes.length === bytes.length) this.#bytes.set(bytes);
    else this.#bytes = Buffer.from(bytes);
  }
}

/** As `Buffer.equals`, which takes three times as long for a short block. */
function isSame(one: Buffer, other: Buffer): boolean {
  if (one.length !== other.length) return false;
  if (one.length > MAX_LOOP) return one.equals(other);
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return false;
  return true;
}
