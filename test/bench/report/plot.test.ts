import { expect, test } from 'vitest';
import { plotLines } from '../../../src/bench/report/plot.ts';

const x = [100, 200, 300, 400, 500, 600, 700, 800, 900, 1000, 1100, 1200];

test('latency by rate', () => {
  const p50 = x.map((rate) => (rate > 1000 ? rate / 20 : 0.5 + rate / 4000));
  const lines = plotLines({
    title: 'Latency in ms by requests/s',
    x,
    series: [
      { mark: 'o', name: 'p50', values: p50 },
      { mark: '*', name: 'p99', values: p50.map((value, at) => (at === 2 ? null : value * 3)) },
      { mark: '.', name: 'p50 direct', values: p50.map(() => 0.5) },
    ],
    marked: { at: 1000, name: 'knee' },
  });
  expect(`\n${lines.join('\n')}\n`).toMatchInlineSnapshot(`
    "
    Latency in ms by requests/s
        200 +                                                              *     *
            |
        100 +
         50 +                                                              o     o
            |
            |
         20 +
            |
         10 +
          5 +
            |
            |                                     *     *     *      *
          2 +*     *            *     *     *
          1 +
            |                         o     o     o     o     o      o
        0.5 +o     o     o      o     .     .     .     .     .      .     .     .
            +---------------------------------------------------------------------
             100   200   300    400   500   600   700   800   900    1,000   1,200
                                                                     ^ knee
    o p50   * p99   . p50 direct
    "
  `);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(78);
});

test.each([-1e6, 0, 1e6, 1e12, 1e308])('a mark at %d beside the plot is at its edge', (at) => {
  const series = [{ mark: 'x', name: 'n', values: x.map(() => 1) }];
  const lines = plotLines({ title: 'T', x, series, marked: { at, name: 'knee' } });
  expect(lines.at(-2)).toMatch(at > 1000 ? /^ *knee \^$/ : /^ {9}\^ knee$/);
  expect(lines.at(-2)?.length).toBeLessThanOrEqual(78);
  for (const wide of [
    [1e308, -1e308],
    [3, 2],
    [2, 2],
  ]) {
    expect(plotLines({ title: 'T', x: wide, series, marked: { at, name: 'knee' } })).not.toEqual(
      [],
    );
  }
});

test('one value, values over many powers of ten, and none', () => {
  const single = plotLines({ title: 'T', x: [5], series: [{ mark: 'x', name: 'n', values: [3] }] });
  expect(single.filter((line) => line.includes('x'))).toHaveLength(2);
  const wide = plotLines({
    title: 'T',
    x: [1, 2, 3],
    series: [{ mark: 'x', name: 'n', values: [0.001, 5, 80_000] }],
  });
  expect(wide.join('\n')).toContain('0.001 +x');
  expect(wide.join('\n')).toContain('100,000 +');
  for (const line of wide) expect(line.length).toBeLessThanOrEqual(78);
  const none = [1e-7, 1e10, 5e-324, 1e308, 0, -1, null, Infinity, Number.NaN];
  expect(plotLines({ title: 'T', x, series: [{ mark: 'x', name: 'n', values: none }] })).toEqual(
    [],
  );
});
