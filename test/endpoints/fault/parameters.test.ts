import { expect, test } from 'vitest';
import {
  codeParameter,
  positionOf,
  responseParameters,
} from '../../../src/endpoints/fault/parameters.ts';

const { after } = responseParameters(10);

test.each([
  ['0', { bytes: 0 }],
  ['7', { bytes: 7 }],
  ['0%', { percent: 0 }],
  ['100%', { percent: 100 }],
  [undefined, undefined],
])('after=%s', (text, expected) => {
  expect(after.parse(text, 'after')).toEqual(expected);
});

const NO_POSITIONS = ['', '%', '-1', '1.5', '101%', '5 %', '1e3', '50%%', '0x1', '\u0661'];
test.each(NO_POSITIONS)('after=%s is not valid', (text) => {
  expect(() => after.parse(text, 'after')).toThrow(/^after=.* (?:is neither|exceeds)/);
});

test.each([
  [undefined, 5, 2],
  [{ percent: 50 }, 5, 2],
  [{ percent: 100 }, 5, 5],
  [{ percent: 0 }, 5, 0],
  [{ bytes: 5 }, 5, 5],
])('after %s of %i bytes', (given, length, expected) => {
  expect(positionOf('body', given, length)).toEqual({ at: 'body', after: expected });
});

test('after must not exceed the length', () => {
  expect(() => positionOf('body', { bytes: 6 }, 5)).toThrow('after=6 exceeds length=5');
  expect(() => positionOf('body', { bytes: Number('9'.repeat(400)) }, 5)).toThrow(
    'exceeds length=5',
  );
});

const code = codeParameter('NO_ERROR');

test.each([
  ['NO_ERROR', 0],
  ['http_1_1_required', 13],
  ['14', 14],
  ['4294967295', 4_294_967_295],
  [undefined, 0],
])('code=%s', (text, expected) => {
  expect(code.parse(text, 'code')).toBe(expected);
});

const NO_CODES = ['', '-1', '4294967296', '99999999999', '0x1', 'UNKNOWN', '1.0'];
test.each(NO_CODES)('code=%s is not valid', (text) => {
  expect(() => code.parse(text, 'code')).toThrow('is neither a name nor a number up to 4294967295');
});
