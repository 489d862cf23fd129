import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { matcherOf } from '../../src/http/pattern.ts';

test.each([
  ['/get', '/get', true],
  ['/get/', '/get', false],
  ['/get', '/get*', true],
  ['/getting', '/get*', true],
  ['/', '*', true],
  ['', '*', true],
  ['', '', true],
  ['/a', '', false],
  ['/bytes/10', '/bytes/*', true],
  ['/bytes', '/bytes/*', false],
  ['/a/b/c', '/a/*/c', true],
  ['/a/c', '/a/*/c', false],
  ['/aba', '/ab*ba', false],
  ['/abba', '/ab*ba', true],
  ['/x/healthz', '*health*', true],
  ['/a.b', '/a?b', false],
  ['/a+b', '/a+b', true],
])('%s with %s: %s', (path, pattern, expected) => {
  expect(matcherOf(pattern)(path)).toBe(expected);
});

test('matches the same paths as the equivalent regular expression', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 12 });
  const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '/', '*'), maxLength: 8 });
  fc.assert(
    fc.property(text, pattern, (path, glob) => {
      const expression = new RegExp(`^${glob.replaceAll('*', '.*')}$`);
      expect(matcherOf(glob)(path)).toBe(expression.test(path));
    }),
  );
});

/** Of a target: --max-target-size. */
const LONGEST = 16_000;

test('long parts are found as short ones are', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 100, maxLength: 400 });
  const part = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 65, maxLength: 90 });
  fc.assert(
    fc.property(text, part, text, (before, inner, after) => {
      for (const path of [before + after, before + inner + after, inner.slice(1) + inner + inner]) {
        expect(matcherOf(`*${inner}*`)(path)).toBe(path.includes(inner));
      }
    }),
  );
});

/** Of no text: the character that is missing is at the end, at the beginning or in the middle of what repeats. */
const hostile = [
  ...[2, 3, 5, 200].map((stars) => ['/a', '*/a'.repeat(stars)] as const),
  ...[1, 10, 64, 65, 1000, 8000].flatMap((length) => {
    const half = 'a'.repeat(length / 2);
    return [`*${half}b${half}*`, `*b${half}${half}*`, `*${half}${half}b*`].map(
      (pattern) => ['a', pattern] as const,
    );
  }),
].map(([unit, pattern]) => [unit.repeat(LONGEST / unit.length), `${pattern}x`] as const);

test.each(hostile)('a long text costs no more than its length, %#', (text, pattern) => {
  const matches = matcherOf(pattern);
  const least = Math.min(
    ...Array.from({ length: 5 }, () => {
      const start = process.cpuUsage();
      expect(matches(text)).toBe(false);
      const { user, system } = process.cpuUsage(start);
      return (user + system) / 1000;
    }),
  );
  // Milliseconds; before, a pattern with three stars took 12 seconds.
  expect(least).toBeLessThan(5);
});
