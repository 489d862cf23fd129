import { expect } from 'vitest';
import { servesDocument } from './_document.ts';

servesDocument('/encoding/utf8', 'text/html; charset=utf-8', (_, bytes) => {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  expect(text).toContain('Hello world, Καλημ\u1f73ρα κ\u1f79σμε, コンニチハ');
  const lengths = new Set(Array.from(text, (character) => Buffer.byteLength(character)));
  expect(lengths, 'characters of one to four bytes').toEqual(new Set([1, 2, 3, 4]));
});
