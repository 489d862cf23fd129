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
])('%s', (text, seconds) => {
  expect(parseGoDuration(text)).toBeCloseTo(seconds, 12);
});

const NONE = ['', '1', 's', '.s', '1d', '1 s', '1e3s', '1s1', '--1s', 'NaNs'];
test.each(NONE)('%j is none', (text) => {
  expect(parseGoDuration(text)).toBeUndefined();
});

test('parsing takes linear time', () => {
  expect(parseGoDuration(`${'1s'.repeat(100_000)}x`)).toBeUndefined();
  expect(parseGoDuration('1'.repeat(200_000))).toBeUndefined();
});
