import { expect, test } from 'vitest';
import { turnsOf } from '../../../src/bench/load/turns.ts';

const turns = (...weights: readonly (number | undefined)[]) =>
  turnsOf(weights.map((weight, at) => ({ weight, name: 'abc'[at] })))
    .map(({ name }) => name)
    .join('');

test('each is chosen as often as its weight, evenly spread', () => {
  expect(turns(undefined)).toBe('a');
  expect(turns(5, 1, 1)).toBe('aabacaa');
  expect(turns(1, undefined)).toBe('ab');
});
