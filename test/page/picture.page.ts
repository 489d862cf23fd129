import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { flagsOf } from '../../scripts/demo/stage.ts';
import { startService } from '../_service.ts';
import { launch, onPage } from './_chromium.ts';

const FOLDER = fileURLToPath(new URL('../../docs/pictures/', import.meta.url));
const writes = process.env['WIREBIN_WRITE_DOCS'] === '1';
const WIDTH = 900;
/** Words with digits that are no values. */
const LABEL = /^(?:JA[34]|HTTP\/2)$/;

let browser: Browser;
beforeAll(async () => {
  const { port } = await startService(flagsOf('blue'));
  browser = await launch(`--host-resolver-rules=MAP localhost:8080 127.0.0.1:${port}`);
});
afterAll(() => browser.close());

/**
 * The page of an instance of the demonstration, which does not depend on the proxies that are installed.
 *
 * Compares what can be read in the picture: labels, headings, buttons and the explanations of values. Values are left
 * out, since those of another Chromium or Node differ. How it looks is not compared, since fonts differ.
 */
test.each(['light', 'dark'] as const)(
  'docs/pictures/page-%s.png is what `npm run pictures` writes',
  async (colorScheme) => {
    const look = { colorScheme, viewport: { width: WIDTH, height: 900 }, deviceScaleFactor: 4 / 3 };
    await onPage(browser, 'https://localhost:8080/', look, async (page) => {
      await page.locator('main[data-ready]').waitFor();
      const parts = ['header', '#connection .lead', '#connection .card'];
      const shown = parts.map((part) => page.locator(part).first());
      const texts = await Promise.all(shown.map((part) => part.innerText()));
      const words = texts
        .join('\n')
        .replaceAll(/\S*\d\S*/g, (word) => (LABEL.test(word) ? word : '…'));
      const outdated = 'the picture is outdated: run `npm run pictures`';
      await expect(`${words}\n`, outdated).toMatchFileSnapshot(`${FOLDER}page.txt`);
      const last = await shown.at(-1)?.boundingBox();
      const height = Math.ceil((last?.y ?? 0) + (last?.height ?? 0)) + 12;
      const picture = await page.screenshot({ clip: { x: 0, y: 0, width: WIDTH, height } });
      if (writes) writeFileSync(`${FOLDER}page-${colorScheme}.png`, picture);
    });
  },
);
