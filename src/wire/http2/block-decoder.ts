import { RecentSection } from '../field-compression/recent-section.ts';
import { HpackDecoder } from './hpack-decoder.ts';
import type { HeaderBlock } from './header-block.ts';

/** Larger lists are not kept: no limit counts the memory of connections that are idle. */
export const MAX_KEPT_LIST = 4096;

/** Decodes the field blocks of a peer. A block like the one before is not decoded again. */
export class BlockDecoder {
  readonly #hpack: HpackDecoder;
  /** The newest block that was kept, because it is small and left the dynamic table as it was. */
  readonly #recent = new RecentSection<HeaderBlock>();

  /** @param maxListSize maximum size of the fields that are kept of a block, counted as RFC 9113 6.5.2 says */
  constructor(maxListSize: number) {
    this.#hpack = new HpackDecoder({ maxListSize });
  }

  /** @returns the same object as before for the same bytes, unless the table has changed */
  decode(bytes: Buffer): HeaderBlock {
    const recent = this.#recent.find(bytes);
    if (recent) return recent;
    const block = this.#hpack.decode(bytes);
    const { insertions, evictions, sizeUpdates, listSize, error } = block;
    const isUnchanged = insertions === 0 && evictions === 0 && sizeUpdates.length === 0 && !error;
    if (isUnchanged && listSize <= MAX_KEPT_LIST) this.#recent.keep(bytes, block);
    else this.#recent.forget();
    return block;
  }

  /** Call when the peer acknowledges SETTINGS_HEADER_TABLE_SIZE (RFC 9113 4.3.1). */
  setTableSizeLimit(size: number): void {
    this.#recent.forget();
    this.#hpack.setTableSizeLimit(size);
  }
}
