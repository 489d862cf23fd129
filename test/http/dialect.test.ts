import { expect, test } from 'vitest';
import { plainManner } from '../../src/dialects/wirebin.ts';
import { Dialects, type Dialect, type DialectName } from '../../src/http/dialect.ts';
import { queryOf } from '../../src/http/endpoint.ts';
import { Router } from '../../src/http/router.ts';
import { FakeExchange } from '../_exchange.ts';

function dialect(name: DialectName): Dialect {
  return { ...plainManner, name, router: new Router([]) };
}

const own = dialect('wirebin');
const dialects = new Dialects(own, [own, dialect('httpbin'), dialect('gateway-api')]);

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
  // Whatever names no dialect, in exactly these letters and once, is a parameter like any other.
  ['?dialect=', 'wirebin', [['dialect', '']]],
  ['?dialect=go-httpbin', 'wirebin', [['dialect', 'go-httpbin']]],
  ['?dialect=HTTPBIN', 'wirebin', [['dialect', 'HTTPBIN']]],
  ['?dialect=%68ttpbin', 'wirebin', [['dialect', 'httpbin']]],
  ['?xdialect=httpbin', 'wirebin', [['xdialect', 'httpbin']]],
  ['?dialect=constructor', 'wirebin', [['dialect', 'constructor']]],
  [
    '?dialect=httpbin&dialect=httpbin',
    'wirebin',
    [
      ['dialect', 'httpbin'],
      ['dialect', 'httpbin'],
    ],
  ],
  ['?dialect=httpbin&dialect=x', 'httpbin', [['dialect', 'x']]],
])('/get%s is answered in %s', (query, name, parameters) => {
  const exchange = new FakeExchange(`/get${query}`);
  expect(dialects.of(exchange).name).toBe(name);
  expect(queryOf(exchange)).toEqual(parameters);
  // What was sent stays what was sent.
  expect(exchange.target).toMatchObject({ raw: `/get${query}`, query: query.slice(1) });
});

test('a service without a choice has none', () => {
  const exchange = new FakeExchange('/get?dialect=wirebin');
  expect(new Dialects(dialect('httpbin')).of(exchange).name).toBe('httpbin');
  expect(queryOf(exchange)).toEqual([['dialect', 'wirebin']]);
});

test('a target that is none has no say', () => {
  const exchange = new FakeExchange('ftp://a/?dialect=httpbin');
  expect(exchange.target).toBeUndefined();
  expect(dialects.of(exchange)).toBe(own);
});
