import { expect, test } from 'vitest';
import { escaped, isEscaped } from '../../../src/dialects/go-httpbin/replies.ts';

test.each([
  ['text/plain', false],
  ['Text/Plain; charset=utf-8', false],
  ['application/json', false],
  ['application/octet-string', false],
  ['application/octet-stream', true],
  ['text/html', true],
  ['text/plain,text/html', true],
  ['', true],
])('markup is escaped as %j: %s', (type, is) => {
  expect(isEscaped(type)).toBe(is);
});

test('markup becomes character references', () => {
  const text = escaped(`<a href='x' title="é">&</a>`);
  expect(text).not.toMatch(/[<>"']|&(?!#?\w+;)/);
  expect(text).toContain('é');
});
