import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  decodeEscapes,
  groupByName,
  parseQuery,
  percentDecode,
  singleValue,
} from '../../src/http/query.ts';

describe('parsing a query as application/x-www-form-urlencoded', () => {
  test.each<[query: string, pairs: [string, string][]]>([
    ['', []],
    ['&', []],
    ['&&a&', [['a', '']]],
    ['a', [['a', '']]],
    ['a=', [['a', '']]],
    ['=', [['', '']]],
    ['=b', [['', 'b']]],
    ['a=b', [['a', 'b']]],
    ['a==b=', [['a', '=b=']]],
    [
      'a=1&a=2&b=3',
      [
        ['a', '1'],
        ['a', '2'],
        ['b', '3'],
      ],
    ],
    ['a;b=1', [['a;b', '1']]],
    ['a?b=1?', [['a?b', '1?']]],
    ['a+b=c+d', [['a b', 'c d']]],
    ['a%2Bb=%2B', [['a+b', '+']]],
    ['a%20b=%26%3d', [['a b', '&=']]],
    ['%C3%BC=%e2%82%ac', [['ü', '€']]],
    ['a=%F0%9F%8D%B5', [['a', '🍵']]],
    // Invalid UTF-8 is replaced, without affecting what is next to it.
    ['a=%C3', [['a', '\ufffd']]],
    ['a=x%ffy', [['a', 'x\ufffdy']]],
    ['a=%C3+%BC', [['a', '\ufffd \ufffd']]],
    ['a=%C3=%BC', [['a', '\ufffd=\ufffd']]],
    // A malformed escape is left as it is; those next to it are decoded.
    ['a=%', [['a', '%']]],
    ['a=%4', [['a', '%4']]],
    ['a=%zz%41%g1', [['a', '%zzA%g1']]],
    ['a=%%34%31', [['a', '%41']]],
    ['a=%2541', [['a', '%41']]],
    ['a=%00', [['a', '\0']]],
    [
      '__proto__=1&constructor=2',
      [
        ['__proto__', '1'],
        ['constructor', '2'],
      ],
    ],
  ])('%j', (query, pairs) => {
    expect(parseQuery(query)).toEqual(pairs);
  });

  test('latin1 decodes each escape to one character', () => {
    expect(parseQuery('%C3%BC=%ff+', 'latin1')).toEqual([['\u00c3\u00bc', '\u00ff ']]);
  });

  test('agrees with URLSearchParams for well-formed escapes', () => {
    const query = 'a=1&&b=%C3%BC+x&=&c&d==&%41=%ff&a=2';
    expect(parseQuery(query)).toEqual([...new URLSearchParams(query)]);
  });
});

test.each<[text: string, decoded: string | undefined]>([
  ['', ''],
  ['a+b', 'a+b'],
  ['a%2Fb', 'a/b'],
  ['%e2%82%AC', '€'],
  ['%41%C3', 'A\ufffd'],
  ['%2541', '%41'],
  ['%', undefined],
  ['a%', undefined],
  ['%4', undefined],
  ['%zz', undefined],
  ['%41%g1', undefined],
  ['%%34', undefined],
])('RFC 3986 2.1: percent-decoding of %j', (text, decoded) => {
  expect(percentDecode(text)).toBe(decoded);
});

function decodeRuns(text: string, encoding: 'utf8' | 'latin1'): string {
  return text.replace(/(?:%[0-9A-Fa-f]{2})+/g, (run) =>
    Buffer.from(run.replaceAll('%', ''), 'hex').toString(encoding),
  );
}

describe('each run of escapes is decoded by itself, and all else is kept', () => {
  const parts = [
    '%',
    '+',
    '4',
    '41',
    'g',
    '\0',
    'é',
    '€',
    '🍵',
    '%41',
    '%c3',
    '%A9',
    '%E2',
    '%82',
    '%ff',
    '%00',
  ];
  const texts = fc.string({ unit: fc.constantFrom(...parts), maxLength: 12 });

  test.each(['utf8', 'latin1'] as const)('%s', (encoding) => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(decodeEscapes(text, encoding)).toBe(decodeRuns(text, encoding));
        const [[, value] = []] = parseQuery(`=${text}`, encoding);
        expect(value).toBe(decodeRuns(text.replaceAll('+', ' '), encoding));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('grouping by name', () => {
  test('one value is a string, several are an array in order', () => {
    const pairs = parseQuery('a=1&b=2&a=&a=3&b=4&c');
    expect({ ...groupByName(pairs) }).toEqual({ a: ['1', '', '3'], b: ['2', '4'], c: '' });
  });

  test('__proto__ is not special', () => {
    const groups = groupByName(parseQuery('__proto__=1&constructor=2&toString=3&__proto__=4'));
    expect(Object.entries(groups)).toEqual([
      ['__proto__', ['1', '4']],
      ['constructor', '2'],
      ['toString', '3'],
    ]);
    expect(JSON.stringify(groups)).toBe('{"__proto__":["1","4"],"constructor":"2","toString":"3"}');
  });
});

describe('a parameter that must not be repeated', () => {
  const pairs = parseQuery('a=1&b=2&B=3&b=2&c');
  test.each([
    ['a', '1'],
    ['B', '3'],
    ['c', ''],
    ['d', undefined],
    ['__proto__', undefined],
  ])('%s is %j', (name, value) => {
    expect(singleValue(pairs, name)).toBe(value);
  });

  test('a repeated parameter is rejected, even with the same value', () => {
    expect(() => singleValue(pairs, 'b')).toThrow('b is given more than once');
  });
});
