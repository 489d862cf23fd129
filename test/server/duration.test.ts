import { expect, test } from 'vitest';
import { millisecondsSince, toMicrosecond } from '../../src/server/duration.ts';

test('durations have three decimals at the most', () => {
  expect(toMicrosecond(4.874607000005199)).toBe(4.875);
  expect(toMicrosecond(0)).toBe(0);
  for (let at = 0; at < 10_000; at++) {
    expect(String(toMicrosecond(Math.random() * 1e9))).toMatch(/^\d+(?:\.\d{1,3})?$/);
  }
  expect(String(millisecondsSince(-1 / 3))).toMatch(/^\d+(?:\.\d{1,3})?$/);
});
