import { integer } from '../../../src/wire/field-compression/primitive-writer.ts';
import { QpackDecoder, type QpackDecoderOptions } from '../../../src/wire/qpack/decoder.ts';
import type { QpackSection } from '../../../src/wire/qpack/section-decoder.ts';

/** Instructions and field lines of QPACK (RFC 9204 4.3, 4.5), also those that are invalid. */

export const hex = (digits: string): Buffer => Buffer.from(digits.replaceAll(' ', ''), 'hex');

export const capacity = (size: number): Buffer => integer(size, 5, 0x20);

export const duplicate = (index: number): Buffer => integer(index, 5);

export function text(value: string, prefix = 7, pattern = 0): Buffer {
  const bytes = Buffer.from(value, 'latin1');
  return Buffer.concat([integer(bytes.length, prefix, pattern), bytes]);
}

export const insert = (name: string, value: string): Buffer =>
  Buffer.concat([text(name, 5, 0x40), text(value)]);

export const insertByStatic = (index: number, value: string): Buffer =>
  Buffer.concat([integer(index, 6, 0xc0), text(value)]);

export const insertByRelative = (index: number, value: string): Buffer =>
  Buffer.concat([integer(index, 6, 0x80), text(value)]);

/** @param count encoded Required Insert Count @param base with the sign bit */
export const prefix = (count: number, base = 0): Buffer =>
  Buffer.concat([integer(count, 8), Buffer.of(base)]);

export const indexed = (table: 'static' | 'dynamic', index: number): Buffer =>
  integer(index, 6, table === 'static' ? 0xc0 : 0x80);

export function decoderOf(options: Partial<QpackDecoderOptions> = {}): QpackDecoder {
  return new QpackDecoder({
    maxTableCapacity: 220,
    maxBlockedStreams: 2,
    maxListSize: 10_000,
    ...options,
  });
}

export const lines = (section: QpackSection | undefined): string[] | undefined =>
  section?.fields.map(({ name, value }) => `${name}: ${value}`);
