import { describe, expect, test } from 'vitest';
import { contentRange, rangeLength, selectRanges } from '../../src/http/range.ts';
import { cpuOf } from '../_cpu.ts';

const MiB = 1024 * 1024;

/** Ranges as `first-last`. */
function selected(field: string, length: number): string[] | undefined {
  return selectRanges(field, length, 10 * MiB)?.map(({ first, last }) => `${first}-${last}`);
}

describe('RFC 9110 14.1.2: satisfiable byte ranges', () => {
  test.each([
    ['bytes=0-499', 10_000, ['0-499']],
    ['bytes=500-999', 10_000, ['500-999']],
    ['bytes=-500', 10_000, ['9500-9999']],
    ['bytes=9500-', 10_000, ['9500-9999']],
    ['bytes=0-0,-1', 10_000, ['0-0', '9999-9999']],
    ['bytes= ,,0-1 ,\t5-6,', 10, ['0-1', '5-6']],
    ['BYTES=0-1', 10, ['0-1']],
    ['bytes=0-', 10, ['0-9']],
    ['bytes=0-9', 10, ['0-9']],
    ['bytes=0-10', 10, ['0-9']],
    ['bytes=-99', 10, ['0-9']],
    ['bytes=00-01', 10, ['0-1']],
    ['bytes=5-99999999999999999999999999', 10, ['5-9']],
    ['bytes=-99999999999999999999999999', 10, ['0-9']],
    ['bytes=4-5,0-1,2-4', 10, ['4-5', '0-1', '2-4']],
  ])('%s of %d', (field, length, ranges) => {
    expect(selected(field, length)).toEqual(ranges);
  });

  test('unsatisfiable ranges are omitted', () => {
    expect(selected('bytes=20-30,0-1,-0', 10)).toEqual(['0-1']);
  });
});

test.each([
  ['bytes=10-', 10],
  ['bytes=10-20', 10],
  ['bytes=-0', 10],
  ['bytes=10-,11-', 10],
  ['bytes=0-', 0],
  ['bytes=-1', 0],
  ['bytes=99999999999999999999999999-', 10],
])('RFC 9110 15.5.17: no range of %s is satisfiable in %d bytes', (field, length) => {
  expect(selected(field, length)).toEqual([]);
});

describe('RFC 9110 14.2: the field is ignored', () => {
  test.each([
    'lines=0-1',
    'bytes',
    'bytes=',
    'bytes=,',
    'bytes=-',
    'bytes=a-b',
    'bytes=1-0',
    'bytes=0-1,3-2',
    'bytes=0-1;2-3',
    'bytes=0--1',
    'bytes=+1-2',
    'bytes=0x0-0x1',
    'bytes=1e1-',
    'bytes=0 - 1',
    'bytes =0-1',
    'bytes=0-1, bytes=2-3',
    'bytes=0-1,\u00a02-3',
    '0-1',
    '',
  ])('%j', (field) => {
    expect(selected(field, 100)).toBeUndefined();
  });

  test('long whitespace is parsed quickly', () => {
    const cpu = cpuOf(() => {
      expect(selected(`bytes=${'\t'.repeat(100_000)}x`, 10)).toBeUndefined();
    });
    expect(cpu).toBeLessThan(500);
  });

  test('100 ranges are accepted, 101 are not', () => {
    expect(selected(`bytes=${Array(100).fill('0-0').join()}`, 10)).toHaveLength(100);
    expect(selected(`bytes=${Array(101).fill('0-0').join()}`, 10)).toBeUndefined();
  });

  test('RFC 9110 17.15: overlapping ranges are limited to 10 MiB in total', () => {
    expect(selected('bytes=0-,0-', 5 * MiB)).toHaveLength(2);
    expect(selected('bytes=0-,0-,-1', 5 * MiB)).toBeUndefined();
  });
});

test('RFC 9110 14.4: Content-Range', () => {
  const range = { first: 42, last: 1233 };
  expect(rangeLength(range)).toBe(1192);
  expect(contentRange(range, 1234)).toBe('bytes 42-1233/1234');
  expect(contentRange(undefined, 1234)).toBe('bytes */1234');
});
