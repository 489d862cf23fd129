import { describe, expect, test } from 'vitest';
import { likeWirebin } from '../../src/dialects/wirebin.ts';
import { endpoint, queryOf, type Endpoint } from '../../src/server/endpoint.ts';
import { anyText } from '../../src/server/params.ts';
import { empty } from '../../src/server/reply.ts';
import { Dialects, type Dialect, type DialectName } from '../../src/server/dialect.ts';
import { Router } from '../../src/server/router.ts';
import { FakeExchange } from '../_exchange.ts';

const rest = {
  methods: ['GET'],
  group: 'content',
  summary: '',
  responses: {},
  handle: () => empty(204),
} as const;
const text = anyText();

/** An endpoint whose id is its path. */
const fixed = (path: string): Endpoint => endpoint({ ...rest, id: path, path, params: {} });

const router = new Router([
  fixed('/'),
  fixed('/plain'),
  fixed('/robots.txt'),
  fixed('/cookies'),
  fixed('/cookies/set'),
  endpoint({ ...rest, id: '/bytes/{n}', path: '/bytes/{n}', params: { n: text } }),
  endpoint({ ...rest, id: '/a/{x}/b/{y}', path: '/a/{x}/b/{y}', params: { x: text, y: text } }),
  endpoint({ ...rest, id: '/a/{x}', path: '/a/{x}', params: { x: text } }),
  fixed('/a/fixed'),
  fixed('/any'),
  endpoint({ ...rest, id: '/any/*path', path: '/any/*path', params: { path: text } }),
]);

describe('known paths', () => {
  test.each<[path: string, id: string, segments: string[]]>([
    ['/', '/', []],
    ['/plain', '/plain', []],
    ['/robots.txt', '/robots.txt', []],
    ['/cookies', '/cookies', []],
    ['/cookies/set', '/cookies/set', []],
    ['/bytes/5', '/bytes/{n}', ['5']],
    // Values are validated by the parameter, not the router.
    ['/bytes/', '/bytes/{n}', ['']],
    ['/bytes/..', '/bytes/{n}', ['..']],
    ['/bytes/%2F', '/bytes/{n}', ['%2F']],
    ['/bytes/%zz', '/bytes/{n}', ['%zz']],
    ['/bytes/{n}', '/bytes/{n}', ['{n}']],
    ['/a/1', '/a/{x}', ['1']],
    ['/a/1/b/2', '/a/{x}/b/{y}', ['1', '2']],
    ['/a//b/', '/a/{x}/b/{y}', ['', '']],
    ['/a/fixed', '/a/fixed', []],
    ['/any', '/any', []],
    ['/any/', '/any/*path', ['']],
    ['/any/x', '/any/*path', ['x']],
    ['/any//x/', '/any/*path', ['/x/']],
    ['/any/../plain', '/any/*path', ['../plain']],
    ['/any/%2e%2E/%zz/%00', '/any/*path', ['%2e%2E/%zz/%00']],
    ['/any/a;b=c', '/any/*path', ['a;b=c']],
  ])('%s is %s', (path, id, segments) => {
    const match = router.find(path);
    expect(match?.endpoint.id).toBe(id);
    expect(match?.segments).toEqual(segments);
  });
});

test('a path is found again, and not in place of another one', () => {
  const paths = [
    '/bytes/5',
    '/bytes/5',
    '/bytes/6',
    '/any/x',
    '/bytes/5/x',
    '/any/x',
    '/plain',
    '/any/x',
  ];
  const found = paths.map((path) => router.find(path));
  expect(found.map((match) => [match?.endpoint.id, match?.segments])).toEqual([
    ['/bytes/{n}', ['5']],
    ['/bytes/{n}', ['5']],
    ['/bytes/{n}', ['6']],
    ['/any/*path', ['x']],
    [undefined, undefined],
    ['/any/*path', ['x']],
    ['/plain', []],
    ['/any/*path', ['x']],
  ]);
});

describe('other paths: nothing is normalized', () => {
  test.each([
    '',
    '*',
    'plain',
    '//',
    '//plain',
    '/plain/',
    '/plain//',
    '/./plain',
    '/x/../plain',
    '/plain/.',
    '/plain;x',
    '/PLAIN',
    '/%70lain',
    '/plai%6E',
    '/plain%00',
    '/plain%2F',
    '/plain?x',
    '/plain/x',
    '/robotsXtxt',
    '/cookies/',
    '/cookies/sets',
    '/cookies/set/x',
    '/cookies%2Fset',
    '/bytes',
    '//bytes/5',
    '/bytes//5',
    '/bytes/5/',
    '/bytes/5/x',
    '/%62ytes/5',
    '/bytes%2F5',
    '/a/1/b',
    '/a/1/c/2',
    '/a/1/b/2/3',
    '/a/1/%62/2',
    '/a/1//b/2',
    '/anyx',
    '//any/x',
    '/any%2Fx',
    '/__proto__',
    '/constructor/x',
    '/other',
  ])('%s', (path) => {
    expect(router.find(path)).toBeUndefined();
  });
});

describe('invalid patterns are rejected', () => {
  test.each([
    ['a hole in the first segment', '/{x}/y'],
    ['a wildcard there', '/*x'],
    ['a wildcard further down', '/a/b/*x'],
    ['a hole that is but a part of its segment', '/a/b-{x}'],
    ['no slash at the start', 'plain'],
  ])('%s', (_, path) => {
    const odd = { ...fixed('/'), path };
    expect(() => new Router([odd])).toThrow(path);
  });

  test('and so is a duplicate', () => {
    expect(() => new Router([fixed('/x'), fixed('/x')])).toThrow('/x');
    const holed = endpoint({ ...rest, id: 'h', path: '/x/{a}', params: { a: text } });
    const same = endpoint({ ...rest, id: 'g', path: '/x/{b}', params: { b: text } });
    expect(() => new Router([holed, same])).toThrow('/x/{b}');
  });
});

function dialect(name: DialectName): Dialect {
  return likeWirebin({ name, router: new Router([]) });
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
    `dialect=${name} is not one of wirebin, httpbin, go-httpbin, gateway-api, postman-echo`,
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
