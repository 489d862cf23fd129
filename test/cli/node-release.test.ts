import { expect, test } from 'vitest';
import { weaknessesOf } from '../../src/cli/node-release.ts';

const NOVEMBER_2026 = Date.parse('2026-11-21');

test.each([
  [
    '20.20.2',
    [
      'Node 20 is past its end of life, 2026-04-30: it gets no fixes',
      'Node 20 lacks known fixes of HTTP/2, which no version of it has',
    ],
  ],
  ['22.23.1', ['Node 22.23.1 lacks known fixes of HTTP/2, which 22.23.2 has']],
  ['22.9.9', ['Node 22.9.9 lacks known fixes of HTTP/2, which 22.23.2 has']],
  ['22.23.2', []],
  ['22.24.0', []],
  ['24.18.0', ['Node 24.18.0 lacks known fixes of HTTP/2, which 24.18.1 has']],
  ['24.18.1', []],
  ['24.21.0', []],
  ['26.5.0', ['Node 26.5.0 lacks known fixes of HTTP/2, which 26.5.1 has']],
  ['26.10.0', []],
  ['27.0.0-nightly20261101', []],
  ['99.0.0', []],
])('%s has, in November 2026: %j', (version, weaknesses) => {
  expect(weaknessesOf(version, NOVEMBER_2026)).toEqual(weaknesses);
});

test.each([
  ['20.20.2', '2026-04-29T23:59:59Z', false],
  ['20.20.2', '2026-04-30T00:00:00Z', true],
  ['24.21.0', '2028-04-29', false],
  ['24.21.0', '2028-05-01', true],
])('%s at %s is past its end of life: %s', (version, day, past) => {
  const text = weaknessesOf(version, Date.parse(day)).join();
  expect(text.includes('end of life')).toBe(past);
});
