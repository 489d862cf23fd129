import { describe, expect, test } from 'vitest';
import {
  DerivedComponents,
  normalizeAuthority,
} from '../../../src/http/message-signatures/derived-components.ts';
import { parseItem } from '../../../src/http/structured-fields.ts';

const TARGET = {
  method: 'PoSt',
  scheme: 'https',
  authority: 'www.example.com',
  requestTarget: '/path?param=value',
  targetUri: 'https://www.example.com/path?param=value',
  path: '/path',
  query: 'param=value',
};

/** @param component an identifier, such as `"@query-param";name="a"` */
function valueOf(component: string, changes: Partial<typeof TARGET> = {}): unknown {
  const item = parseItem(component);
  if (item?.value.type !== 'string') throw new Error(component);
  const components = new DerivedComponents({ ...TARGET, ...changes });
  const found = components.valueOf(item.value.value, item.parameters);
  return 'value' in found ? found.value : found.reason;
}

test.each([
  ['"@method"', 'PoSt'],
  ['"@target-uri"', 'https://www.example.com/path?param=value'],
  ['"@authority"', 'www.example.com'],
  ['"@scheme"', 'https'],
  ['"@request-target"', '/path?param=value'],
  ['"@path"', '/path'],
  ['"@query"', '?param=value'],
])('RFC 9421 2.2.1 to 2.2.7: %s is %s', (component, expected) => {
  expect(valueOf(component)).toBe(expected);
});

test('nothing is a slash, or a question mark', () => {
  expect(valueOf('"@path"', { path: '' })).toBe('/');
  expect(valueOf('"@query"', { query: '' })).toBe('?');
});

describe('RFC 9421 2.2.8: query parameters', () => {
  const query =
    'var=this%20is%20a%20big%0Amultiline%20value&bar=with+plus+whitespace&fa%C3%A7ade%22%3A%20=something&qux=&b!*=~&two=1&two=2';

  test.each([
    ['var', 'this%20is%20a%20big%0Amultiline%20value'],
    ['bar', 'with%20plus%20whitespace'],
    ['fa%C3%A7ade%22%3A%20', 'something'],
    ['qux', ''],
    ['b%21*', '%7E'],
    ['two', 'the query has it more than once (RFC 9421 2.2.8)'],
    ['none', 'the query does not have it'],
  ])('%s: %s', (name, expected) => {
    expect(valueOf(`"@query-param";name="${name}"`, { query })).toBe(expected);
  });

  test.each(['"@query-param"', '"@query-param";name=a', '"@query-param";name="a";sf'])(
    '%s',
    (text) => {
      expect(valueOf(text, { query: 'a=1' })).toBe(
        'it needs the parameter name, a string, and no other',
      );
    },
  );
});

test.each([
  ['"@status"', 'it is for responses only (RFC 9421 2.2.9)'],
  ['"@signature-params"', 'it must not be covered (RFC 9421 2.3)'],
  ['"@constructor"', 'this derived component is unknown'],
  ['"@path";sf', 'the parameter sf does not apply to it'],
])('%s has no value', (component, reason) => {
  expect(valueOf(component)).toBe(reason);
});

test.each([
  ['WWW.Example.COM', 'https', 'www.example.com'],
  ['a:443', 'https', 'a'],
  ['a:443', 'http', 'a:443'],
  ['a:80', 'http', 'a'],
  ['[::1]:8080', 'http', '[::1]:8080'],
  ['a:', 'http', 'a'],
])('RFC 9110 4.2.3: the authority %s with %s is %s', (authority, scheme, expected) => {
  expect(normalizeAuthority(authority, scheme)).toBe(expected);
});
