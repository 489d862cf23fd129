import { expect, test } from 'vitest';
import type { PointView, SweepSide } from '../../../src/bench/report/rates-schema.ts';
import { foundLines, sweepParagraphs } from '../../../src/bench/report/rates-text.ts';

const names = { target: 'B', baseline: 'A' };
const row = { scenario: 'healthz', protocol: 'http/1.1' };
const found = {
  rate: 4950,
  low: 4900.4,
  high: 5010,
  limited_by: 'side',
  trials: 20,
  note: '',
} as const;

test('what was found, for each side', () => {
  const late = 'in 5 of 6 trials above, the load generator was late itself';
  const rows = [
    {
      ...row,
      found: {
        condition: 'p99<5ms',
        target: found,
        baseline: null,
        direct: { ...found, rate: 21_000, high: null, limited_by: 'load', note: late } as const,
      },
    },
    { ...row, scenario: 'other' },
    {
      ...row,
      protocol: 'h2c',
      found: {
        condition: 'p99<5ms',
        target: { ...found, limited_by: 'none', note: 'not at 99/s either' } as const,
        baseline: found,
        direct: null,
      },
    },
  ];
  expect(`\n${foundLines(rows, names).join('\n')}\n`).toMatchInlineSnapshot(`
    "
    Highest rate with p99<5ms:

                              requests/s     interval
    healthz http/1.1  B            4,950  4,900-5,010
                      direct   >= 21,000       4,900-  in 5 of 6 trials above, the load generator was late itself
    healthz h2c       B             none               not at 99/s either
                      A            4,950  4,900-5,010
    "
  `);
  expect(foundLines([row], names)).toEqual([]);
});

const point = (rate: number, p50: number): PointView => ({
  rate,
  completed: Math.min(rate, 1010),
  requests: rate,
  errors: 0,
  load_lag_ms: 0.1,
  latency_ms: { p50, p90: p50 * 2, p99: p50 * 3, p99_9: p50 * 4, max: p50 * 9 },
});
const swept: SweepSide = {
  points: [200, 400, 600, 800, 1000, 1200].map((rate) => point(rate, rate > 1000 ? 90 : 1)),
  knee: { below: 1000, above: 1200, sign: 'rate' },
};

test('latency by rate: a table, a plot and the knees, in 80 columns', () => {
  const direct = { points: swept.points.map(({ rate }) => point(rate, 0.5)), knee: null };
  const sweep = { target: swept, baseline: null, direct };
  const text = sweepParagraphs({ ...row, sweep }, names).map((lines) => lines.join('\n'));
  expect(`\n${text.join('\n\n')}\n`).toMatchInlineSnapshot(`
    "
    healthz http/1.1: latency by rate

    at /s  done /s  p50 ms  p90 ms  p99 ms  p99.9 ms  direct p50   p99
      200      200    1.00    2.00    3.00      4.00        0.50  1.50
      400      400    1.00    2.00    3.00      4.00        0.50  1.50
      600      600    1.00    2.00    3.00      4.00        0.50  1.50
      800      800    1.00    2.00    3.00      4.00        0.50  1.50
    1,000    1,000    1.00    2.00    3.00      4.00        0.50  1.50
    1,200    1,010   90.00  180.00  270.00    360.00        0.50  1.50

    Latency in ms, by requests/s
        500 +
            |                                                                    x
        200 +
            |
        100 +                                                                    o
            |
         50 +
            |
         20 +
         10 +
            |
          5 +
            |x             x            x             x            x
          2 +
            |.             .            .             .            .             .
          1 +o             o            o             o            o
            +---------------------------------------------------------------------
             200           400          600           800          1,000     1,200
                                                                            knee ^
    x p99 B   o p50 B   ^ p99.9 B   . p99 direct

    B: the knee is between 1,000 and 1,200/s: less than 98 % of the rate is done.
    direct: no knee up to 1,200/s.
    "
  `);
  for (const line of text.join('\n').split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  expect(sweepParagraphs(row, names)).toEqual([]);
});

test('errors, and a side without any response', () => {
  const failing = [200, 400].map((rate) =>
    Object.assign(point(rate, 1), { errors: 3, latency_ms: null }),
  );
  const sweep = {
    target: { points: failing, knee: { below: null, above: 200, sign: 'errors' } as const },
    baseline: null,
    direct: null,
  };
  const [, table = [], ...rest] = sweepParagraphs({ ...row, sweep }, names);
  expect(table[1]).toMatch(/^ *200 +200 +3$/);
  expect(rest).toEqual([['B: the knee is at or below 200/s: more than 1 % of the requests fail.']]);
});
