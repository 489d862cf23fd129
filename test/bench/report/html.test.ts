import { expect, test } from 'vitest';
import { chartElements } from '../../../src/bench/report/charts.ts';
import { htmlReport } from '../../../src/bench/report/html.ts';
import { terminalReport } from '../../../src/bench/report/terminal.ts';
import { verdictOf } from '../../../src/bench/report/verdict.ts';
import type { Element } from '../../../src/pages/element.ts';
import { report, row } from '../_rows.ts';

/** The text of HTML, each element apart. */
const textOf = (html: string): string => html.replaceAll(/<[^>]*>/g, '|').replaceAll(/\|+/g, '|');

test('the numbers of a row come first: of both sides, with ratio and interval', () => {
  const direct = row.direct && { ...row.direct, errors: { timeout: 2 } };
  const cpu = {
    target: 20,
    baseline: 10,
    ratio: 2,
    low: 1.9,
    high: null,
    verdict: 'slower',
  } as const;
  const metrics = { ...row.metrics, cpu_us_per_request: cpu };
  const html = htmlReport({ ...report, rows: [{ ...row, direct, metrics }] });
  const text = textOf(html);
  const tiles = [
    'requests/s|1,000|direct 2,000|ratio 0.50, 0.45 to 0.55',
    'p50 ms|1.00|direct 0.50|ratio 2.00, 1.90 to 2.10',
    'p99 ms|3.00|direct 1.75|ratio 1.70, 0.90 to 2.50',
    'errors|0|direct 2',
    'CPU us|20.00|direct 10.00|ratio 2.00, from 1.90',
  ];
  expect(text).toContain(`|${tiles.join('|')}|`);
  expect(text.indexOf(tiles[0] ?? '')).toBeLessThan(text.indexOf('|Throughput and latency|'));
  expect(html).toContain('<b class="bad">1,000</b>');
});

test('one chart has the ratios with their intervals, about 1 in the middle', () => {
  const html = htmlReport(report);
  expect(textOf(html)).toContain('|Ratios of target to direct, with their 95 % intervals|');
  expect(textOf(html)).toContain('|0.40 to 2.50, 1 in the middle|');
  const points = html.matchAll(/class="point" x="([\d.]+)"/g);
  // log(0.5), log(2) and log(1.7), of log(2.5) to either side.
  expect(Array.from(points, ([, x]) => Number(x))).toEqual([11.58, 87.22, 78.36]);
  expect(htmlReport({ ...report, rows: [] })).not.toContain('class="point"');
});

test('without a baseline there are numbers, and no ratios', () => {
  const { requests_per_second: _, ...others } = row.metrics;
  const metrics = { ...others, requests_per_second: null, p50_ms: null, p99_ms: null };
  const html = htmlReport({ ...report, direct: null, rows: [{ ...row, direct: null, metrics }] });
  expect(textOf(html)).toContain('|requests/s|1,000|p50 ms|1.00|p99 ms|3.00|errors|0|');
  expect(html).not.toContain('Ratios of');
});

const pathsIn = (node: Element | string): Element[] =>
  typeof node === 'string'
    ? []
    : [...(node.name === 'path' ? [node] : []), ...node.children.flatMap(pathsIn)];

test('rounds are points, which no line joins', () => {
  const names = { target: 'target', baseline: 'baseline' };
  const [rounds] = chartElements({ ...row, direct: null }, names);
  if (!rounds) throw new Error('no chart');
  const drawn = pathsIn(rounds).map(({ attributes }) => attributes['d'] ?? '');
  expect(drawn.filter((d) => d.includes('L'))).toEqual([]);
  expect(drawn).toContainEqual(expect.stringMatching(/^(?:M[\d.]+ [\d.]+h0){3}$/));
});

test('why a run is invalid is said once', () => {
  const change = 'The origin was the limit. Start it with more workers.';
  const first = { ...row, verdict: 'invalid', change } as const;
  const rows = [first, { ...first, protocol: 'h2' } as const];
  const invalid = { ...report, rows, verdict: verdictOf(rows, null) };
  for (const text of [htmlReport(invalid), terminalReport(invalid, false)])
    expect(text.match(/The origin was the limit/g)).toHaveLength(1);
  expect(htmlReport(invalid)).toContain('<p class="banner ">');
  // Of several reasons, each row names its own.
  const several = [first, { ...first, protocol: 'h2', change: 'The load was.' } as const];
  const text = terminalReport(
    { ...invalid, rows: several, verdict: verdictOf(several, null) },
    false,
  );
  expect(text).toContain('healthz h2: Invalid: The load was.');
});
