import { describe, expect, test } from 'vitest';
import { essenceOf, MEDIA_TYPE, parseMediaType } from '../../src/http/media-type.ts';

describe('a media type (RFC 9110 8.3.1)', () => {
  test.each<[text: string, essence: string, parameters: Record<string, string>]>([
    ['text/plain', 'text/plain', {}],
    ['Text/PLAIN;Charset=UTF-8', 'text/plain', { charset: 'UTF-8' }],
    [' text/html ; a=1; ; b="x;\\"y" ', 'text/html', { a: '1', b: 'x;"y' }],
    ['*/*;q=0.5', '*/*', { q: '0.5' }],
    ['application/vnd.api+json', 'application/vnd.api+json', {}],
  ])('%s', (text, essence, parameters) => {
    const media = parseMediaType(text);
    expect(`${media?.type}/${media?.subtype}`).toBe(essence);
    expect(Object.fromEntries(media?.parameters ?? [])).toEqual(parameters);
  });

  const NONE = ['', 'text', 'text/', '/plain', 'text/plain a', 'text/plain;a', 'text/plain;a="b'];
  test.each(NONE)('%j is none', (text) => {
    expect(parseMediaType(text)).toBeUndefined();
  });
});

test('what is valid as a field value', () => {
  const valid = ['text/plain', 'text/plain; charset="a b"', 'text/plain;'];
  const others = [' text/plain', 'text/plain; a', 'text/plain; a="\u{1}"', 'text/plain\r\nx: y'];
  expect([...valid, ...others].filter((text) => MEDIA_TYPE.test(text))).toEqual(valid);
});

test.each([
  ['Text/HTML ; charset=utf-8', 'text/html'],
  ['json', 'json'],
  ['', ''],
])('%j without parameters', (type, essence) => {
  expect(essenceOf(type)).toBe(essence);
});
