import { describe, expect, test } from 'vitest';
import {
  ANY,
  arrayOf,
  BOOLEAN,
  COUNT,
  enumOf,
  guard,
  mapSchema,
  NULL,
  nullable,
  NUMBER,
  objectSchema,
  oneOf,
  shape,
  TEXT,
  type Infer,
  type JsonSchema,
} from '../../src/server/schema.ts';

const VALUES = [undefined, null, true, 0, 1, -1, 1.5, NaN, Infinity, 2 ** 53, '', 'a', '1', [], {}];

describe('values that the guard of a schema accepts', () => {
  test.each<[name: string, schema: JsonSchema, accepted: unknown[]]>([
    ['ANY', ANY, VALUES],
    ['TEXT', TEXT, ['', 'a', '1']],
    ['COUNT', COUNT, [0, 1]],
    ['NULL', NULL, [null]],
    ['BOOLEAN', BOOLEAN, [true]],
    ['NUMBER', NUMBER, [0, 1, -1, 1.5, Infinity, 2 ** 53]],
    ['nullable(TEXT)', nullable(TEXT), [null, '', 'a', '1']],
    ["enumOf('a', 1)", enumOf('a', 1), [1, 'a']],
    ['oneOf(TEXT, COUNT)', oneOf(TEXT, COUNT), [0, 1, '', 'a', '1']],
    ['arrayOf(TEXT)', arrayOf(TEXT), [[]]],
    ['mapSchema(TEXT)', mapSchema(TEXT), [[], {}]],
    ['shape({})', shape({}), [[], {}]],
    ['shape({ a: TEXT })', shape({ a: TEXT }), []],
    ['shape({ a: TEXT }, optional)', shape({ a: TEXT }, ['a']), [[], {}]],
  ])('%s', (_, schema, accepted) => {
    expect(VALUES.filter((value) => guard(schema)(value))).toEqual(accepted);
  });
});

test('objects: every declared property is checked, others are ignored, optional ones may be missing', () => {
  const accepts = guard(shape({ kind: enumOf('a'), size: COUNT, inner: shape({}) }, ['size']));
  expect(accepts({ kind: 'a', inner: {} })).toBe(true);
  expect(accepts({ kind: 'a', inner: {}, size: 1, more: 'x' })).toBe(true);
  expect(accepts({ kind: 'b', inner: {} })).toBe(false);
  expect(accepts({ kind: 'a', inner: null })).toBe(false);
  expect(accepts({ kind: 'a', inner: {}, size: '1' })).toBe(false);
});

test('maps and arrays: every value is checked', () => {
  expect(guard(mapSchema(COUNT))({ a: 1, b: 2 })).toBe(true);
  expect(guard(mapSchema(COUNT))({ a: 1, b: '2' })).toBe(false);
  expect(guard(mapSchema(COUNT))({ a: 1, constructor: '2' })).toBe(false);
  expect(guard(arrayOf(COUNT))([1, '2'])).toBe(false);
});

test('booleans and numbers', () => {
  const accepts = guard(shape({ on: BOOLEAN, seconds: NUMBER }));
  expect(accepts({ on: false, seconds: 0.5 })).toBe(true);
  expect(accepts({ on: 0, seconds: 0.5 })).toBe(false);
  expect(accepts({ on: true, seconds: '1' })).toBe(false);
});

test('there is no guard for a type that JSON does not have', () => {
  expect(() => guard({ type: 'date' })).toThrow('no guard for "date"');
});

test('the JSON Schema and the type of an object', () => {
  const schema = objectSchema('One', { a: nullable(TEXT), b: arrayOf(COUNT) }, ['b']);
  const value: Infer<typeof schema> = { a: null };
  const other: Infer<typeof schema> = { a: '', b: [1] };
  expect([value, other].every(guard(shape({ b: arrayOf(COUNT) }, ['b'])))).toBe(true);
  expect(schema).toEqual({
    title: 'One',
    type: 'object',
    properties: {
      a: { type: ['string', 'null'] },
      b: { type: 'array', items: { type: 'integer', minimum: 0 } },
    },
    required: ['a'],
    additionalProperties: false,
  });
});
