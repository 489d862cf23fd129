import { expect, test } from 'vitest';
import { isAuthority, parseTarget } from '../../src/http/target.ts';
import { cpuOf } from '../_cpu.ts';

type Parts = [
  form: string,
  path: string,
  query: string,
  scheme?: string | undefined,
  authority?: string,
];
test.each<[method: string, raw: string, parts: Parts]>([
  ['GET', '/', ['origin', '/', '']],
  ['GET', '/a/b?c=d', ['origin', '/a/b', 'c=d']],
  ['GET', '/a?', ['origin', '/a', '']],
  ['GET', '/?a?b', ['origin', '/', 'a?b']],
  ['GET', '/a%2Fb/../c//d;e?%zz', ['origin', '/a%2Fb/../c//d;e', '%zz']],
  ['GET', '//a/b', ['origin', '//a/b', '']],
  ['GET', '/http://a/b', ['origin', '/http://a/b', '']],
  ['GET', '/*', ['origin', '/*', '']],
  ['OPTIONS', '*', ['asterisk', '*', '']],
  ['OPTIONS', '/a', ['origin', '/a', '']],
  ['GET', 'http://a/b?c', ['absolute', '/b', 'c', 'http', 'a']],
  ['GET', 'HTTPS://A:443/B', ['absolute', '/B', '', 'HTTPS', 'A:443']],
  ['GET', 'http://a', ['absolute', '/', '', 'http', 'a']],
  ['GET', 'http://a?b', ['absolute', '/', 'b', 'http', 'a']],
  ['GET', 'http://a//b/../c', ['absolute', '//b/../c', '', 'http', 'a']],
  ['GET', 'http://[::1]:80/x', ['absolute', '/x', '', 'http', '[::1]:80']],
  ['GET', 'http://a/b?c?d/e', ['absolute', '/b', 'c?d/e', 'http', 'a']],
  ['CONNECT', 'a:443', ['authority', '', '', undefined, 'a:443']],
])('RFC 9112 3.2: %s %s', (method, raw, [form, path, query, scheme, authority]) => {
  expect(parseTarget(method, raw)).toEqual({ form, raw, path, query, scheme, authority });
});

test.each([
  ['GET', ''],
  ['GET', '*'],
  ['OPTIONS', '**'],
  ['OPTIONS', '*?a'],
  ['GET', 'a'],
  ['GET', 'a:443'],
  ['GET', '?a'],
  // RFC 9110 7.1: a fragment must not be sent.
  ['GET', '/a#b'],
  ['GET', '/?a#'],
  ['GET', 'http://a/#b'],
  ['GET', 'http://a?b#c'],
  ['GET', 'ftp://a/b'],
  ['GET', 'http:/a'],
  ['GET', 'http:a'],
  ['GET', 'http://'],
  ['GET', 'http:///a'],
  ['GET', 'http://:80/'],
  ['GET', ' http://a/'],
  // RFC 9110 4.2.4: userinfo is an error.
  ['GET', 'http://u@a/'],
  ['GET', 'http://u:p@a/'],
  ['GET', 'http://a:b/'],
  ['GET', 'http://a b/'],
  ['GET', 'http://[::1/'],
  ['GET', 'http://a\\b/'],
])('%s %j is invalid', (method, raw) => {
  expect(parseTarget(method, raw)).toBeUndefined();
});

test.each([
  ['a', true],
  ['a.example:8080', true],
  ['a:', true],
  ['127.0.0.1:1', true],
  ['[::1]', true],
  ['[::ffff:127.0.0.1]:80', true],
  ['[v1.a:b]', true],
  ['xn--bcher-kva.example', true],
  ['a_b', true],
  ['%41', true],
  ["!$&'()*+,;=", true],
  ['', false],
  [':80', false],
  ['a:80:80', false],
  ['a:8x', false],
  ['::1', false],
  ['[::1', false],
  ['[]', false],
  ['[g]', false],
  ['a]', false],
  ['u@a', false],
  ['a/b', false],
  ['a?b', false],
  ['a#b', false],
  ['a b', false],
  ['a, b', false],
  ['%4', false],
  ['bücher.example', false],
  ['a\n', false],
  ['"a"', false],
  ['<a>', false],
])('RFC 9110 7.2: %j is an authority: %s', (text, is) => {
  expect(isAuthority(text)).toBe(is);
});

test('parsing takes linear time', () => {
  const long = 'a'.repeat(1_000_000);
  const cpu = cpuOf(() => {
    expect(parseTarget('GET', `http://${long}#`)).toBeUndefined();
    expect(parseTarget('GET', `http://a/${long}#`)).toBeUndefined();
    expect(parseTarget('GET', `http://${'%'.repeat(1_000_000)}#`)).toBeUndefined();
  });
  expect(cpu).toBeLessThan(2000);
});
