import { describe, expect, test } from 'vitest';
import {
  evaluatePreconditions,
  ifRangeHolds,
  parseEntityTags,
  matchesStrongly,
  matchesWeakly,
} from '../../src/http/conditional.ts';
import { cpuOf } from '../_cpu.ts';

const BEFORE = 'Sun, 31 Dec 2023 23:59:59 GMT';
const THEN = 'Mon, 01 Jan 2024 00:00:00 GMT';
const AFTER = 'Mon, 01 Jan 2024 00:00:01 GMT';
const validators = { etag: '"v1"', lastModified: THEN };

test.each([
  ['W/"1"', 'W/"1"', false, true],
  ['W/"1"', 'W/"2"', false, false],
  ['W/"1"', '"1"', false, true],
  ['"1"', '"1"', true, true],
])('RFC 9110 8.8.3.2: the entity tags %s and %s are compared', (one, other, strongly, weakly) => {
  expect([matchesStrongly(one, other), matchesWeakly(one, other)]).toEqual([strongly, weakly]);
  expect([matchesStrongly(other, one), matchesWeakly(other, one)]).toEqual([strongly, weakly]);
});

describe('RFC 9110 5.6.1: lists of entity tags', () => {
  test.each([
    ['"a"', ['"a"']],
    ['"a", W/"b" ,"c"', ['"a"', 'W/"b"', '"c"']],
    [', "a",, \t"b",', ['"a"', '"b"']],
    ['"a,b", ""', ['"a,b"', '""']],
    ['"\u00e9"', ['"\u00e9"']],
    ['v1', []],
    ['"a" "b"', []],
    ['"a', []],
    ['w/"a"', []],
    ['"a b"', []],
    ['*, "a"', []],
    ['', []],
  ])('%j', (value, tags) => {
    expect(parseEntityTags(value)).toEqual(tags);
  });

  test('a long list that is malformed at its end is rejected quickly', () => {
    const cpu = cpuOf(() => {
      expect(parseEntityTags(`${'"a" , '.repeat(5000)}"`)).toEqual([]);
      expect(parseEntityTags(`,${'\t'.repeat(100_000)}x`)).toEqual([]);
      expect(parseEntityTags(`"a"${' '.repeat(100_000)}x`)).toEqual([]);
    });
    expect(cpu).toBeLessThan(200);
  });
});

describe('RFC 9110 13.1: each precondition', () => {
  test.each([
    ['If-Match', '"v1"', 'perform'],
    ['If-Match', '"v0", "v1"', 'perform'],
    ['If-Match', '*', 'perform'],
    ['If-Match', '"v0"', 'failed'],
    ['If-Match', 'W/"v1"', 'failed'],
    ['If-Match', 'v1', 'failed'],
    ['If-None-Match', '"v1"', 'not-modified'],
    ['If-None-Match', '"v0", W/"v1"', 'not-modified'],
    ['If-None-Match', '*', 'not-modified'],
    ['If-None-Match', '"v0"', 'perform'],
    ['If-None-Match', 'v1', 'perform'],
    ['If-Modified-Since', BEFORE, 'perform'],
    ['If-Modified-Since', THEN, 'not-modified'],
    ['If-Modified-Since', AFTER, 'not-modified'],
    ['If-Modified-Since', 'Monday, 01-Jan-24 00:00:00 GMT', 'not-modified'],
    ['If-Modified-Since', 'yesterday', 'perform'],
    ['If-Unmodified-Since', BEFORE, 'failed'],
    ['If-Unmodified-Since', THEN, 'perform'],
    ['If-Unmodified-Since', AFTER, 'perform'],
    ['If-Unmodified-Since', 'yesterday', 'perform'],
  ])('%s: %s', (name, value, verdict) => {
    expect(evaluatePreconditions('GET', [name, value], validators)).toBe(verdict);
    expect(evaluatePreconditions('HEAD', [name.toLowerCase(), value], validators)).toBe(verdict);
    // RFC 10008 2.6.
    expect(evaluatePreconditions('QUERY', [name, value], validators)).toBe(verdict);
  });

  test('field lines are combined into one list (5.3)', () => {
    const fields = ['If-None-Match', '"v0"', 'If-None-Match', '"v1"'];
    expect(evaluatePreconditions('GET', fields, validators)).toBe('not-modified');
  });

  test('without preconditions the method is performed', () => {
    expect(evaluatePreconditions('GET', [], validators)).toBe('perform');
  });
});

describe('RFC 9110 13.2.2: precedence', () => {
  test.each([
    [
      'If-Match before If-Unmodified-Since',
      ['If-Match', '"v1"', 'If-Unmodified-Since', BEFORE],
      'perform',
    ],
    ['If-Match before If-None-Match', ['If-Match', '"v0"', 'If-None-Match', '"v1"'], 'failed'],
    ['both evaluated', ['If-Match', '"v1"', 'If-None-Match', '"v1"'], 'not-modified'],
    [
      'If-Unmodified-Since before If-None-Match',
      ['If-Unmodified-Since', BEFORE, 'If-None-Match', '"v1"'],
      'failed',
    ],
    [
      'If-None-Match instead of If-Modified-Since',
      ['If-None-Match', '"v0"', 'If-Modified-Since', AFTER],
      'perform',
    ],
    [
      'If-None-Match takes precedence if it matches',
      ['If-None-Match', '"v1"', 'If-Modified-Since', BEFORE],
      'not-modified',
    ],
  ])('%s', (_, fields, verdict) => {
    expect(evaluatePreconditions('GET', fields, validators)).toBe(verdict);
  });

  test.each([
    ['If-None-Match', '"v1"', 'failed'],
    ['If-None-Match', '*', 'failed'],
    ['If-Modified-Since', AFTER, 'perform'],
  ])('a method other than GET and HEAD with %s: %s', (name, value, verdict) => {
    expect(evaluatePreconditions('PUT', [name, value], validators)).toBe(verdict);
  });
});

describe('RFC 9110 13.1.5: If-Range', () => {
  test.each([
    ['"v1"', true],
    ['"v0"', false],
    ['W/"v1"', false],
    ['"v0", "v1"', false],
    ['*', false],
    [THEN, true],
    ['Mon Jan  1 00:00:00 2024', true],
    [BEFORE, false],
    [AFTER, false],
    ['yesterday', false],
  ])('%s', (value, holds) => {
    expect(ifRangeHolds(['If-Range', value], validators)).toBe(holds);
  });

  test('an absent If-Range is true', () => {
    expect(ifRangeHolds([], validators)).toBe(true);
  });
});
