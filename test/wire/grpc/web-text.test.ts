import { expect, test } from 'vitest';
import { Base64Reader } from '../../../src/wire/grpc/web-text.ts';

test('base64 in pieces, with padding within', () => {
  const text = Buffer.from(`${btoa('a')}${btoa('bc')}${btoa('def')}`);
  for (let at = 0; at <= text.length; at++) {
    const reader = new Base64Reader();
    const bytes = [text.subarray(0, at), text.subarray(at)].map((piece) => reader.push(piece));
    expect(Buffer.concat(bytes).toString()).toBe('abcdef');
    expect(reader.isComplete).toBe(true);
  }
});

test('an incomplete group', () => {
  const reader = new Base64Reader();
  expect(reader.push(Buffer.from('YWJjZ')).toString()).toBe('abc');
  expect(reader.isComplete).toBe(false);
});
