import { expect, test } from 'vitest';
import { nodeReleaseWarning } from '../../src/cli/node-release.ts';

const NOVEMBER_2026 = Date.parse('2026-11-21');

test.each([
  [
    '20.20.2',
    'Node 20.20.2 reached its end of life on 2026-04-30 and lacks fixes of known HTTP/2 vulnerabilities; upgrade to a supported release of Node',
  ],
  [
    '22.23.1',
    'Node 22.23.1 lacks fixes of known HTTP/2 vulnerabilities; upgrade to 22.23.2 or later',
  ],
  [
    '22.9.9',
    'Node 22.9.9 lacks fixes of known HTTP/2 vulnerabilities; upgrade to 22.23.2 or later',
  ],
  ['22.23.2', undefined],
  ['22.24.0', undefined],
  [
    '24.18.0',
    'Node 24.18.0 lacks fixes of known HTTP/2 vulnerabilities; upgrade to 24.18.1 or later',
  ],
  ['24.18.1', undefined],
  ['24.21.0', undefined],
  ['26.5.0', 'Node 26.5.0 lacks fixes of known HTTP/2 vulnerabilities; upgrade to 26.5.1 or later'],
  ['26.10.0', undefined],
  ['27.0.0-nightly20261101', undefined],
  ['99.0.0', undefined],
])('the warning for %s in November 2026: %s', (version, expected) => {
  expect(nodeReleaseWarning(version, NOVEMBER_2026)).toEqual(expected);
});

test.each([
  ['20.20.2', '2026-04-29T23:59:59Z', false],
  ['20.20.2', '2026-04-30T00:00:00Z', true],
  ['24.21.0', '2028-04-29', false],
  ['24.21.0', '2028-05-01', true],
])('%s at %s has reached its end of life: %s', (version, day, isPast) => {
  const text = nodeReleaseWarning(version, Date.parse(day)) ?? '';
  expect(text.includes('end of life')).toBe(isPast);
});
