import { expect, test } from 'vitest';
import { memoryOf } from '../../../src/bench/cost/memory.ts';
import { makeProc } from './_proc.ts';

const status = 'VmHWM:\t    6 kB\nVmRSS:\t    5 kB\n';
const KiB = 1024;

test('the sum of all processes', () => {
  const proc = makeProc([
    { pid: 10, status, rollup: 'Rss:   5 kB\nPss:   2 kB\n' },
    { pid: 11, status, rollup: 'Pss:   1 kB\n' },
  ]);
  const both = [{ pid: 10 }, { pid: 11 }];
  expect(memoryOf(both, proc)).toEqual({
    resident: 10 * KiB,
    peak: 12 * KiB,
    proportional: 3 * KiB,
  });
});

test('a share of common pages only if all may be read', () => {
  const proc = makeProc([
    { pid: 10, status, rollup: 'Pss:   2 kB\n' },
    { pid: 11, status },
  ]);
  expect(memoryOf([{ pid: 10 }, { pid: 11 }], proc)).toEqual({
    resident: 10 * KiB,
    peak: 12 * KiB,
    proportional: undefined,
  });
});

test('unknown without processes, and if one has ended', () => {
  const proc = makeProc([{ pid: 10, status }]);
  expect(memoryOf([], proc)).toBeUndefined();
  expect(memoryOf([{ pid: 10 }, { pid: 11 }], proc)).toBeUndefined();
});
