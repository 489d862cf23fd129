import { expect, test } from 'vitest';
import { RangeSet } from '../../src/quic/range-set.ts';
import { randomIntegers } from './_random.ts';

const rangesOf = (set: RangeSet): readonly (readonly [number, number])[] =>
  set.within(-Infinity, Infinity).map(({ start, end }) => [start, end]);

test('ranges that overlap or touch become one', () => {
  const set = new RangeSet();
  set.add(10, 20);
  set.add(30, 40);
  set.add(20, 25);
  expect(rangesOf(set)).toEqual([
    [10, 25],
    [30, 40],
  ]);
  set.add(24, 30);
  expect(rangesOf(set)).toEqual([[10, 40]]);
});

test('a range that is removed is cut out of others', () => {
  const set = new RangeSet();
  set.add(10, 40);
  set.remove(20, 30);
  set.remove(0, 11);
  expect(rangesOf(set)).toEqual([
    [11, 20],
    [30, 40],
  ]);
  set.remove(15, 35);
  expect(rangesOf(set)).toEqual([
    [11, 15],
    [35, 40],
  ]);
  expect(set.first).toEqual({ start: 11, end: 15 });
});

test('an empty range changes nothing', () => {
  const set = new RangeSet();
  set.add(5, 5);
  expect(set.isEmpty).toBe(true);
  set.add(0, 10);
  set.remove(5, 5);
  expect(rangesOf(set)).toEqual([[0, 10]]);
});

test('it is the same set as one of single numbers', () => {
  for (let seed = 0; seed < 200; seed++) {
    const random = randomIntegers(seed);
    const set = new RangeSet();
    const expected = new Set<number>();
    for (let step = 0; step < 40; step++) {
      const start = random(60);
      const end = start + random(12);
      const adds = random(3) > 0;
      if (adds) set.add(start, end);
      else set.remove(start, end);
      for (let value = start; value < end; value++) {
        if (adds) expected.add(value);
        else expected.delete(value);
      }
    }
    const found = Array.from({ length: 75 }, (_, value) => value).filter((value) => set.has(value));
    expect(found).toEqual([...expected].toSorted((a, b) => a - b));
    const ranges = rangesOf(set);
    for (const [at, [start]] of ranges.entries()) {
      expect(start).toBeGreaterThan(ranges[at - 1]?.[1] ?? -1);
    }
  }
});

test('ranges are found by a value and by their order', () => {
  const set = new RangeSet();
  set.add(10, 20);
  set.add(30, 40);
  expect(set.length).toBe(2);
  expect(set.last).toEqual({ start: 30, end: 40 });
  expect(set.at(0)).toEqual({ start: 10, end: 20 });
  expect(set.at(2)).toBeUndefined();
  expect(set.rangeOf(19)).toEqual({ start: 10, end: 20 });
  expect(set.rangeOf(20)).toBeUndefined();
});
