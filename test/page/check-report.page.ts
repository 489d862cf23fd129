import { expect, test } from 'vitest';
import { htmlReport } from '../../src/check/report/html.ts';
import { reportOf } from '../check/report/_report.ts';
import { evidenceOf, resultWithOutcome } from '../check/_results.ts';
import { everyNth } from '../_whole.ts';
import { browseReports, findings, looks, screenshot } from './_chromium.ts';

const long = { ...resultWithOutcome('hop/long', 'fail'), found: 'x'.repeat(4000) };
const html = htmlReport(
  reportOf([
    { ...long, evidence: [evidenceOf('y'.repeat(4000))] },
    { ...resultWithOutcome('hop/te', 'fail'), front: 'http/1.1' },
    resultWithOutcome('cookie/order', 'pass'),
  ]),
);
const site = browseReports({ '/': html });

test.each(everyNth(2, looks))(
  'a report in HTML: axe finds nothing, and nothing is cut off: %s',
  (look, options) =>
    site.onPage('', options, async (page, complaints) => {
      await page.locator('.fail summary').first().click();
      await screenshot(page, `html-${look}`);
      expect(await findings(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
      expect(complaints).toEqual([]);
    }),
);

test('results are filtered, and a link opens its result', () =>
  site.onPage('#h2/hop/long', {}, async (page, complaints) => {
    const shown = page.locator('.group details:visible summary code');
    expect(await page.locator('.group details[open]').getAttribute('id')).toBe('h2/hop/long');
    await page.getByLabel('outcome', { exact: true }).selectOption('pass');
    expect(await shown.allTextContents()).toEqual(['cookie/order']);
    await page.getByText('1 of 3 results').waitFor();
    await page.evaluate("location.hash = 'http/1.1/hop/te'");
    await page.getByText('3 of 3 results').waitFor();
    await page.getByLabel('words').fill('RULE Hop/');
    await page.getByLabel('front').selectOption('http/1.1');
    expect(await shown.allTextContents()).toEqual(['hop/te']);
    expect(complaints).toEqual([]);
  }));

test('the link keeps the filter', () =>
  site.onPage('#?outcome=pass&words=order', {}, async (page, complaints) => {
    const shown = page.locator('.group details:visible summary code');
    await page.getByText('1 of 3 results').waitFor();
    expect(await shown.allTextContents()).toEqual(['cookie/order']);
    await page.getByLabel('outcome', { exact: true }).selectOption('fail');
    await page.getByLabel('words').fill('hop/te');
    expect(await page.evaluate('location.hash')).toBe('#?outcome=fail&words=hop%2Fte');
    expect(await shown.allTextContents()).toEqual(['hop/te']);
    expect(complaints).toEqual([]);
  }));

test('without JavaScript, findings can be read, and nothing offers to filter them', () =>
  site.onPage('', { javaScriptEnabled: false }, async (page) => {
    expect(await page.getByRole('search').count()).toBe(0);
    await page.locator('.fail summary').first().click();
    await page.locator('.fail pre').first().waitFor();
  }));
