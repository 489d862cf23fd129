import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseDictionary, type BareItem } from '../../src/http/structured-fields.ts';

function plain({ type, value }: BareItem): unknown[] {
  return [type, value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value];
}

/** The members, without parameters; bytes as hexadecimal. */
function values(text: string): Record<string, unknown> | undefined {
  const members = parseDictionary(text);
  return (
    members &&
    Object.fromEntries(
      Array.from(members, ([key, { value }]) => [
        key,
        'type' in value ? plain(value) : value.map(plain),
      ]),
    )
  );
}

describe('RFC 9651 4.2.2: a dictionary', () => {
  test.each([
    ['', {}],
    ['  ', {}],
    ['a=1', { a: ['integer', 1] }],
    ['a=-999999999999999', { a: ['integer', -999_999_999_999_999] }],
    ['a=1.5,b=-0.125', { a: ['decimal', 1.5], b: ['decimal', -0.125] }],
    ['a="b \\" \\\\"', { a: ['string', 'b " \\'] }],
    ['a=*b/c:d', { a: ['token', '*b/c:d'] }],
    ['a=:aGk=:', { a: ['bytes', '6869'] }],
    ['a=::', { a: ['bytes', ''] }],
    ['a=:aGk:', { a: ['bytes', '6869'] }],
    ['a=?0', { a: ['boolean', false] }],
    ['a', { a: ['boolean', true] }],
    ['a=@1659578233', { a: ['date', 1_659_578_233] }],
    ['a=%"f%c3%bc"', { a: ['display-string', 'f\u00fc'] }],
    [
      'a=(1 "b";x  c);q=1',
      {
        a: [
          ['integer', 1],
          ['string', 'b'],
          ['token', 'c'],
        ],
      },
    ],
    ['a=()', { a: [] }],
    ['a=1 ,\tb=2', { a: ['integer', 1], b: ['integer', 2] }],
    ['a=1, b, a=2', { a: ['integer', 2], b: ['boolean', true] }],
    ['*a_-.*=1', { '*a_-.*': ['integer', 1] }],
    ['a;x;y=2, b', { a: ['boolean', true], b: ['boolean', true] }],
    ['constructor=2', { constructor: ['integer', 2] }],
  ])('%j', (text, expected) => {
    expect(values(text)).toEqual(expected);
  });

  test.each([
    'A=1',
    '__proto__=1',
    '1=1',
    'a=',
    'a=1,',
    'a=1,,b=2',
    ',a',
    'a=1 b=2',
    'a =1',
    'a= 1',
    '\ta',
    'a=1;',
    'a=1;B',
    'a=1.',
    'a=.5',
    'a=1.1234',
    'a=1234567890123456',
    'a=1234567890123.1',
    'a=--1',
    'a="b',
    'a="\\b"',
    'a="\x7f"',
    'a=:a',
    'a=:a-b:',
    'a=?2',
    'a=@1.5',
    'a=@',
    'a=%"%C3"',
    'a=%"%c3"',
    'a=%"\x80"',
    'a=(1',
    'a=("b"c)',
    'a=(1;)',
    'a=1)',
    'a=\u00fc',
  ])('is malformed: %j', (text) => {
    expect(parseDictionary(text)).toBeUndefined();
  });
});

test('the parameters of members are kept', () => {
  const parameters = parseDictionary('a=1;b;c="d";b=?0')?.get('a')?.parameters;
  expect([...(parameters ?? [])]).toEqual([
    ['b', { type: 'boolean', value: false }],
    ['c', { type: 'string', value: 'd' }],
  ]);
});

test('every serialized dictionary is parsed to what it was', () => {
  const key = fc.stringMatching(/^[a-z*][a-z0-9_.*-]{0,9}$/);
  const item = fc.oneof(
    fc.integer({ min: -1e15 + 1, max: 1e15 - 1 }).map((n) => [String(n), ['integer', n]] as const),
    fc
      .uint8Array({ maxLength: 80 })
      .map((bytes) => Buffer.from(bytes))
      .map((b) => [`:${b.toString('base64')}:`, ['bytes', b.toString('hex')]] as const),
    fc
      .stringMatching(/^[ -~]*$/)
      .map((s) => [`"${s.replace(/["\\]/g, '\\$&')}"`, ['string', s]] as const),
    fc.boolean().map((b) => [b ? '?1' : '?0', ['boolean', b]] as const),
  );
  const dictionary = fc.uniqueArray(fc.tuple(key, item), { selector: ([name]) => name });
  fc.assert(
    fc.property(dictionary, (members) => {
      const text = members.map(([name, [value]]) => `${name}=${value}`).join(' , ');
      const parsed = Object.entries(values(text) ?? {});
      expect(new Map(parsed)).toEqual(new Map(members.map(([name, [, value]]) => [name, value])));
    }),
  );
});
