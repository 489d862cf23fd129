import * as fc from 'fast-check';
import { expect, expectTypeOf, test } from 'vitest';
import { bytes as bytesField } from '../../grpc/_protobuf.ts';
import { field, message, repeated, type Message } from '../../../src/wire/protobuf/message.ts';
import { ProtobufError } from '../../../src/wire/protobuf/reader.ts';
import { BYTES, INT32, STRING } from '../../../src/wire/protobuf/types.ts';
import { All, Part } from './_declared.ts';

const int32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
const text = fc.string({ unit: 'binary' });
const part = fc.record({ text, count: int32 }, { requiredKeys: [] });
const maps = <K, T>(keys: fc.Arbitrary<K>, values: fc.Arbitrary<T>) =>
  fc.array(fc.tuple(keys, values)).map((entries) => new Map(entries));
const bytes = fc.uint8Array();
const long = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });

const messages: fc.Arbitrary<Message<typeof All>> = fc.record(
  {
    a_double: fc.double(),
    a_float: fc.float(),
    an_int64: long,
    a_uint64: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    an_int32: int32,
    a_bool: fc.boolean(),
    a_string: text,
    some_bytes: bytes,
    a_uint32: fc.nat({ max: 2 ** 32 - 1 }),
    colour: fc.constantFrom(1, -1, 5),
    part,
    maybe: fc.constantFrom(0, 1),
    numbers: fc.array(int32),
    longs: fc.array(long),
    doubles: fc.array(fc.double()),
    bools: fc.array(fc.boolean()),
    colours: fc.array(fc.constantFrom(1, -1, 5)),
    texts: fc.array(text),
    parts: fc.array(part),
    one_text: text,
    by_name: maps(text, part),
    by_number: maps(int32, fc.double()),
    Odd__name_: bytes,
  },
  { requiredKeys: [] },
);

/** As it is after sending: what is zero or empty is absent. Bytes are compared by value. */
function sent(value: Message<typeof All>) {
  const present = Object.entries(value).filter(
    ([name, each]) =>
      ['maybe', 'one_text'].includes(name) ||
      !(
        [0, 0n, false, ''].some((zero) => Object.is(zero, each)) ||
        (Array.isArray(each) && each.length === 0) ||
        (each instanceof Uint8Array && each.length === 0) ||
        (each instanceof Map && each.size === 0)
      ),
  );
  return shown(Object.fromEntries(present));
}

function shown(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (value instanceof Map) return new Map([...value].map(([key, each]) => [key, shown(each)]));
  if (Array.isArray(value)) return value.map(shown);
  if (typeof value !== 'object' || value === null) return value;
  // An empty string in a part is absent.
  const members = Object.entries(value).filter(([name, each]) => name !== 'text' || each !== '');
  return Object.fromEntries(members.map(([name, each]) => [name, shown(each)]));
}

test('what is written is read again', () => {
  fc.assert(
    fc.property(messages, (value) => {
      expect(shown(All.decode(All.encode(value)))).toEqual(sent(value));
    }),
  );
});

const hex = (digits: string) => Buffer.from(digits.replaceAll(' ', ''), 'hex');

test.each([
  ['unpacked numbers', '70 01 70 02', { numbers: [1, 2] }],
  ['packed and unpacked numbers', '72 02 01 02 70 03', { numbers: [1, 2, 3] }],
  ['the last of two values', '28 01 28 02', { an_int32: 2 }],
  ['a message in two pieces', '62 02 0a 00 62 02 10 05', { part: { text: '', count: 5 } }],
  ['the last member of a oneof', 'aa 01 01 61 b2 01 00', { one_part: {} }],
  ['a map entry without key and value', 'ba 01 00', { by_name: new Map([['', {}]]) }],
  [
    'an unknown varint, and a group',
    'a0 06 96 01 a3 06 08 01 a3 06 a4 06 a4 06 28 01',
    { an_int32: 1 },
  ],
  ['a 32-bit number in ten bytes', '28 ff ff ff ff ff ff ff ff ff 01', { an_int32: -1 }],
])('reads %s', (_, input, expected) => {
  expect(All.decode(hex(input))).toEqual(expected);
});

test.each([
  ['a field with number 0', '00 01', 'invalid field number'],
  ['a field number beyond 29 bits', 'f8 ff ff ff 7f 01', 'invalid field number'],
  ['a varint without end', '28 ff ff ff ff ff ff ff ff ff ff 01', 'varint of more than 10 bytes'],
  ['a length beyond the message', '3a 05 61', 'truncated message'],
  ['a length of 64 bits', '3a ff ff ff ff ff 01', 'truncated message'],
  ['another wire type', '2a 01 01', 'field 5 has wire type 2 instead of 0'],
  ['a string that is not UTF-8', '3a 02 c3 28', 'string is not UTF-8'],
  ['an unknown wire type', 'a7 06', 'field 100 has wire type 7'],
  ['the end of a group that has not begun', 'a4 06', 'field 100 has wire type 4'],
  ['groups in each other without end', 'a3 06'.repeat(200), 'field 100 has wire type 3'],
])('refuses %s', (_, input, expected) => {
  expect(() => All.decode(hex(input))).toThrow(new ProtobufError(expected));
});

test('a type is made from the declaration', () => {
  const Declared = message('Declared', { name: field(1, STRING), counts: repeated(2, INT32) });
  expectTypeOf<Message<typeof Declared>>().toEqualTypeOf<{
    readonly name?: string | undefined;
    readonly counts?: readonly number[] | undefined;
  }>();
  expectTypeOf<Message<typeof Part>>().toHaveProperty('count').toEqualTypeOf<number | undefined>();
});

test.each([
  ['messages', [0x12, 0]],
  ['numbers', [0x08, 1]],
  ['unknown fields', [0x78, 1]],
])('a message has a limited number of values: %s', (_, value) => {
  const inner = message('Inner', { number: field(1, INT32) });
  const outer = message('Outer', { number: field(1, INT32), all: repeated(2, inner) });
  const many = (count: number) => Buffer.alloc(count * value.length, Buffer.from(value));
  const values = { count: 0 };
  expect(() => outer.decode(many(10_000), values)).not.toThrow();
  expect(values.count).toBe(10_000);
  expect(() => outer.decode(many(10_001))).toThrow('more than 10000 values');
  expect(() => outer.decode(bytesField(2, many(10_000)))).toThrow('more than 10000 values');
});

test('packed numbers count, too', () => {
  const numbers = message('Numbers', { all: repeated(1, INT32) });
  expect(() => numbers.decode(bytesField(1, Buffer.alloc(10_000)))).toThrow(
    'more than 10000 values',
  );
});

test('a long value is not copied again for short ones after it', () => {
  const type = message('M', { long: field(1, BYTES), short: field(2, INT32) });
  const length = 1024 ** 2;
  const { buffer } = type.encode({ long: new Uint8Array(length), short: 1 });
  expect(buffer.byteLength).toBeLessThan(length + 1024);
});
