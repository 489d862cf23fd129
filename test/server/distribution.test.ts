import { expect, test, vi } from 'vitest';
import { percentages, pick } from '../../src/server/distribution.ts';

const parse = (text: string): string => text;

test.each([
  ['a:50', [50, 50]],
  ['a:50%', [50, 50]],
  ['a:10,b:5.5%', [10, 5.5, 84.5]],
  ['a:100', [100, 0]],
  ['a:33.3,b:33.3,c:33.4', [33.3, 33.3, 33.4, 0]],
  ['a:0', [0, 100]],
])('%s: the rest is what is left of 100%%', (text, weights) => {
  const choices = percentages(text, 'n', parse, 'rest');
  expect(choices.map(({ weight }) => weight)).toEqual(
    weights.map((weight) => expect.closeTo(weight)),
  );
  expect(choices.at(-1)?.value).toBe('rest');
});

test.each([
  ['a', 'n=a is not value:percentage'],
  ['a:', 'n=a: is not value:percentage'],
  ['a:x', 'n=a:x is not value:percentage'],
  ['a:-1', 'n=a:-1 is not value:percentage'],
  ['a:1,', 'n=a:1, has an empty element'],
  ['a:60,b:41', 'n=a:60,b:41 exceeds 100%: 101% in all'],
  [`a:${'9'.repeat(400)}`, 'exceeds 100%'],
])('%s is none', (text, message) => {
  expect(() => percentages(text, 'n', parse, '')).toThrow(message);
});

test.each([
  [0, 'a'],
  [0.0999, 'a'],
  [0.1, 'b'],
  [0.1499, 'b'],
  [0.15, 'rest'],
  [0.9999, 'rest'],
])('%d picks %s', (random, value) => {
  vi.spyOn(Math, 'random').mockReturnValueOnce(random);
  expect(pick(percentages('a:10,b:5', 'n', parse, 'rest'))).toBe(value);
  vi.restoreAllMocks();
});

test('nothing is picked where all weights are 0', () => {
  expect(pick([{ value: 'a', weight: 0 }])).toBeUndefined();
});
