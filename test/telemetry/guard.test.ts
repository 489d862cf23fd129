import { describe, expect, test } from 'vitest';
import {
  is,
  isAnything,
  isCount,
  isMap,
  isObject,
  isOneOf,
  isOptional,
  isText,
  type Guard,
} from '../../src/telemetry/guard.ts';

const ODD = [undefined, null, true, 0, 1, -1, 1.5, NaN, Infinity, 2 ** 53, '', 'a', '1', [], {}];

describe('what each lets pass of odd values', () => {
  test.each<[name: string, guard: Guard<unknown>, passes: unknown[]]>([
    ['isAnything', isAnything, ODD],
    ['isText', isText, ['', 'a', '1']],
    ['isCount', isCount, [0, 1]],
    ["is('a')", is('a'), ['a']],
    ['is(null)', is(null), [null]],
    ['isOptional(isCount)', isOptional(isCount), [undefined, 0, 1]],
    ['isOneOf(isText, isCount)', isOneOf(isText, isCount), [0, 1, '', 'a', '1']],
    ['isObject({})', isObject({}), [[], {}]],
    ['isMap(isText)', isMap(isText), [[], {}]],
    ['isObject({ a: isText })', isObject({ a: isText }), []],
  ])('%s', (_, guard, passes) => {
    expect(ODD.filter((value) => guard(value))).toEqual(passes);
  });
});

test('objects: every member is looked at, others may be there, optional ones may not', () => {
  const guard = isObject({ kind: is('a'), size: isOptional(isCount), inner: isObject({}) });
  expect(guard({ kind: 'a', inner: {} })).toBe(true);
  expect(guard({ kind: 'a', inner: {}, size: 1, more: 'x' })).toBe(true);
  expect(guard({ kind: 'b', inner: {} })).toBe(false);
  expect(guard({ kind: 'a', inner: null })).toBe(false);
  expect(guard({ kind: 'a', inner: {}, size: '1' })).toBe(false);
});

test('maps: every value is looked at', () => {
  expect(isMap(isCount)({ a: 1, b: 2 })).toBe(true);
  expect(isMap(isCount)({ a: 1, b: '2' })).toBe(false);
});
