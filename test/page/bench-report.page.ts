import { expect, test } from 'vitest';
import { Latencies } from '../../src/bench/latencies.ts';
import { hgrmText } from '../../src/bench/report/hgrm.ts';
import { htmlReport } from '../../src/bench/report/html.ts';
import type { PointView } from '../../src/bench/report/rates-schema.ts';
import { during } from '../bench/report/_during.ts';
import { report, row } from '../bench/_rows.ts';
import { everyNth } from '../_whole.ts';
import { browseReports, findings, looks, screenshot } from './_chromium.ts';

function hgrmOf(base: number): string {
  const latencies = new Latencies();
  for (let at = 1; at <= 5000; at++)
    latencies.record(base * (at % 1000 === 0 ? 40 : 1 + at / 5000));
  return hgrmText(latencies);
}

const point = (rate: number, base: number): PointView => {
  const p50 = rate > 5000 ? 80 : base / (1.02 - rate / 5000);
  return {
    rate,
    completed: Math.min(rate, 5000),
    requests: rate,
    errors: 0,
    load_lag_ms: 0.1,
    latency_ms: { p50, p90: p50 * 1.5, p99: p50 * 2, p99_9: p50 * 4, max: p50 * 9 },
  };
};
const sweepOf = (base: number) =>
  Array.from({ length: 12 }, (_, at) => point((at + 1) * 500, base));
const found = {
  rate: 4900,
  low: 4850,
  high: 5000,
  limited_by: 'side',
  trials: 20,
  note: '',
} as const;
const html = htmlReport({
  ...report,
  rows: [
    {
      ...row,
      target: { ...row.target, latency_hgrm: hgrmOf(0.5) },
      direct: row.direct && { ...row.direct, latency_hgrm: hgrmOf(0.3) },
      found: { condition: 'p99<5ms', target: found, baseline: null, direct: found },
      sweep: {
        target: { points: sweepOf(0.5), knee: { below: 4500, above: 5000, sign: 'p99' } },
        baseline: null,
        direct: { points: sweepOf(0.3), knee: null },
      },
    },
  ],
});
const duringHtml = htmlReport({ ...report, rows: [], during: [during] });
const site = browseReports({ '/': html, '/during': duringHtml });

test.each(everyNth(2, looks))(
  'a benchmark in HTML: charts are drawn, axe finds nothing, and nothing is cut off: %s',
  (look, options) =>
    site.onPage('', options, async (page, complaints) => {
      await screenshot(page, `bench-${look}`);
      expect(await page.locator('figure .plot > svg').count()).toBe(4);
      expect(await page.locator('figure .legend').first().textContent()).toContain('p99 target');
      expect(await page.locator('figure details[open]').count()).toBe(0);
      await page.locator('figure summary').first().click();
      expect(await page.locator('figure table').first().textContent()).toContain('4500');
      expect(await findings(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
      expect(complaints).toEqual([]);
    }),
);

test('each chart has lines in the colours of its legend, also without scripts', () =>
  site.onPage('', { javaScriptEnabled: false }, async (page) => {
    const strokes = async (selector: string) =>
      page
        .locator(selector)
        .evaluateAll((paths) => paths.map((path) => path.getAttribute('stroke') ?? ''));
    for (const [at, lines] of [6, 2, 2, 2].entries()) {
      const figure = `figure:nth-of-type(${at + 1})`;
      const named = await strokes(`${figure} .legend path`);
      expect(named).toHaveLength(lines);
      const drawn = await strokes(`${figure} .plot svg svg path`);
      expect([...new Set(drawn)]).toEqual(expect.arrayContaining(named));
    }
  }));

test('what happened while a command ran has a chart, too', () =>
  site.onPage('during', {}, async (page, complaints) => {
    await screenshot(page, 'bench-during');
    expect(await page.locator('figure .plot > svg').count()).toBe(1);
    expect(await findings(page)).toEqual([]);
    expect(complaints).toEqual([]);
  }));
