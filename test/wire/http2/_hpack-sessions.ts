import * as fc from 'fast-check';
import { mutations, piecesOf, place } from '../../fuzz/mutations.ts';
import { indexed, literal, literals, sizeUpdate } from './_hpack.ts';

/** What a decoder is given on one connection; all blocks but the last are valid for the most part. */
export type Session = readonly Block[];

interface Block {
  /** SETTINGS_HEADER_TABLE_SIZE, if it is acknowledged before. */
  readonly limit: number | undefined;
  readonly pieces: readonly Buffer[];
}

const SIZES = [0, 31, 32, 33, 64, 100, 300, 1000, 4095, 4096, 4097, 65_536, 2 ** 32 - 1];
const TOKENS = [
  '\xff\x80\x80\x80\x80',
  '\x7f\xff\xff\xff\xff\x0f',
  '\x3f\xe1\x1f',
  '\xbe',
  '\0',
  '\x10',
];

/** Once in so many times. */
const rarely = <T>(times: number, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: times - 1, arbitrary: fc.constant(undefined) }, arbitrary);

// Mostly of the static table; the dynamic one has few entries.
const index = fc.oneof(
  { weight: 79, arbitrary: fc.integer({ min: 1, max: 61 }) },
  fc.integer({ min: 62, max: 70 }),
);
const field = fc.oneof(index.map(indexed), {
  weight: 2,
  arbitrary: fc
    .tuple(literals, fc.option(index, { nil: undefined, freq: 2 }))
    .map(([{ representation, name, value, coded }, known]) =>
      literal(representation, known ?? name, value, coded),
    ),
});
const valid = fc
  .record({
    limit: rarely(10, fc.constantFrom(...SIZES)),
    isIgnored: rarely(8, fc.constant(true)),
    update: rarely(30, fc.constantFrom(...SIZES.slice(0, 9))),
    fields: fc.array(field, { maxLength: 7 }),
  })
  .map(({ limit, isIgnored, update, fields }) => {
    const updates = [
      ...(limit === undefined || isIgnored === true ? [] : [Math.min(limit, 4096)]),
      ...(update === undefined ? [] : [update]),
    ];
    return { limit, bytes: Buffer.concat([...updates.map(sizeUpdate), ...fields]) };
  });
const changed = mutations(
  valid.map(({ bytes }) => bytes),
  TOKENS,
).map((bytes) => ({ limit: undefined, bytes }));

const blockOf = (
  arbitrary: fc.Arbitrary<{ limit: number | undefined; bytes: Buffer }>,
): fc.Arbitrary<Block> =>
  fc
    .tuple(arbitrary, fc.array(place, { maxLength: 3 }))
    .map(([{ limit, bytes }, places]) => ({ limit, pieces: piecesOf(bytes, places) }));

export const sessions: fc.Arbitrary<Session> = fc
  .tuple(fc.array(blockOf(valid), { maxLength: 6 }), blockOf(fc.oneof(valid, changed)))
  .map(([blocks, last]) => blocks.concat(last));
