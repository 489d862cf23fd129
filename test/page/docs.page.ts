import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { everyNth } from '../_whole.ts';
import { browse, findings, screenshot } from './_chromium.ts';

const site = browse();
const WIDTHS = [390, 768, 1280, 1920];

const files = readFileSync(new URL('../../dist/docs/files.txt', import.meta.url), 'utf8');
const pages = files.split('\n').filter((name) => name.endsWith('.md'));
/** Every seventh, so that axe has each of the widths. */
const sample = everyNth(7, [...pages.entries()], 5);

test.each(sample)('%i: axe finds nothing in %s, which is readable at every width', (number, name) =>
  site.onPage(`docs/${name}`, {}, async (page, complaints) => {
    for (const [at, width] of WIDTHS.entries()) {
      const colorScheme = at % 2 === 0 ? 'dark' : 'light';
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      await screenshot(page, `docs-${name}-${width}-${colorScheme}`, false);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
      // Which takes seconds, so in one of them.
      if (at === number % WIDTHS.length) expect(await findings(page)).toEqual([]);
    }
    expect(complaints).toEqual([]);
  }),
);

test('the table of all settings fits in a common window', () =>
  site.onPage('docs/settings', { viewport: { width: 1280, height: 900 } }, async (page) => {
    const hidden = await page.evaluate<number[]>(
      "[...document.querySelectorAll('[role=region]')].map((it) => it.scrollWidth - it.clientWidth)",
    );
    expect(hidden.length).toBeGreaterThan(1);
    expect(new Set(hidden)).toEqual(new Set([0]));
  }));

/** Names of types of Envoy, which have no place to break. */
const UNBREAKABLE = /envoy\.extensions\.filters/;
/** Only these pages can have a line of code that is too long. */
const withLongLines = pages.filter((name) => {
  const text = readFileSync(new URL(`../../dist/docs/${name}`, import.meta.url), 'utf8');
  return text.split('\n').some((line) => line.length > 100 && !line.startsWith('|'));
});

test('no line of code is cut off in a common window', () =>
  site.onPage('docs', { viewport: { width: 1280, height: 900 } }, async (page) => {
    const cut: string[] = [];
    for (const name of withLongLines) {
      await page.goto(`${site.origin()}/docs/${name}`, { waitUntil: 'domcontentloaded' });
      const texts = await page.evaluate<string[]>(
        "[...document.querySelectorAll('pre')].filter((it) => it.scrollWidth > it.clientWidth).map((it) => it.textContent)",
      );
      for (const text of texts.filter((each) => !UNBREAKABLE.test(each))) {
        const longest = text.split('\n').toSorted((a, b) => b.length - a.length)[0] ?? '';
        cut.push(`${name}: ${longest}`);
      }
    }
    expect(cut).toEqual([]);
  }));

test('works without scripts: from `/` to the contents, to a page and back', () =>
  site.onPage('', { javaScriptEnabled: false }, async (page, complaints) => {
    await page.getByRole('link', { name: 'Docs' }).click();
    await page.getByRole('link', { name: 'The tap' }).click();
    await page.getByRole('heading', { name: 'The tap', level: 1 }).waitFor();
    expect(page.url()).toBe(`${site.origin()}/docs/tap`);
    await page.getByRole('link', { name: 'wirebin', exact: true }).click();
    expect(page.url()).toBe(`${site.origin()}/`);
    expect(complaints).toEqual([]);
  }));
