import { expect, test } from 'vitest';
import { DynamicTable, entrySize } from '../../../src/wire/field-compression/dynamic-table.ts';
import { RecentSection } from '../../../src/wire/field-compression/recent-section.ts';
import { staticNames } from '../../../src/wire/field-compression/static-names.ts';

const entry = (number: number) => ({ name: 'n', value: String(number) });

test('entries keep their numbers when older ones are evicted', () => {
  const evicted: number[] = [];
  const table = new DynamicTable(10 * entrySize(entry(100)), (_, number) => evicted.push(number));
  for (let number = 100; number < 300; number++) table.add(entry(number));
  expect(table.length).toBe(10);
  expect([table.insertions, table.evictions]).toEqual([200, 190]);
  expect(evicted).toEqual(Array.from({ length: 190 }, (_, at) => at));
  expect([189, 190, 199, 200].map((number) => table.at(number)?.value)).toEqual([
    undefined,
    '290',
    '299',
    undefined,
  ]);
});

test('a smaller table evicts the oldest, and an entry larger than the table all', () => {
  const table = new DynamicTable(200);
  for (let number = 0; number < 5; number++) table.add(entry(number));
  table.resize(2 * entrySize(entry(0)));
  expect([table.length, table.at(3), table.at(2)]).toEqual([2, entry(3), undefined]);
  table.add({ name: 'n'.repeat(100), value: '' });
  expect([table.length, table.size, table.insertions]).toEqual([0, 0, 5]);
});

test('a name of a static table has its first index, and that of each value', () => {
  const names = staticNames(
    [
      ['a', '1'],
      ['b', ''],
      ['b', '2'],
    ],
    10,
  );
  expect(names.get('b')?.index).toBe(11);
  expect([...(names.get('b')?.values ?? [])]).toEqual([
    ['', 11],
    ['2', 12],
  ]);
});

test('a section is found by all its bytes, which are copied', () => {
  for (const length of [5, 500]) {
    const recent = new RecentSection<string>();
    const bytes = Buffer.alloc(length, 1);
    expect(recent.find(bytes)).toBe(undefined);
    recent.keep(bytes, 'kept');
    bytes[length - 1] = 2;
    expect(recent.find(bytes)).toBe(undefined);
    expect(recent.find(Buffer.alloc(length, 1))).toBe('kept');
    expect(recent.find(Buffer.alloc(length - 1, 1))).toBe(undefined);
    expect(recent.find(Buffer.alloc(length + 1, 1))).toBe(undefined);
    recent.forget();
    expect(recent.find(Buffer.alloc(length, 1))).toBe(undefined);
  }
});
