import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isInnerList,
  parseDictionary,
  parseItem,
  parseList,
  serializeBareItem,
  serializeDictionary,
  serializeList,
  serializeMember,
  type BareItem,
  type Member,
  type Parameters,
} from '../../src/http/structured-fields.ts';

function plain({ type, value }: BareItem): unknown[] {
  return [type, value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value];
}

/** The members, without parameters; bytes as hexadecimal. */
function values(text: string): Record<string, unknown> | undefined {
  const members = parseDictionary(text);
  return (
    members &&
    Object.fromEntries(
      Array.from(members, ([key, member]) => [
        key,
        isInnerList(member) ? member.items.map(({ value }) => plain(value)) : plain(member.value),
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
    'a=:aGkaG:',
    'a=:=aGk:',
    'a=:=:',
    'a=:aGk==:',
    'a=:aGkh=:',
    'a=:aG=:',
    'a=:a=Gk:',
    'a=:aG===:',
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

const NONE: Parameters = new Map();
const item = (value: BareItem, parameters = NONE): Member => ({ value, parameters });
const token = (value: string): BareItem => ({ type: 'token', value });

describe('RFC 9651 4.2.1: a list', () => {
  test.each<[string, readonly Member[]]>([
    ['', []],
    ['sugar, tea ,\trum', [item(token('sugar')), item(token('tea')), item(token('rum'))]],
    [
      'a;lvl=5, (b;lvl=1 c);q=?0',
      [
        item(token('a'), new Map([['lvl', { type: 'integer', value: 5 }]])),
        {
          items: [
            { value: token('b'), parameters: new Map([['lvl', { type: 'integer', value: 1 }]]) },
            { value: token('c'), parameters: NONE },
          ],
          parameters: new Map([['q', { type: 'boolean', value: false }]]),
        },
      ],
    ],
    ['()', [{ items: [], parameters: NONE }]],
  ])('%j', (text, expected) => {
    expect(parseList(text)).toEqual(expected);
  });

  test.each(['a,', ',a', 'a,,b', 'a b', '(a', '(a))', '((a))', 'a=1', '(a b;)', '(a,b)'])(
    'is malformed: %j',
    (text) => {
      expect(parseList(text)).toBeUndefined();
    },
  );
});

describe('RFC 9651 4.2.3: an item', () => {
  test.each<[string, Member]>([
    [' 5 ', item({ type: 'integer', value: 5 })],
    ['?1;a', item({ type: 'boolean', value: true }, new Map([['a', parsedTrue()]]))],
    ['"a, b"', item({ type: 'string', value: 'a, b' })],
    ['@-1', item({ type: 'date', value: -1 })],
  ])('%j', (text, expected) => {
    expect(parseItem(text)).toEqual(expected);
  });

  test.each(['', ' ', '5, 6', '5 6', '5\t', '\t5', '(5)', 'a=1', '5;', '5 ;a'])(
    'is malformed: %j',
    (text) => {
      expect(parseItem(text)).toBeUndefined();
    },
  );
});

function parsedTrue(): BareItem {
  return { type: 'boolean', value: true };
}

describe('RFC 9651 4.1: the canonical form', () => {
  test.each([
    ['a=?1, b;x=?1;y=01,c=:aGk:', 'a, b;x;y=1, c=:aGk=:'],
    ['a=( 1   "b\\"";q );  x=1.50', 'a=(1 "b\\"";q);x=1.5'],
    ['a=1,a=2', 'a=2'],
    ['a=-0', 'a=0'],
    ['a=-0.0, b=100.000, c=0.010', 'a=0.0, b=100.0, c=0.01'],
    ['a=%"f%c3%bc%22%25", b=@007', 'a=%"f%c3%bc%22%25", b=@7'],
    ['  ', ''],
  ])('of the dictionary %j', (text, expected) => {
    expect(serializeDictionary(parseDictionary(text) ?? new Map())).toBe(expected);
  });

  test.each([
    ['a ,b;c=?1', 'a, b;c'],
    ['( ),(  1.0  )', '(), (1.0)'],
    ['', ''],
  ])('of the list %j', (text, expected) => {
    expect(serializeList(parseList(text) ?? [])).toBe(expected);
  });

  test.each([
    [0.0025, '0.002'],
    [0.0035, '0.004'],
    [-0.0025, '-0.002'],
    [-0.0005, '0.0'],
    [-0.0015, '-0.002'],
    [1e-7, '0.0'],
    [1, '1.0'],
    [9.9995, '10.0'],
    [999_999_999_999.999, '999999999999.999'],
  ])('of the decimal %d', (value, expected) => {
    expect(serializeBareItem({ type: 'decimal', value })).toBe(expected);
  });

  test.each<BareItem>([
    { type: 'integer', value: 1e15 },
    { type: 'integer', value: 1.5 },
    { type: 'date', value: NaN },
    { type: 'decimal', value: 1e12 },
    { type: 'decimal', value: 999_999_999_999.9999 },
    { type: 'decimal', value: Infinity },
    { type: 'string', value: '\u00fc' },
    { type: 'string', value: '\n' },
    { type: 'token', value: '' },
    { type: 'token', value: '1a' },
    { type: 'display-string', value: '\ud800' },
  ])('%j has none', (value) => {
    expect(() => serializeBareItem(value)).toThrow(RangeError);
  });

  test('a key that is none has none', () => {
    const parameters = new Map([['A', parsedTrue()]]);
    expect(() => serializeMember(item(parsedTrue(), parameters))).toThrow(RangeError);
    expect(() => serializeDictionary(new Map([['', item(parsedTrue())]]))).toThrow(RangeError);
  });
});

test('every serialized dictionary is parsed to what it was', () => {
  const key = fc.stringMatching(/^[a-z*][a-z0-9_.*-]{0,9}$/);
  const value = fc.oneof(
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
  const dictionary = fc.uniqueArray(fc.tuple(key, value), { selector: ([name]) => name });
  fc.assert(
    fc.property(dictionary, (members) => {
      const text = members.map(([name, [serialized]]) => `${name}=${serialized}`).join(' , ');
      const parsed = Object.entries(values(text) ?? {});
      expect(new Map(parsed)).toEqual(
        new Map(members.map(([name, [, plainValue]]) => [name, plainValue])),
      );
    }),
  );
});
