import type { DecodedField, FieldSection } from '../field-compression/field-section.ts';

/** A dynamic table size update (RFC 7541 6.3). */
export interface SizeUpdate {
  readonly size: number;
  readonly offset: number;
}

/** Why a block cannot be decoded. Later blocks cannot be decoded either, because the state of the table is unknown. */
export interface HpackError {
  readonly reason: string;
  /** The broken rule, such as `RFC 7541 5.1`. */
  readonly section: string;
  /** Offset of the representation from the start of the block. */
  readonly offset: number;
}

/** A decoded field block (RFC 9113 4.3). */
export interface HeaderBlock extends FieldSection {
  /** The first eight size updates. An encoder never needs more than two (RFC 7541 4.2). */
  readonly sizeUpdates: readonly SizeUpdate[];
  readonly sizeUpdatesLeftOut: number;
  /** Number of entries added to the dynamic table, and below, removed from it. */
  readonly insertions: number;
  readonly evictions: number;
  /** Bytes in the dynamic table after the block. */
  readonly tableSize: number;
  /** Entries in the dynamic table after the block. */
  readonly tableEntries: number;
  /** The maximum size of the dynamic table after the block. */
  readonly maxTableSize: number;
  readonly error: HpackError | undefined;
}

/** The block being decoded. */
export type OpenBlock = { -readonly [K in keyof HeaderBlock]: HeaderBlock[K] } & {
  fields: DecodedField[];
  sizeUpdates: SizeUpdate[];
};

export function emptyBlock(): OpenBlock {
  return {
    fields: [],
    leftOut: 0,
    listSize: 0,
    length: 0,
    sizeUpdates: [],
    sizeUpdatesLeftOut: 0,
    insertions: 0,
    evictions: 0,
    tableSize: 0,
    tableEntries: 0,
    maxTableSize: 0,
    error: undefined,
  };
}
