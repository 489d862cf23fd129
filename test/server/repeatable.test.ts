import { expect, test } from 'vitest';
import { pullBytes, pullParts, type PullSource } from '../../src/server/payload.ts';

function textOf(source: PullSource): string {
  let text = '';
  for (let piece = source.next(2); piece; piece = source.next(2)) text += String(piece);
  return text;
}

test.each([
  ['bytes', pullBytes(Buffer.from('abcde'))],
  ['parts', pullParts([Buffer.from('abc'), Buffer.alloc(0), Buffer.from('de')], 3)],
])('%s are made again for a digest and for the response', (_, payload) => {
  const make = payload.fix();
  expect(textOf(make())).toBe('abcde');
  expect(textOf(make())).toBe('abcde');
  expect(make()).toHaveProperty('length', 5);
});
