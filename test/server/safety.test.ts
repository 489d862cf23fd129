import { describe, expect, test } from 'vitest';
import type { PullSource } from '../../src/server/payload.ts';
import {
  escapedContent,
  escapeMarkup,
  escapeMarkupInJson,
  isExecutableType,
  JSON_ESCAPES,
  REFERENCES,
} from '../../src/server/safety.ts';

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

const piecesOf = ({ next }: Pick<PullSource, 'next'>, size: number): Uint8Array[] => {
  const pieces = [];
  for (let piece = next(size); piece; piece = next(size)) pieces.push(piece);
  return pieces;
};

describe('content that is escaped while it is sent', () => {
  const text = '<a href="b">&amp; \u00e9 \'plain\'</a> '.repeat(1000);
  const bytes = Buffer.from(text);

  test.each([1, 7, 4096, 65_536])(
    'is the same in pieces of %i bytes, also a second time',
    (size) => {
      const content = escapedContent(bytes, REFERENCES);
      const again = content.fix();
      const whole = escapeMarkup(bytes);
      for (const source of [content, again(), again()]) {
        const pieces = piecesOf(source, size);
        expect(pieces.every(({ length }) => length > 0 && length <= size)).toBe(true);
        expect(Buffer.concat(pieces).equals(whole)).toBe(true);
        expect(source.length).toBe(whole.length);
      }
    },
  );

  test('is the same value as JSON', () => {
    const json = JSON.stringify(text);
    const escaped = Buffer.concat(piecesOf(escapedContent(Buffer.from(json), JSON_ESCAPES), 100));
    expect(escaped.toString()).toBe(escapeMarkupInJson(json));
    expect(JSON.parse(escaped.toString())).toBe(text);
  });

  test('keeps only the bytes that it is made of', () => {
    const markup = Buffer.alloc(4 * 1024 ** 2, '<');
    expect(escapedContent(markup, JSON_ESCAPES)).toMatchObject({
      length: 6 * markup.length,
      held: markup.length,
    });
    const plain = Buffer.alloc(1000, 'a');
    expect(escapedContent(plain, JSON_ESCAPES)).toMatchObject({ length: 1000, held: 1000 });
  });
});
