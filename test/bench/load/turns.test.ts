import { expect, test } from 'vitest';
import { Turns } from '../../../src/bench/load/turns.ts';

/** The names of the first that are chosen. */
function chosen(
  count: number,
  ...weights: readonly [number | undefined, ...(number | undefined)[]]
) {
  const [first, ...others] = weights;
  const turns = new Turns([
    { weight: first, name: 'a' },
    ...others.map((weight, at) => ({ weight, name: 'bc'[at] })),
  ]);
  return Array.from({ length: count }, () => turns.next().name).join('');
}

test('each is chosen as often as its weight, evenly spread', () => {
  expect(chosen(3, undefined)).toBe('aaa');
  expect(chosen(14, 5, 1, 1)).toBe('aabacaaaabacaa');
  expect(chosen(4, 1, undefined)).toBe('abab');
});

test('large weights cost nothing before the first is chosen', () => {
  expect(chosen(3, 1e9, 1e9, 1)).toBe('aba');
});
