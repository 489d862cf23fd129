import { expect, test } from 'vitest';
import { Latencies } from '../../../src/bench/latencies.ts';
import { hgrmFiles, hgrmPoints, hgrmText } from '../../../src/bench/report/hgrm.ts';

function latenciesOf(values: readonly number[]): Latencies {
  const latencies = new Latencies();
  for (const value of values) latencies.record(value);
  return latencies;
}

test('lines and footer are those that HdrHistogram writes', () => {
  expect(hgrmText(latenciesOf([1, 1, 2, 10])).split('\n')).toEqual([
    '       Value     Percentile TotalCount 1/(1-Percentile)',
    '',
    '       1.000 0.000000000000          2           1.00',
    '       1.000 0.100000000000          2           1.11',
    '       1.000 0.200000000000          2           1.25',
    '       1.000 0.300000000000          2           1.43',
    '       1.000 0.400000000000          2           1.67',
    '       1.000 0.500000000000          2           2.00',
    '       2.001 0.550000000000          3           2.22',
    '       2.001 0.600000000000          3           2.50',
    '       2.001 0.650000000000          3           2.86',
    '       2.001 0.700000000000          3           3.33',
    '       2.001 0.750000000000          3           4.00',
    '      10.002 0.775000000000          4           4.44',
    '      10.002 1.000000000000          4',
    '#[Mean    =        3.500, StdDeviation   =        3.774]',
    '#[Max     =       10.002, Total count    =            4]',
    '#[Buckets =           43, SubBuckets     =         2048]',
    '',
  ]);
});

test('no side takes the file of another', () => {
  const [target, baseline, direct] = ['1', '2', '3'].map((text) => ({ latency_hgrm: text }));
  if (!target || !baseline || !direct) throw new Error('a side is missing');
  const row = { scenario: 's', protocol: 'h2', target, baseline, direct };
  const names = { target: 'a b', baseline: 'a-b' };
  expect([...hgrmFiles({ names, rows: [row] })]).toEqual([
    ['s-h2-a-b.hgrm', '1'],
    ['s-h2-a-b-2.hgrm', '2'],
    ['s-h2-direct.hgrm', '3'],
  ]);
});

test('counts are those of the values, and rise to all of them', () => {
  const values = Array.from({ length: 20_000 }, (_, at) => 0.1 * 1.0004 ** at);
  const points = hgrmPoints(hgrmText(latenciesOf(values)));
  expect(points.at(-1)).toMatchObject({ percentile: 1, count: values.length });
  for (const { value, percentile, count } of points) {
    expect(count).toBeGreaterThanOrEqual(Math.floor(percentile * values.length));
    // Values are exact to 0.1 %, of which each has three.
    const exact = values.filter((each) => each <= value).length;
    expect(Math.abs(count - exact)).toBeLessThanOrEqual(5);
  }
});
