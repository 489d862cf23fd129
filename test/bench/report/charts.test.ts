import { expect, test } from 'vitest';
import { Latencies } from '../../../src/bench/latencies.ts';
import { chartElements, duringElement, type ChartRow } from '../../../src/bench/report/charts.ts';
import { hgrmText } from '../../../src/bench/report/hgrm.ts';
import type { PointView } from '../../../src/bench/report/rates-schema.ts';
import { during } from './_during.ts';
import type { Element } from '../../../src/pages/element.ts';

const names = { target: 'B', baseline: 'A' };

function hgrmOf(values: readonly number[]): string {
  const latencies = new Latencies();
  for (const value of values) latencies.record(value);
  return hgrmText(latencies);
}

const point = (rate: number, p50: number): PointView => ({
  rate,
  completed: rate,
  requests: rate,
  errors: 0,
  load_lag_ms: 0.1,
  latency_ms: { p50, p90: p50 * 2, p99: p50 * 3, p99_9: p50 * 4, max: p50 * 9 },
});

const row: ChartRow = {
  scenario: 'healthz',
  protocol: 'h2',
  target: { samples: [1000, 1100.25], latency_hgrm: hgrmOf([1, 2, 3, 4]) },
  baseline: null,
  direct: { samples: [2000, 2100], latency_hgrm: hgrmOf([1, 1, 1, 2, 2, 2, 2, 5]) },
};

const textOf = (node: Element | string): string =>
  typeof node === 'string' ? node : node.children.map(textOf).join('');

const all = (node: Element | string, name: string): Element[] =>
  typeof node === 'string'
    ? []
    : [
        ...(node.name === name ? [node] : []),
        ...node.children.flatMap((child) => all(child, name)),
      ];

/** Labels of both axes. */
const labelsOf = (chart: Element): string[] => all(chart, 'text').map(textOf);

/** Where a value is marked, from 0 to 1000. */
const markOf = (chart: Element): string | undefined =>
  all(chart, 'path')
    .map(({ attributes }) => /^M([\d.]+) 0V1000$/.exec(attributes['d'] ?? '')?.[1])
    .find((found) => found !== undefined);

/** Texts of the cells of each chart's table. */
function tablesOf(elements: readonly Element[]): string[][][] {
  return elements.map((each) =>
    all(each, 'tr').map((line) => line.children.map((cell) => textOf(cell))),
  );
}

test('latency by percentile, and requests/s by round', () => {
  const elements = chartElements(row, names);
  const [percentiles = [], rounds = []] = tablesOf(elements);
  expect(percentiles[0]).toEqual(['percentile', 'B', 'direct']);
  expect(percentiles).toContainEqual(['50 %', '2.001', '2.001']);
  expect(percentiles.at(-1)).toEqual(['100 %', '4.002', '5.001']);
  expect(rounds).toEqual([
    ['round', 'B', 'direct'],
    ['1', '1,000', '2,000'],
    ['2', '1,100.25', '2,100'],
  ]);
  const labels = elements.map(labelsOf);
  expect(labels[0]).toEqual(['1', '2', '5', '10', '0 %']);
  expect(labels[1]?.slice(-2)).toEqual(['1', '2']);
});

test('latency by rate, with the knee', () => {
  const sweep = {
    target: {
      points: [point(100, 1), { ...point(200, 2), completed: 150 }],
      knee: { below: 100, above: 200, sign: 'rate' } as const,
    },
    baseline: null,
    direct: { points: [point(100, 0.5), { ...point(200, 1), latency_ms: null }], knee: null },
  };
  const elements = chartElements({ ...row, sweep }, names);
  const [latency, done] = tablesOf(elements);
  expect(latency).toEqual([
    ['requests/s', 'p50 B', 'p99 B', 'p99.9 B', 'p50 direct', 'p99 direct', 'p99.9 direct'],
    ['100', '1', '3', '4', '0.5', '1.5', '2'],
    ['200', '2', '6', '8', '', '', ''],
  ]);
  expect(done?.at(-1)).toEqual(['200', '150', '200']);
  expect(elements.map(markOf)).toEqual(['1000', undefined, undefined, undefined]);
});

test.each([0, -1, 5e-324, 1e308, Infinity])('a report may have any value: %d', (value) => {
  const sweep = {
    target: { points: [point(100, value), point(value, 1), point(value, value)], knee: null },
    baseline: null,
    direct: null,
  };
  const target = { samples: [1, value], latency_hgrm: hgrmOf([1, 2, 3, 4]) };
  const elements = [
    ...chartElements({ ...row, target, sweep }, names),
    ...chartElements({ ...row, target: { samples: [value, value] } }, names),
    duringElement({
      ...during,
      buckets: during.buckets.map((bucket) => ({ ...bucket, at_ms: value, max_ms: value })),
    }),
  ];
  const paths = elements.flatMap((each) => all(each, 'path').map((path) => path.attributes['d']));
  expect(paths.filter((d) => /NaN|Infinity/.test(d ?? ''))).toEqual([]);
  for (const each of elements) expect(labelsOf(each).length).toBeLessThan(50);
});

test('a row that was not measured has no charts', () => {
  const none = { samples: [] };
  expect(chartElements({ ...row, target: none, direct: none }, names)).toEqual([]);
});

test('latency while a command ran, with its begin', () => {
  const element = duringElement(during);
  expect(tablesOf([element])).toEqual([
    [
      ['seconds', 'p50', 'p99', 'max'],
      ['-0.1', '1', '1', '1'],
      ['0', '', '', ''],
      ['0.1', '10', '10', '10'],
    ],
  ]);
  expect(markOf(element)).toBe('500');
});
