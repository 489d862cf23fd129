import { expect, test } from 'vitest';
import {
  parseCookies,
  pathMatches,
  setCookie,
  type CookieAttributes,
} from '../../src/http/cookies.ts';
import { Problem } from '../../src/http/problem.ts';

test.each<[string, Record<string, string>]>([
  ['', {}],
  ['a=1', { a: '1' }],
  ['a=1; b=2', { a: '1', b: '2' }],
  ['a=1;b=2 ;\tc=3\t', { a: '1', b: '2', c: '3' }],
  ['a=', { a: '' }],
  ['a=b=c==', { a: 'b=c==' }],
  ['a="quoted, \\x"', { a: '"quoted, \\x"' }],
  ['a=in  between', { a: 'in  between' }],
  ['A=1; a=2', { A: '1', a: '2' }],
  ['a=the longest path; a=another', { a: 'the longest path' }],
  ['a=; a=another', { a: '' }],
  ['nameless; a=1; ; =empty', { a: '1', '': 'empty' }],
  ['a=%C3%A9', { a: '%C3%A9' }],
  ['a=\u00c3\u00a9', { a: 'é' }],
  ['a=\u00e9', { a: 'é' }],
  ['constructor=1; toString=2', { constructor: '1', toString: '2' }],
])('RFC 6265 4.2: the Cookie field %j', (value, cookies) => {
  expect({ ...parseCookies(value) }).toEqual(cookies);
});

test('a cookie can be named __proto__', () => {
  expect(Object.entries(parseCookies('__proto__=1'))).toEqual([['__proto__', '1']]);
});

test.each<[string, string, CookieAttributes, string]>([
  ['a', '1', {}, 'a=1'],
  ['a', '', { path: '/', maxAge: 0 }, 'a=; Path=/; Max-Age=0'],
  [
    'a',
    'b c,"d"\\',
    {
      httpOnly: true,
      secure: true,
      sameSite: 'Lax',
      maxAge: 60,
      domain: 'example.org',
      path: '/x',
    },
    'a=b c,"d"\\; Path=/x; Domain=example.org; Max-Age=60; SameSite=Lax; Secure; HttpOnly',
  ],
  ['a', '1', { secure: false, httpOnly: false }, 'a=1'],
  [
    'a',
    'é',
    { path: '/é', domain: 'é' },
    'a=\u00c3\u00a9; Path=/\u00c3\u00a9; Domain=\u00c3\u00a9',
  ],
  ['a', '𝄞', {}, 'a=\u00f0\u009d\u0084\u009e'],
  ["!#$%&'*+-.^_`|~09AZaz", '1', {}, "!#$%&'*+-.^_`|~09AZaz=1"],
])('RFC 6265 4.1.1: the Set-Cookie field of %j=%j, %j', (name, value, attributes, field) => {
  expect(setCookie(name, value, attributes)).toBe(field);
});

test.each<[string, string, CookieAttributes]>([
  ['', '1', {}],
  ['a b', '1', {}],
  ['a;b', '1', {}],
  ['a=b', '1', {}],
  ['a\r\nX', '1', {}],
  ['é', '1', {}],
  ['"a"', '1', {}],
  ['a', '1; Secure', {}],
  ['a', '1\r\nX: y', {}],
  ['a', '1\n', {}],
  ['a', '\t', {}],
  ['a', '\0', {}],
  ['a', '\u007f', {}],
  ['a', '1', { path: '/;x' }],
  ['a', '1', { path: '/\r\n' }],
  ['a', '1', { domain: 'a;b' }],
  ['a', '1', { domain: 'a\u0001' }],
])('rejected: %j=%j, %j', (name, value, attributes) => {
  expect(() => setCookie(name, value, attributes)).toThrow(
    expect.objectContaining({ name: 'Problem', code: 'invalid-parameter' }),
  );
});

test.each([
  ['/a/b', '/a/b', true],
  ['/a/b', '/a', true],
  ['/a/b', '/a/', true],
  ['/a/b', '/', true],
  ['/a/b', '/a/b/', false],
  ['/a/b', '/a/b/c', false],
  ['/ab', '/a', false],
  ['/a', '/b', false],
])('RFC 6265 5.1.4: the path %s and the Path %s', (path, cookiePath, expected) => {
  expect(pathMatches(path, cookiePath)).toBe(expected);
});

test('the problem detail says what is wrong', () => {
  expect(() => setCookie('a', '1', { path: '/;' })).toThrow(
    new Problem('invalid-parameter', 'path=/; contains a semicolon or a control character'),
  );
  expect(() => setCookie('a b', '1', {})).toThrow('the cookie name "a b" is not a token');
});
