import { expect, test } from 'vitest';
import { jsonOrNull, parseJson } from '../../src/http/json-content.ts';

test.each([
  ['{"a":[1,"]"]}', { a: [1, ']'] }],
  ['"text"', 'text'],
  ['0', 0],
  ['null', null],
  ['', null],
  ['{', null],
  ["{'a':1}", null],
])('%j', (text, value) => {
  expect(jsonOrNull(text)).toEqual(value);
});

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

test('JSON that needs more than 8 MiB of indentation is rejected', () => {
  // Two spaces per level, on the line of each opening and closing bracket.
  const most = Math.sqrt((8 * 1024 ** 2) / 2);
  const isNone = [most, most + 1, 100_000].map((depth) => jsonOrNull(nested(depth)) === null);
  expect(isNone).toEqual([false, true, true]);
});

test('brackets in strings do not count as nesting, also after escaped quotation marks', () => {
  const text = JSON.stringify([nested(5000), '\\"', nested(5000)]);
  expect(parseJson(text)).toEqual([nested(5000), '\\"', nested(5000)]);
});

const list = (length: number, item: (at: number) => string): string =>
  Array.from({ length }, (_, at) => item(at)).join(',');
const manyNames = (count: number): string => `{${list(count, (at) => `"name${at}":0`)}}`;

const hundredShapes = list(100, (at) => `{"name${at}":0}`);

test.each([
  ['elements', (count: number) => `[${list(count - 1, () => '0')}]`, 150_000, 'values'],
  ['nested lists', (count: number) => `[${list(count / 2, () => '[]')}]`, 150_000, 'values'],
  ['members', (count: number) => `[${list(count / 2, () => '{"a":0}')}]`, 150_000, 'values'],
  ['names', manyNames, 10_000, 'different names'],
  [
    'names of other objects',
    (count: number) => `[${list(count, (at) => `{"name${at}":[]}`)}]`,
    10_000,
    'different names',
  ],
  [
    'members beyond the first shapes',
    (count: number) => `[${hundredShapes},${list(count, () => '{"x":0}')}]`,
    10_000,
    'members in objects of other shapes than the first 100',
  ],
])('%s are bounded', (_, make, most, what) => {
  expect(() => parseJson(make(most))).not.toThrow();
  expect(() => parseJson(make(most + 2))).toThrow(RangeError);
  expect(() => parseJson(make(most + 2))).toThrow(
    `has more than ${most > 10_000 ? 150_000 : most} ${what}`,
  );
});

const numbers = (number: string, count: number): string =>
  `[${Array.from({ length: count }, () => number).join()}]`;

test.each([
  ['9e-265', 20_000],
  ['-7.7E+304', 20_000],
  ['1e0000000000000000030', 20_000],
  [`2.${'4703282292062327208'.repeat(40)}`, 625],
])('numbers that take long are bounded: %s', (number, most) => {
  expect(jsonOrNull(numbers(number, most))).not.toBeNull();
  expect(() => parseJson(numbers(number, most + 1))).toThrow('more than 20000 numbers with large');
});

test.each(['0', '-73.98513000000001', '1.5e-05', '"9e-265"', 'true', 'false'])(
  'of %s there may be as many as of other values',
  (number) => {
    expect(jsonOrNull(numbers(number, 149_000))).not.toBeNull();
  },
);

test('of more than 50,000 objects, a thousand members may be beyond the first shapes', () => {
  const [most, more] = [1000, 1001].map(
    (rare) =>
      `[${hundredShapes},${list(rare, () => '{"x":0}')},${list(50_000, () => '{"name1":0}')}]`,
  );
  expect(() => parseJson(most ?? '')).not.toThrow();
  expect(() => parseJson(more ?? '')).toThrow('1000 with more than 50000 objects');
});

test('after 20,000 objects, names that are numbers count as beyond the first shapes', () => {
  const [most, more] = [30_000, 30_001].map((count) => `[${list(count, () => '{"7":0}')}]`);
  expect(() => parseJson(most ?? '')).not.toThrow();
  expect(() => parseJson(more ?? '')).toThrow('has more than 10000 members');
});

test('objects of few shapes are not, nor an object with many names', () => {
  const record = '{"id":1,"name":"x","tags":[{"a":1},{"b":1}],"at":{"a":1,"b":2}}';
  const other = record.replace('"name"', '"title"');
  for (const text of [
    `[${list(8000, () => record)},${list(4000, () => other)}]`,
    `{${list(9900, (at) => `"id${at}":${at % 2 === 0 ? record : other}`)}}`,
  ]) {
    expect(() => parseJson(text)).not.toThrow();
  }
});

test('16 MiB that exceed a bound, or nearly, take little time', () => {
  const size = 16 * 1024 ** 2;
  const texts = [
    nested(size / 2),
    `{"a":${'{"a":'.repeat(size / 5)}`,
    `[${'0,'.repeat(size / 2)}0]`,
    `[${'{},'.repeat(size / 3)}0]`,
    manyNames(1_000_000),
    `["${String.raw`\"`.repeat(size / 2)}"]`,
    `["${'\\\\'.repeat(size / 2)}"]`,
    `{"${'a'.repeat(16_000)}"${':'.repeat(size)}1}`,
  ];
  for (const text of texts) {
    const times = Array.from({ length: 3 }, () => {
      const start = process.cpuUsage();
      jsonOrNull(text);
      return process.cpuUsage(start).user / 1000;
    });
    const time = Math.min(...times);
    expect([text.slice(0, 12), time]).toEqual([
      text.slice(0, 12),
      // Milliseconds; the parser alone takes seconds for most of them.
      expect.toSatisfy((value: number) => value < 150),
    ]);
  }
});
