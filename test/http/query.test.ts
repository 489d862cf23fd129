import { describe, expect, test } from 'vitest';
import { groupByName, parseQuery, percentDecode, singleValue } from '../../src/http/query.ts';

describe('a query, taken apart as forms are written', () => {
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
    // What is no UTF-8 is replaced, and does no harm to what stands beside it.
    ['a=%C3', [['a', '\ufffd']]],
    ['a=x%ffy', [['a', 'x\ufffdy']]],
    ['a=%C3+%BC', [['a', '\ufffd \ufffd']]],
    ['a=%C3=%BC', [['a', '\ufffd=\ufffd']]],
    // A malformed escape stays as it is, those around it do not.
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

  test('as latin1, each escape is one character', () => {
    expect(parseQuery('%C3%BC=%ff+', 'latin1')).toEqual([['\u00c3\u00bc', '\u00ff ']]);
  });

  test('agrees with URLSearchParams where escapes are well formed', () => {
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

describe('names with their values', () => {
  test('one is a string, more are an array in order', () => {
    const pairs = parseQuery('a=1&b=2&a=&a=3&b=4&c');
    expect({ ...groupByName(pairs) }).toEqual({ a: ['1', '', '3'], b: ['2', '4'], c: '' });
  });

  test('no name is special', () => {
    const groups = groupByName(parseQuery('__proto__=1&constructor=2&toString=3&__proto__=4'));
    expect(Object.entries(groups)).toEqual([
      ['__proto__', ['1', '4']],
      ['constructor', '2'],
      ['toString', '3'],
    ]);
    expect(JSON.stringify(groups)).toBe('{"__proto__":["1","4"],"constructor":"2","toString":"3"}');
  });
});

describe('a parameter that is given once', () => {
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

  test('twice is refused, the same value too', () => {
    expect(() => singleValue(pairs, 'b')).toThrow('b is given more than once');
  });
});
