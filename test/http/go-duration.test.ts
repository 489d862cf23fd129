import { expect, test } from 'vitest';
import { parseGoDuration } from '../../src/http/go-duration.ts';

test.each([
  ['0', 0],
  ['-0', 0],
  ['1s', 1],
  ['300ms', 0.3],
  ['1m30s', 90],
  ['1.5h', 5400],
  ['.5s', 0.5],
  ['1.s', 1],
  ['-1.5s', -1.5],
  ['+2m', 120],
  ['2us', 2e-6],
  ['2µs', 2e-6],
  ['2μs', 2e-6],
  ['10ns', 1e-8],
  ['', undefined],
  ['1', undefined],
  ['s', undefined],
  ['.s', undefined],
  ['1d', undefined],
  ['1 s', undefined],
  ['1e3s', undefined],
  ['1s1', undefined],
  ['--1s', undefined],
  ['NaNs', undefined],
])('%s', (text, seconds) => {
  const parsed = parseGoDuration(text);
  if (seconds === undefined) expect(parsed).toBeUndefined();
  else expect(parsed).toBeCloseTo(seconds, 12);
});

test('parsing takes linear time', () => {
  expect(parseGoDuration(`${'1s'.repeat(100_000)}x`)).toBeUndefined();
  expect(parseGoDuration('1'.repeat(200_000))).toBeUndefined();
});
