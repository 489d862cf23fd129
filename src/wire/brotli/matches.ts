/** A part of the content that the dictionary contains as well. */
export interface Match {
  /** Offset in the content. */
  readonly at: number;
  /** Offset in the dictionary. */
  readonly from: number;
  /** In bytes. */
  readonly length: number;
}

/** Bytes below which a copy is longer than the literals that it replaces: its meta-block and the next one have 15. */
export const MIN_MATCH = 24;

/** Number of bytes that are looked up: fewer than the shortest match has, so that few matches are missed. */
const SEED = 8;

/**
 * Finds parts of the content in the dictionary, for each the latest offset with the same first bytes. Takes linear
 * time, since what is compared is either taken or shorter than MIN_MATCH.
 *
 * @yields matches in the order of the content, which do not overlap there
 */
export function* matches(content: Uint8Array, dictionary: Uint8Array): Generator<Match> {
  const places = indexOf(dictionary);
  const last = content.length - MIN_MATCH;
  for (let at = 0; at <= last; at++) {
    const from = (places[hash(content, at, places.length)] ?? 0) - 1;
    const length = from < 0 ? 0 : commonLength(content, at, dictionary, from);
    if (length < MIN_MATCH) continue;
    yield { at, from, length };
    at += length - 1;
  }
}

/** Offsets of the dictionary, plus 1, by the hash of the bytes there; 0 for none. */
function indexOf(dictionary: Uint8Array): Uint32Array {
  const bits = 32 - Math.clz32(Math.max(dictionary.length, 1));
  // Sparse, so that few places are replaced by later ones with the same hash.
  const places = new Uint32Array(2 ** (bits + 2));
  for (let at = 0; at + SEED <= dictionary.length; at++) {
    places[hash(dictionary, at, places.length)] = at + 1;
  }
  return places;
}

/** @param size of the table, a power of 2 */
function hash(bytes: Uint8Array, at: number, size: number): number {
  let value = 0;
  // FNV-1a, whose upper bits depend on all bytes.
  for (let offset = 0; offset < SEED; offset++) {
    value = Math.imul(value ^ (bytes[at + offset] ?? 0), 0x0100_0193);
  }
  return (value ^ (value >>> 15)) & (size - 1);
}

function commonLength(
  content: Uint8Array,
  at: number,
  dictionary: Uint8Array,
  from: number,
): number {
  const most = Math.min(content.length - at, dictionary.length - from);
  let length = 0;
  while (length < most && content[at + length] === dictionary[from + length]) length++;
  return length;
}
