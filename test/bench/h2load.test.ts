import { expect, it } from 'vitest';
import { readSummary } from '../../bench/load/h2load.ts';

const summary = (time: string): string => `
finished in ${time}, 56170.67 req/s, 1.45MB/s
requests: 84256 total, 84768 started, 84256 done, 84250 succeeded, 3 failed, 2 errored, 1 timeout
status codes: 84250 2xx, 0 3xx, 3 4xx, 0 5xx
`;

it.each([
  ['1.50s', 1.5],
  ['145.78ms', 0.145_78],
])('reads what h2load says of %s', (time, seconds) => {
  const read = readSummary(summary(time));
  expect(read).toMatchObject({ requests: 84_250, failures: 6 });
  expect(read.seconds).toBeCloseTo(seconds, 8);
});

it('does not take anything else for a summary', () => {
  expect(() => readSummary('could not connect')).toThrow('could not connect');
});
