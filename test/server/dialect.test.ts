import { expect, test } from 'vitest';
import { wirebinStyle } from '../../src/dialects/wirebin.ts';
import { Dialects, type Dialect, type DialectName } from '../../src/server/dialect.ts';
import { queryOf } from '../../src/server/endpoint.ts';
import { Router } from '../../src/server/router.ts';
import { FakeExchange } from '../_exchange.ts';

function dialect(name: DialectName): Dialect {
  return { ...wirebinStyle, name, router: new Router([]) };
}

const own = dialect('wirebin');
const dialects = new Dialects(own, dialect);

test.each<[query: string, name: DialectName, parameters: [string, string][]]>([
  ['', 'wirebin', []],
  ['?a=1', 'wirebin', [['a', '1']]],
  ['?dialect=httpbin', 'httpbin', []],
  [
    '?b=2&dialect=httpbin&a=1&b=3',
    'httpbin',
    [
      ['b', '2'],
      ['a', '1'],
      ['b', '3'],
    ],
  ],
  ['?dialect=wirebin&a=1', 'wirebin', [['a', '1']]],
  ['?dialect=%68ttpbin', 'httpbin', []],
  // Another name, or no value.
  ['?xdialect=httpbin', 'wirebin', [['xdialect', 'httpbin']]],
  ['?a=dialect=httpbin', 'wirebin', [['a', 'dialect=httpbin']]],
  ['?dialect', 'wirebin', [['dialect', '']]],
])('/get%s selects %s', (query, name, parameters) => {
  const exchange = new FakeExchange(`/get${query}`);
  expect(dialects.select(exchange).name).toBe(name);
  expect(queryOf(exchange)).toEqual(parameters);
  // The target as sent does not change.
  expect(exchange.target).toMatchObject({ raw: `/get${query}`, query: query.slice(1) });
});

test('a dialect is made when a request first selects it, once', () => {
  const made: DialectName[] = [];
  const lazy = new Dialects(own, (name) => {
    made.push(name);
    return dialect(name);
  });
  const select = (query: string): Dialect => lazy.select(new FakeExchange(`/get${query}`));
  expect(select('?dialect=wirebin')).toBe(own);
  expect(select('')).toBe(own);
  expect(made).toEqual([]);
  const first = select('?dialect=httpbin');
  expect(select('?dialect=httpbin')).toBe(first);
  expect(made).toEqual(['httpbin']);
});

test.each([
  ['', 'dialect='],
  ['gohttpbin', 'dialect=gohttpbin'],
  ['HTTPBIN', 'dialect=HTTPBIN'],
  ['constructor', 'dialect=constructor'],
  [' httpbin', 'dialect=+httpbin&a=1'],
])('there is no dialect %j', (name, query) => {
  expect(() => dialects.select(new FakeExchange(`/get?${query}`))).toThrow(
    `dialect=${name} is not one of wirebin, httpbin, go-httpbin, gateway-api`,
  );
});

test.each(['dialect=httpbin&dialect=httpbin', 'dialect=httpbin&a=1&dialect=x'])(
  '%s selects more than one',
  (query) => {
    const exchange = new FakeExchange(`/get?${query}`);
    expect(() => dialects.select(exchange)).toThrow('dialect is given more than once');
  },
);

test('without other dialects the parameter has no effect', () => {
  const exchange = new FakeExchange('/get?dialect=wirebin');
  expect(new Dialects(dialect('httpbin')).select(exchange).name).toBe('httpbin');
  expect(queryOf(exchange)).toEqual([['dialect', 'wirebin']]);
});

test('an invalid target selects the default', () => {
  const exchange = new FakeExchange('ftp://a/?dialect=httpbin');
  expect(exchange.target).toBeUndefined();
  expect(dialects.select(exchange)).toBe(own);
});
