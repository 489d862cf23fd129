import * as fc from 'fast-check';

/** One change: where, as a part of the whole, and what. */
type Mutation =
  | { readonly kind: 'flip'; readonly at: number; readonly mask: number }
  | { readonly kind: 'remove' | 'repeat' | 'cut'; readonly at: number; readonly length: number }
  | { readonly kind: 'insert'; readonly at: number; readonly bytes: Buffer };

const STEPS = 2 ** 20;
/** A part of the whole. Of what fc.double() draws between 0 and 1, nine of ten are next to 0. */
export const place = fc.nat(STEPS).map((step) => step / STEPS);

/** The bytes, cut at these parts of the whole; no piece is empty. */
export function piecesOf(bytes: Buffer, places: readonly number[]): Buffer[] {
  const cuts = places.map((part) => Math.floor(part * bytes.length)).toSorted((a, b) => a - b);
  return [0, ...cuts]
    .map((start, at) => bytes.subarray(start, cuts[at] ?? bytes.length))
    .filter(({ length }) => length > 0);
}

const fewBytes = fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes));

/** @param tokens what means something where it is put in */
function mutation(tokens: readonly string[]): fc.Arbitrary<Mutation> {
  const words = tokens.map((token) => Buffer.from(token, 'latin1'));
  return fc.oneof(
    fc.record({
      kind: fc.constant('flip' as const),
      at: place,
      mask: fc.integer({ min: 1, max: 255 }),
    }),
    fc.record({
      kind: fc.constantFrom('remove' as const, 'repeat' as const, 'cut' as const),
      at: place,
      length: fc.integer({ min: 1, max: 64 }),
    }),
    fc.record({
      kind: fc.constant('insert' as const),
      at: place,
      bytes: fc.oneof(fewBytes, fc.constantFrom(...words)),
    }),
  );
}

function mutated(bytes: Buffer, change: Mutation): Buffer {
  const at = Math.floor(change.at * bytes.length);
  switch (change.kind) {
    case 'flip': {
      const copy = Buffer.from(bytes);
      copy[at] = (copy[at] ?? 0) ^ change.mask;
      return copy;
    }
    case 'remove':
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + change.length)]);
    case 'repeat':
      return Buffer.concat([bytes.subarray(0, at + change.length), bytes.subarray(at)]);
    case 'cut':
      return bytes.subarray(0, at);
    case 'insert':
      return Buffer.concat([bytes.subarray(0, at), change.bytes, bytes.subarray(at)]);
  }
}

/**
 * Valid inputs with a few changes, some as they are.
 *
 * @param tokens what means something where it is put in
 */
export function mutations(
  valid: fc.Arbitrary<Buffer>,
  tokens: readonly string[],
): fc.Arbitrary<Buffer> {
  return fc
    .tuple(valid, fc.array(mutation(tokens), { maxLength: 5 }))
    .map(([bytes, changes]) => changes.reduce(mutated, bytes));
}

/** Bytes of any kind. */
export const rubbish: fc.Arbitrary<Buffer> = fc
  .uint8Array({ maxLength: 300 })
  .map((bytes) => Buffer.from(bytes));

/**
 * Bytes for a parser: rubbish, what is nearly valid, tokens in any order, and one of them over and
 * over, which makes what is slow take long.
 */
export function inputsLike(
  valid: readonly (string | Uint8Array)[],
  tokens: readonly string[],
): fc.Arbitrary<Buffer> {
  const bases = valid.map((input) =>
    typeof input === 'string' ? Buffer.from(input, 'latin1') : Buffer.from(input),
  );
  const token = fc.constantFrom(...tokens, ...bases.map((base) => base.toString('latin1')));
  return fc.oneof(
    rubbish,
    { weight: 4, arbitrary: mutations(fc.constantFrom(...bases), tokens) },
    { weight: 2, arbitrary: fc.array(token, { maxLength: 30 }).map(concatenated) },
    { weight: 2, arbitrary: fc.tuple(token, token, fc.nat(LONGEST), token).map(repeated) },
  );
}

/** What a header section may have by default, where most of the texts here come from. */
const LONGEST = 32 * 1024;

function concatenated(texts: readonly string[]): Buffer {
  return Buffer.from(texts.join(''), 'latin1');
}

/** Some text, another over and over, and an end that may fit neither. */
function repeated([start, text, length, end]: [string, string, number, string]): Buffer {
  const times = Math.ceil(length / Math.max(1, text.length));
  return concatenated([start, text.repeat(times), end]);
}

/** The same as text of one character a byte, as field values come. */
export function textsLike(
  valid: readonly string[],
  tokens: readonly string[],
): fc.Arbitrary<string> {
  return inputsLike(valid, tokens).map((bytes) => bytes.toString('latin1'));
}
