/**
 * Bits of the code of each symbol, 0 to 255 and EOS (RFC 7541 appendix B). The lengths define the codes: the code is
 * canonical, codes of one length are consecutive in the order of their symbols.
 */
const CODE_LENGTHS = `
  13 23 28 28 28 28 28 28 28 24 30 28 28 30 28 28
  28 28 28 28 28 28 30 28 28 28 28 28 28 28 28 28
  6 10 10 12 13 6 8 11 10 10 8 11 8 6 6 6
  5 5 5 6 6 6 6 6 6 6 7 8 15 6 12 10
  13 6 7 7 7 7 7 7 7 7 7 7 7 7 7 7
  7 7 7 7 7 7 7 7 8 7 8 13 19 13 14 6
  15 5 6 5 6 5 6 6 6 5 7 7 6 6 6 5
  6 7 6 5 5 6 7 7 7 7 7 15 11 14 13 28
  20 22 20 20 22 22 22 23 22 23 23 23 23 23 24 23
  24 24 22 23 24 23 23 23 23 21 22 23 22 23 23 24
  22 21 20 22 22 23 23 21 23 22 22 24 21 22 23 23
  21 21 22 21 23 22 23 23 20 22 22 22 23 22 22 23
  26 26 20 19 22 23 22 25 26 26 26 27 27 26 24 25
  19 21 26 27 27 26 27 24 21 21 26 26 28 27 27 27
  20 24 20 21 22 21 21 23 22 22 25 25 24 24 26 23
  26 27 26 26 27 27 27 27 27 28 27 27 27 27 27 26
  30`;
const EOS = 256;
/** Bits of a byte. A byte completes at most two symbols, because codes have at least five bits. */
const BITS = 8;
const ENTRIES = 1 << BITS;

// Layout of an entry of the transition table.
const FIRST_SHIFT = 2;
const SECOND_SHIFT = 10;
const STATE_SHIFT = 18;
/** In place of the number of symbols: EOS was completed, which must not occur in a string. */
const INVALID = 3;

interface Tables {
  /** Entries by state and byte: number of symbols, the symbols, and the next state. */
  readonly transitions: Int32Array;
  /** By state, whether a string may end there: after fewer than 8 bits, all ones. */
  readonly accepting: Uint8Array;
}

let tables: Tables | undefined;

/**
 * Decodes a Huffman-coded string (RFC 7541 5.2).
 *
 * @param target must have room for 8/5 of the bytes
 * @returns the number of bytes written to `target`; -1 if the string contains EOS, or does not end in padding of fewer
 * than 8 ones
 */
export function decodeHuffman(
  source: Uint8Array,
  start: number,
  end: number,
  target: Uint8Array,
): number {
  tables ??= buildTables();
  const { transitions, accepting } = tables;
  let state = 0;
  let length = 0;
  for (let at = start; at < end; at++) {
    const entry = transitions[(state << BITS) | (source[at] ?? 0)] ?? 0;
    const count = entry & INVALID;
    if (count !== 0) {
      if (count === INVALID) return -1;
      target[length++] = (entry >> FIRST_SHIFT) & 0xff;
      if (count === 2) target[length++] = (entry >> SECOND_SHIFT) & 0xff;
    }
    state = entry >>> STATE_SHIFT;
  }
  return accepting[state] === 1 ? length : -1;
}

/** The code of each symbol, and below its length in bits, for the encoder. */
const codeOf = new Uint32Array(EOS);
const bitsOf = new Uint8Array(EOS);
/** Longest code that, behind fewer than 8 bits, fits in 31 bits; longer ones are written in two parts. */
const MAX_PART = 24;
const LOW_PART = 16;

/** Bytes of a Huffman-coded string. @param text one character per byte */
export function huffmanLength(text: string): number {
  if (bitsOf[0] === 0) fillCodes();
  let bits = 0;
  for (let at = 0; at < text.length; at++) bits += bitsOf[text.charCodeAt(at) & 0xff] ?? 0;
  return (bits + BITS - 1) >>> 3;
}

/** Encodes a string (RFC 7541 5.2), whose `huffmanLength` was asked for before. @returns the offset after it */
export function encodeHuffman(text: string, target: Uint8Array, start: number): number {
  let at = start;
  let pending = 0;
  let count = 0;
  for (let index = 0; index < text.length; index++) {
    const symbol = text.charCodeAt(index) & 0xff;
    let code = codeOf[symbol] ?? 0;
    let bits = bitsOf[symbol] ?? 0;
    if (bits > MAX_PART) {
      bits -= LOW_PART;
      pending = (pending << bits) | (code >>> LOW_PART);
      for (count += bits; count >= BITS;) target[at++] = pending >>> (count -= BITS);
      code &= 0xffff;
      bits = LOW_PART;
    }
    pending = (pending << bits) | code;
    for (count += bits; count >= BITS;) target[at++] = pending >>> (count -= BITS);
    pending &= 0xff;
  }
  // Padding is the start of EOS, which is all ones.
  if (count > 0) target[at++] = (pending << (BITS - count)) | (0xff >>> count);
  return at;
}

function fillCodes(): void {
  for (const [symbol, { code, bits }] of huffmanCodes().slice(0, EOS).entries()) {
    codeOf[symbol] = code;
    bitsOf[symbol] = bits;
  }
}

/** Maximum number of bytes that a Huffman-coded string of this length can decode to. */
export function maxHuffmanLength(encoded: number): number {
  return Math.floor((encoded * BITS) / 5);
}

/** The code of each symbol, with its length in bits. The last symbol is EOS. */
export function huffmanCodes(): { readonly code: number; readonly bits: number }[] {
  const lengths = CODE_LENGTHS.trim().split(/\s+/).map(Number);
  const codes = lengths.map((bits) => ({ code: 0, bits }));
  const byLength = [...codes].sort((one, other) => one.bits - other.bits);
  let code = 0;
  let bits = 0;
  for (const each of byLength) {
    code <<= each.bits - bits;
    bits = each.bits;
    each.code = code++;
  }
  return codes;
}

/** Builds the code tree: two children for each inner node, or the symbol of a leaf as its complement. */
function buildTree(): Int32Array {
  const codes = huffmanCodes();
  const tree = new Int32Array(2 * codes.length);
  let nodes = 1;
  for (const [symbol, { code, bits }] of codes.entries()) {
    let node = 0;
    for (let bit = bits - 1; bit > 0; bit--) {
      const child = 2 * node + ((code >> bit) & 1);
      if (tree[child] === 0) tree[child] = nodes++;
      node = tree[child] ?? 0;
    }
    tree[2 * node + (code & 1)] = ~symbol;
  }
  return tree;
}

/** Builds the tables. States are the inner nodes of the code tree: the bits read so far of a code. */
function buildTables(): Tables {
  const tree = buildTree();
  const states = tree.length / 2 - 1;
  const transitions = new Int32Array(states * ENTRIES);
  for (let state = 0; state < states; state++) {
    for (let byte = 0; byte < ENTRIES; byte++) {
      transitions[(state << BITS) | byte] = transition(tree, state, byte);
    }
  }
  const accepting = new Uint8Array(states);
  let state = 0;
  for (let ones = 0; ones < BITS; ones++) {
    accepting[state] = 1;
    state = tree[2 * state + 1] ?? 0;
  }
  return { transitions, accepting };
}

function transition(tree: Int32Array, from: number, byte: number): number {
  let state = from;
  let symbols = 0;
  let count = 0;
  for (let bit = BITS - 1; bit >= 0; bit--) {
    const next = tree[2 * state + ((byte >> bit) & 1)] ?? 0;
    if (next >= 0) {
      state = next;
      continue;
    }
    if (~next === EOS) return INVALID;
    symbols |= ~next << (count === 0 ? FIRST_SHIFT : SECOND_SHIFT);
    count++;
    state = 0;
  }
  return (state << STATE_SHIFT) | symbols | count;
}
