import { expect, test } from 'vitest';
import { isExecutableType, escapeMarkup, escapeMarkupInJson } from '../../src/server/safety.ts';

test.each([
  ['text/plain', false],
  ['TEXT/PLAIN; charset=utf-8', false],
  ['application/json', false],
  ['application/octet-stream', false],
  ['image/png', false],
  ['image/jpeg', false],
  ['video/mp4', false],
  ['font/woff2', false],
  ['image/svg+xml', true],
  ['image/xml', true],
  ['text/html', true],
  ['text/xml', true],
  ['application/xhtml+xml', true],
  ['multipart/x-mixed-replace', true],
  ['application/pdf', true],
  ['application/x-unknown', true],
  ['*/*', true],
  ['text/plain, text/html', true],
  ['text/plain; text/html', true],
  ['text', true],
  ['', true],
])('a browser could execute %s: %s', (type, runs) => {
  expect(isExecutableType(type)).toBe(runs);
});

test('JSON with escaped markup is the same value', () => {
  const value = { '<a>': ['&amp;', '\\u003c', '<!-- -->', '\u2028'] };
  const text = escapeMarkupInJson(JSON.stringify(value));
  expect(text).not.toMatch(/[<>&]/);
  expect(JSON.parse(text)).toEqual(value);
});

test('escaped bytes contain no markup, and other bytes are kept', () => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  const escaped = escapeMarkup(bytes).toString('latin1');
  expect(escaped).not.toMatch(/[<>"']/);
  const shown = { '&lt;': '<', '&gt;': '>', '&amp;': '&', '&#34;': '"', '&#39;': "'" };
  const back = escaped.replace(/&[^;]*;/g, (reference) => shown[reference as keyof typeof shown]);
  expect(back).toBe(bytes.toString('latin1'));
});
