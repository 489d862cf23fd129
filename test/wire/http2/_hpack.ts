import * as fc from 'fast-check';
import { integer } from '../../../src/wire/field-compression/primitive-writer.ts';
import { huffmanCodes } from '../../../src/wire/field-compression/huffman.ts';

/** An encoder of HPACK (RFC 7541) that also writes what is invalid. */

const codes = huffmanCodes();

/** Huffman-coded, with padding of ones (RFC 7541 5.2). */
export function huffman(text: string): Buffer {
  let bits = '';
  for (const byte of Buffer.from(text, 'latin1')) {
    const { code = 0, bits: length = 0 } = codes[byte] ?? {};
    bits += code.toString(2).padStart(length, '0');
  }
  bits = bits.padEnd(Math.ceil(bits.length / 8) * 8, '1');
  return Buffer.from(bits.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? []);
}

export function string(text: string, coded = false): Buffer {
  const bytes = coded ? huffman(text) : Buffer.from(text, 'latin1');
  return Buffer.concat([integer(bytes.length, 7, coded ? 0x80 : 0), bytes]);
}

export const indexed = (index: number): Buffer => integer(index, 7, 0x80);

export const sizeUpdate = (size: number): Buffer => integer(size, 5, 0x20);

export type Literal = 'literal-indexed' | 'literal' | 'never-indexed';

/** @param name an index, or the name itself */
export function literal(
  representation: Literal,
  name: string | number,
  value: string,
  coded: { name?: boolean; value?: boolean } = {},
): Buffer {
  const [prefix, pattern] =
    representation === 'literal-indexed'
      ? [6, 0x40]
      : [4, representation === 'never-indexed' ? 0x10 : 0];
  const start = integer(typeof name === 'number' ? name : 0, prefix, pattern);
  const names = typeof name === 'string' ? [string(name, coded.name)] : [];
  return Buffer.concat([start, ...names, string(value, coded.value)]);
}

const texts = fc
  .oneof(
    fc.string({ maxLength: 20 }),
    fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((byte) => String.fromCharCode(byte)) }),
  )
  .map((text) => Buffer.from(text, 'latin1').toString('latin1'));

/** Literals of any kind, whose names are not those of a table. */
export const literals = fc.record({
  representation: fc.constantFrom<Literal>('literal-indexed', 'literal', 'never-indexed'),
  name: texts,
  value: texts,
  coded: fc.record({ name: fc.boolean(), value: fc.boolean() }),
});
