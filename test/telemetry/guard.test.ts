import { describe, expect, test } from 'vitest';
import {
  isCount,
  isLiteral,
  isObject,
  isOneOf,
  isOptional,
  isRecordOf,
  isString,
  isUnknown,
  type Guard,
} from '../../src/telemetry/guard.ts';

const VALUES = [undefined, null, true, 0, 1, -1, 1.5, NaN, Infinity, 2 ** 53, '', 'a', '1', [], {}];

describe('values that each guard accepts', () => {
  test.each<[name: string, guard: Guard<unknown>, accepted: unknown[]]>([
    ['isUnknown', isUnknown, VALUES],
    ['isString', isString, ['', 'a', '1']],
    ['isCount', isCount, [0, 1]],
    ["isLiteral('a')", isLiteral('a'), ['a']],
    ['isLiteral(null)', isLiteral(null), [null]],
    ['isOptional(isCount)', isOptional(isCount), [undefined, 0, 1]],
    ['isOneOf(isString, isCount)', isOneOf(isString, isCount), [0, 1, '', 'a', '1']],
    ['isObject({})', isObject({}), [[], {}]],
    ['isRecordOf(isString)', isRecordOf(isString), [[], {}]],
    ['isObject({ a: isString })', isObject({ a: isString }), []],
  ])('%s', (_, guard, accepted) => {
    expect(VALUES.filter((value) => guard(value))).toEqual(accepted);
  });
});

test('objects: every declared member is checked, others are ignored, optional ones may be missing', () => {
  const guard = isObject({ kind: isLiteral('a'), size: isOptional(isCount), inner: isObject({}) });
  expect(guard({ kind: 'a', inner: {} })).toBe(true);
  expect(guard({ kind: 'a', inner: {}, size: 1, more: 'x' })).toBe(true);
  expect(guard({ kind: 'b', inner: {} })).toBe(false);
  expect(guard({ kind: 'a', inner: null })).toBe(false);
  expect(guard({ kind: 'a', inner: {}, size: '1' })).toBe(false);
});

test('records: every value is checked', () => {
  expect(isRecordOf(isCount)({ a: 1, b: 2 })).toBe(true);
  expect(isRecordOf(isCount)({ a: 1, b: '2' })).toBe(false);
});
