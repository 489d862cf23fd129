import { describe, expect, test } from 'vitest';
import {
  anyText,
  basicUser,
  decimal,
  duration,
  flag,
  int,
  int64,
  oneOf,
  optional,
  repeated,
  type Parameter,
} from '../../src/server/params.ts';
import { Problem } from '../../src/http/problem.ts';

/** The parsed value, or the detail of the problem. */
function read(parameter: Parameter<unknown>, text: string | undefined): unknown {
  try {
    return parameter.parse(text, 'n');
  } catch (error) {
    if (error instanceof Problem && error.code === 'invalid-parameter') return error.message;
    throw error;
  }
}

function notWhole(text: string): string {
  return `n=${text} is not a whole decimal number`;
}

function notDecimal(text: string): string {
  return `n=${text} is not a decimal number`;
}

describe('an integer', () => {
  const number = int({ min: 2, max: 300 });
  test.each<[text: string | undefined, result: unknown]>([
    ['2', 2],
    ['300', 300],
    ['007', 7],
    [`${'0'.repeat(5000)}42`, 42],
    ['1', 'n=1 is below the minimum of 2'],
    ['301', 'n=301 exceeds the maximum of 300'],
    ['9'.repeat(400), `n=${'9'.repeat(400)} exceeds the maximum of 300`],
    [undefined, 'n is required'],
    ['', notWhole('')],
    [' 5', notWhole(' 5')],
    ['5 ', notWhole('5 ')],
    ['5\n', notWhole('5\n')],
    ['+5', notWhole('+5')],
    ['-5', notWhole('-5')],
    ['1e2', notWhole('1e2')],
    ['0x10', notWhole('0x10')],
    ['0b11', notWhole('0b11')],
    ['5.0', notWhole('5.0')],
    ['1_0', notWhole('1_0')],
    ['5n', notWhole('5n')],
    ['5,6', notWhole('5,6')],
    ['٥', notWhole('٥')],
    ['５', notWhole('５')],
    ['5\0', notWhole('5\0')],
    ['Infinity', notWhole('Infinity')],
    ['NaN', notWhole('NaN')],
  ])('%j', (text, result) => {
    expect(read(number, text)).toBe(result);
  });

  test.each([
    [2 ** 31 - 1, 'int32'],
    [2 ** 31, 'int64'],
  ])('up to %i the format is %s', (max, format) => {
    expect(int({ min: 0, max }).schema).toEqual({
      type: 'integer',
      format,
      pattern: String.raw`^\d`,
      minimum: 0,
      maximum: max,
    });
  });
});

test.each<[text: string, result: unknown]>([
  ['0', 0n],
  ['9007199254740993', 9_007_199_254_740_993n],
  ['9223372036854775807', 9_223_372_036_854_775_807n],
  [`${'0'.repeat(30)}9223372036854775807`, 9_223_372_036_854_775_807n],
  ['0'.repeat(30_000), 0n],
  ['9223372036854775808', 'n=9223372036854775808 exceeds the maximum of 9223372036854775807'],
  ['-1', 'n=-1 is not a whole decimal number'],
  ['', 'n= is not a whole decimal number'],
])('int64: %j', (text, result) => {
  expect(read(int64, text)).toBe(result);
});

describe('a decimal number', () => {
  test.each<[text: string, result: unknown]>([
    ['0', 0],
    ['0.25', 0.25],
    ['1.50', 1.5],
    ['300', 300],
    ['300.1', 'n=300.1 exceeds the maximum of 300'],
    ['9'.repeat(400), `n=${'9'.repeat(400)} exceeds the maximum of 300`],
    ['.5', notDecimal('.5')],
    ['5.', notDecimal('5.')],
    ['1.2.3', notDecimal('1.2.3')],
    ['1,5', notDecimal('1,5')],
    ['1e1', notDecimal('1e1')],
    ['-0', notDecimal('-0')],
    ['', notDecimal('')],
  ])('%j', (text, result) => {
    expect(read(decimal({ min: 0, max: 300 }), text)).toBe(result);
  });
});

test.each<[text: string | undefined, result: unknown]>([
  [undefined, false],
  ['', true],
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
  ['TRUE', true],
  ['False', false],
  ['yes', 'n=yes is not one of true, 1, false, 0 or empty'],
  [' ', 'n=  is not one of true, 1, false, 0 or empty'],
])('flag: %j', (text, result) => {
  expect(read(flag, text)).toBe(result);
});

test.each<[text: string | undefined, result: unknown]>([
  ['Lax', 'Lax'],
  ['None', 'None'],
  ['lax', 'n=lax is not one of Lax, None'],
  ['', 'n= is not one of Lax, None'],
  ['0', 'n=0 is not one of Lax, None'],
  ['length', 'n=length is not one of Lax, None'],
  [undefined, 'n is required'],
])('one of Lax and None: %j', (text, result) => {
  expect(read(oneOf(['Lax', 'None']), text)).toBe(result);
});

test.each(['', ' a ', 'a/b', '\0', '%'])('any text: %j', (text) => {
  expect(read(anyText(), text)).toBe(text);
});

describe('optional', () => {
  const parameter = optional(int({ min: 1, max: 9 }), 5);
  test.each<[text: string | undefined, result: unknown]>([
    [undefined, 5],
    ['7', 7],
    // An empty value is a value: a default would hide a mistake.
    ['', 'n= is not a whole decimal number'],
    ['0', 'n=0 is below the minimum of 1'],
  ])('%j', (text, result) => {
    expect(read(parameter, text)).toBe(result);
  });

  test('documents its default, if there is one', () => {
    expect(parameter.schema.default).toBe(5);
    expect(parameter.required).toBe(false);
    const bare = optional(int({ min: 1, max: 9 }), undefined);
    expect(bare.schema).not.toHaveProperty('default');
    expect(read(bare, undefined)).toBeUndefined();
    expect(optional(oneOf(['a', 'b']), 'b').schema).toEqual({
      type: 'string',
      enum: ['a', 'b'],
      default: 'b',
    });
  });
});

test.each<[text: string | undefined, result: unknown]>([
  ['0', 0],
  ['0.25', 0.25],
  ['250ms', 0.25],
  ['1m30.5s', 90.5],
  ['5m', 300],
  ['.5s', 0.5],
  ['5m1ns', 'n=5m1ns exceeds the maximum of 300'],
  [`${'9'.repeat(400)}h`, `n=${'9'.repeat(400)}h exceeds the maximum of 300`],
  [undefined, 'n is required'],
  ...['', '.5', '5.', '1e1', '-0', '-1s', '+1s', ' 1', '1 s', '1d', 's', 'NaN'].map(
    (text): [string, string] => [
      text,
      `n=${text} is neither a number of seconds nor a duration such as 250ms`,
    ],
  ),
])('a duration up to five minutes: %j', (text, result) => {
  expect(read(duration(300), text)).toBe(result);
});

test('RFC 7617 2: a user name cannot contain a colon', () => {
  expect(read(basicUser, 'me')).toBe('me');
  expect(read(basicUser, 'm:e')).toBe('n=m:e has a colon');
});

test('a repeated parameter: none, one, and several, whose place an error says', () => {
  const numbers = repeated(int({ min: 0, max: 9 }));
  expect([read(numbers, undefined), read(numbers, '1')]).toEqual([[], [1]]);
  expect(numbers.parseAll?.(['1', '2'], 'n')).toEqual([1, 2]);
  expect(() => numbers.parseAll?.(['1', 'x'], 'n')).toThrow('n[1]=x is not');
});
