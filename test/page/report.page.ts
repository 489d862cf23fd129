import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { CheckReport } from '../../src/check/report/json-schema.ts';
import { benchReport, checkReport } from '../browser/_reports.ts';
import { evidenceOf, resultWithOutcome } from '../check/_results.ts';
import { everyNth } from '../_whole.ts';
import { browse, choose, findings, looks, screenshot } from './_chromium.ts';

const site = browse();

test('words in tables are whole on phones, and tables have captions', () =>
  site.onPage('#reports', { viewport: { width: 320, height: 640 } }, async (page) => {
    await choose(page, 'a.json', JSON.stringify(report));
    await page.getByText('Outcomes by topic').first().click();
    const table = page.getByRole('table', { name: 'Outcomes by topic' });
    const heights = await table
      .getByRole('columnheader')
      .evaluateAll((cells) => cells.map((cell) => cell.clientHeight));
    expect(Math.max(...heights)).toBeLessThan(32);
  }));

const report = {
  ...checkReport,
  checks: [
    {
      ...resultWithOutcome('hop/te', 'fail'),
      front: 'http/1.1',
      rule: 'TE is not forwarded.',
      expected: 'TE: none',
      found: 'TE: <img src=x onerror=alert(1)>',
      evidence: [evidenceOf('GET / HTTP/1.1\r\n\r\n')],
      remedy: {
        advice: 'Remove TE.',
        directives: [{ product: 'a', place: 'b', lines: ['no <b>te</b>'] }],
      },
      duration_ms: 1,
    },
    {
      ...resultWithOutcome('cookie/order', 'pass'),
      level: 'should',
      remedy: undefined,
      duration_ms: 1,
    },
  ],
  findings: ['http/1.1 hop/te'],
} satisfies CheckReport;

test('shows a report without sending it, and says what is wrong with another file', () =>
  site.onPage('#reports', {}, async (page, complaints) => {
    await page.locator('#report input[type=file]').waitFor();
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await choose(page, 'a.json', '{"openapi":1}');
    await page.getByText('a.json cannot be shown: it is JSON, but no report').waitFor();
    const folder = mkdtempSync(join(tmpdir(), 'wirebin-report-'));
    const huge = join(folder, 'huge.json');
    writeFileSync(huge, '');
    truncateSync(huge, 33 * 2 ** 20);
    await page.locator('#report input[type=file]').setInputFiles(huge);
    await page.getByText('huge.json cannot be shown: it has more than 32 MiB').waitFor();
    rmSync(folder, { recursive: true });
    await choose(page, 'b.json', JSON.stringify(report));
    await page.getByText(`b.json: ${report.summary_text}`).waitFor();
    await page.getByText('2 of 2 results', { exact: true }).waitFor();
    const shown = page.locator('#reports .group[open] > details:visible summary code');
    // What passed is shown once its group is opened, or chosen.
    expect(await shown.allTextContents()).toEqual(['hop/te']);
    await page.locator('#reports .fail summary').click();
    const marks = page.locator('#reports mark');
    expect(await marks.allTextContents()).toEqual(['none', '<img src=x onerror=alert(1)>']);
    expect(await page.getByLabel('Sent', { exact: true }).textContent()).toBe(
      'GET / HTTP/1.1\\r\\n\n\\r\\n\n',
    );
    await page.getByLabel('level', { exact: true }).selectOption('should');
    await page.getByText('1 of 2 results', { exact: true }).waitFor();
    expect(await shown.allTextContents()).toEqual(['cookie/order']);
    // The link to a result shows it, also if it is filtered.
    const link = page.locator('#reports .fail a[href^="#"]');
    expect(await link.getAttribute('href')).toBe('#reports/http/1.1/hop/te');
    await page.evaluate("location.hash = '#reports/http/1.1/hop/te'");
    await page.locator('#reports .fail[open]').waitFor();
    await page.getByText('2 of 2 results', { exact: true }).waitFor();
    await page.getByLabel('words').fill('nothing RULE');
    await page.getByText('0 of 2 results', { exact: true }).waitFor();
    await page.getByLabel('words').fill('onerror FORWARDED');
    await page.getByLabel('front').selectOption('http/1.1');
    await page.getByText('1 of 2 results', { exact: true }).waitFor();
    expect(requests).toEqual([]);
    expect(complaints).toEqual([]);
  }));

const [row] = benchReport.rows;
const slow = 'healthz over h2 adds 12.4 ms at p99, and --max-added-p99 is 5 ms.';
const bench = {
  ...benchReport,
  rows: [
    row,
    {
      ...row,
      scenario: 'range-64k',
      limited_by: 'load',
      note: 'The load generator <i>was</i> the limit: the proxy can do more.',
    },
    { ...row, scenario: 'upload-64k', target: { ...row.target, errors: { reset: 3, timeout: 1 } } },
    { ...row, scenario: 'connections', protocol: 'http/1.1' },
  ],
  failed_gates: [slow, '<img src=x onerror=alert(1)>'],
};

test('shows a report of a benchmark: its table and the gates that failed', () =>
  site.onPage('#reports', {}, async (page, complaints) => {
    await choose(page, 'bench.json', JSON.stringify(bench));
    await page.getByText('bench.json: 4 rows, 1 with errors, 2 gates failed').waitFor();
    expect(await page.locator('#reports .bad li').allTextContents()).toEqual(bench.failed_gates);
    const table = page.getByRole('table', { name: 'Throughput and latency' });
    const heads = await table.getByRole('columnheader').allTextContents();
    const line = table.getByRole('row', { name: 'upload-64k' });
    const cells = await line.getByRole('cell').allTextContents();
    expect(cells[heads.indexOf('errors') - 1]).toBe('4');
    const reasons = 'through the target failed: 3 reset, 1 timeout';
    await page.getByText(reasons).waitFor();
    const limited = table.getByRole('row', { name: 'range-64k' });
    await limited.getByRole('cell', { name: 'load' }).waitFor();
    await page.getByText('range-64k h2: The load generator <i>was</i> the limit').waitFor();
    expect(await page.locator('#reports :is(img, i)').count()).toBe(0);
    expect(await page.locator('#reports figure .plot > svg').count()).toBe(4);
    // Another file takes its place.
    await choose(
      page,
      'hostile.json',
      JSON.stringify({ ...bench, rows: Array.from({ length: 100_000 }, () => ({})) }),
    );
    const line2 = 'hostile.json cannot be shown: a member is missing, or has another type';
    await page.getByText(line2, { exact: true }).waitFor();
    expect(await table.count()).toBe(0);
    expect(complaints).toEqual([]);
  }));

test.each(everyNth(2, looks))(
  'axe finds nothing, and nothing is cut off: %s',
  async (look, options) => {
    for (const [name, content] of [
      ['check', report],
      ['bench', bench],
    ] as const) {
      await site.onPage('#reports', options, async (page, complaints) => {
        await choose(page, `${name}.json`, JSON.stringify(content));
        await page.locator('#reports .line.bad').waitFor();
        if (name === 'check') {
          await page.locator('#reports .fail summary').first().click();
          await page.getByText('Outcomes by topic').first().click();
        }
        await screenshot(page, `${name}-shown-${look}`);
        expect(await findings(page)).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
        expect(complaints).toEqual([]);
      });
    }
  },
);

test('a report may be dropped on any part', () =>
  site.onPage('', {}, async (page) => {
    const data = await page.evaluateHandle(
      `(() => {
        const data = new DataTransfer();
        data.items.add(new File([${JSON.stringify(JSON.stringify(report))}], 'dropped.json'));
        return data;
      })()`,
    );
    await page.dispatchEvent('body', 'dragenter', { dataTransfer: data });
    await page.locator('#report input[type=file]').waitFor();
    await page.dispatchEvent('body', 'drop', { dataTransfer: data });
    await page.getByText('dropped.json: FAIL: 1 must finding').waitFor();
  }));
