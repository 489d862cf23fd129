import { expect, test } from 'vitest';
import { escapeHtmlAsGo, isEscaped } from '../../../src/dialects/go-httpbin/replies.ts';

test('markup is escapeHtmlAsGo unless the type is one of three', () => {
  const plain = ['text/plain', 'Text/Plain; charset=utf-8', 'application/json'];
  const others = ['application/octet-stream', 'text/html', 'text/plain,text/html', ''];
  expect([...plain, 'application/octet-string', ...others].filter(isEscaped)).toEqual(others);
});

test('markup becomes character references', () => {
  const text = escapeHtmlAsGo(`<a href='x' title="é">&</a>`);
  expect(text).not.toMatch(/[<>"']|&(?!#?\w+;)/);
  expect(text).toContain('é');
});
