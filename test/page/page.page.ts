import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasProgram } from '../_programs.ts';
import { startService, type Running } from '../_service.ts';
import { everyNth } from '../_whole.ts';
import { findings, launch, looks, onPage as open, screenshot } from './_chromium.ts';

/** What a browser speaks: it has no h2c. */
const transports = [
  { at: 0, transport: 'http/1.1', scheme: 'http', flags: [] },
  { at: 1, transport: 'h2', scheme: 'https', flags: [] },
  { at: 2, transport: 'https/1.1', scheme: 'https', flags: ['--disable-http2'] },
] as const;

/** Milliseconds until the first paint with content. */
const FIRST_PAINT = 200;
const PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime";
/** A machine may be busy with other things: one of them counts. */
const PAINTS = 30;

let running: Running;
beforeAll(async () => {
  running = await startService('--tap', '--metrics-enabled', '--name=one');
});
afterAll(() => running.service.close());

describe.each(transports)('over $transport', ({ at, transport, scheme, flags }) => {
  let browser: Browser;
  let origin: string;
  beforeAll(async () => {
    browser = await launch(...flags);
    origin = `${scheme}://localhost:${running.port}`;
  });
  afterAll(() => browser.close());

  const onPage = (
    options: BrowserContextOptions,
    fragment: string,
    use: (page: Page, complaints: string[]) => Promise<void>,
  ): Promise<void> => open(browser, `${origin}/${fragment}`, options, use);

  test('shows its own connection, without an error, a blocked resource or a request to elsewhere', () =>
    onPage({}, '', async (page, complaints) => {
      expect(await fact(page, 'Protocol').textContent()).toBe(transport);
      const copies = await page.getByRole('button', { name: /^Copy / }).all();
      expect(await Promise.all(copies.map((copy) => copy.getAttribute('aria-label')))).toEqual([
        ...(scheme === 'https' ? ['Copy JA3', 'Copy JA4'] : []),
        ...(transport === 'h2' ? ['Copy Akamai HTTP/2'] : []),
        'Copy curl line',
        ...(scheme === 'https' ? ['Copy JA3N'] : []),
        ...(transport === 'h2' ? ['Copy Akamai MD5'] : []),
      ]);
      expect(complaints).toEqual([]);
    }));

  test('the whole answer is in sight, and explained on demand', () =>
    onPage({ viewport: { width: 1280, height: 800 } }, '', async (page) => {
      for (const label of ['Protocol', 'TLS', 'Address', 'JA3', 'JA4', 'Akamai HTTP/2']) {
        await expectInSight(fact(page, label));
      }
      await expectInSight(page.locator('#connection .curl'));
      const explanation = page.getByText('Detected from the first bytes');
      expect(await explanation.isVisible()).toBe(false);
      await page.getByLabel('Explain', { exact: true }).check();
      expect(await explanation.isVisible()).toBe(true);
    }));

  test.runIf(hasProgram('sh') && hasProgram('curl'))('the curl line shows the same of curl', () =>
    onPage({}, '', async (page) => {
      const line = (await page.locator('#connection .curl code').textContent()) ?? '';
      const { stdout } = await promisify(execFile)('sh', ['-c', line]);
      const { conn, tls, http2 } = JSON.parse(stdout) as Record<string, Record<string, unknown>>;
      expect(conn?.['protocol']).toBe(transport);
      expect(tls !== undefined).toBe(scheme === 'https');
      expect(http2?.['akamai_fingerprint'] !== undefined).toBe(transport === 'h2');
    }),
  );

  test('shows hostile fields as text', () =>
    onPage(
      { extraHTTPHeaders: { forwarded: '<img src=x onerror=alert(1)>"\'&' } },
      '',
      async (page, complaints) => {
        expect(await fact(page, 'forwarded').textContent()).toBe(
          '<img src=x onerror=alert(1)>"\'&',
        );
        expect(await page.locator('img').count()).toBe(0);
        expect(complaints).toEqual([]);
      },
    ));

  test(`first paint within ${FIRST_PAINT} ms`, async () => {
    const times: number[] = [];
    await onPage({}, '', async (page) => {
      // A first visit, but not the start of a process of the browser.
      const session = await page.context().newCDPSession(page);
      await session.send('Network.setCacheDisabled', { cacheDisabled: true });
      while (times.length < PAINTS && !times.some((time) => time < FIRST_PAINT)) {
        await page.reload();
        await expect.poll(() => page.evaluate(PAINT), { timeout: 20_000 }).toBeDefined();
        times.push(await page.evaluate<number>(PAINT));
      }
    });
    console.log(`first paint over ${transport}: ${times.map(Math.round).join(', ')} ms`);
    expect(Math.min(...times)).toBeLessThan(FIRST_PAINT);
  });

  test('is painted before its scripts arrive', () =>
    onPage({}, '', async (page) => {
      await page.route('**/*.js', () => {});
      await page.reload({ waitUntil: 'commit' });
      await expect.poll(() => page.evaluate(PAINT), { timeout: 30_000 }).toBeDefined();
      expect(await page.locator('main[data-ready]').count()).toBe(0);
    }));

  test('search by keys, send, read, share', () =>
    onPage({}, '', async (page, complaints) => {
      await page.keyboard.press('/');
      await page.keyboard.type('random bytes bytes/');
      await page.getByText(/^\d of \d+ endpoints$/).waitFor();
      await page.keyboard.press('Enter');
      const form = page.locator('details[open] form');
      await form.getByLabel('seed').fill('7');
      await form.locator('input[name=n]').fill('20');
      expect(await form.locator('.curl code').textContent()).toMatch(
        /^curl -i (?:-k )?'?https?:\/\/localhost:\d+\/(?:stream-)?bytes\/20\?seed=7'?$/,
      );
      await form.getByRole('button', { name: 'Send' }).click();
      const entry = page.locator('details[open]');
      await entry.getByText(/· 20 bytes$/).waitFor();
      await entry.getByText('Content, in hexadecimal').waitFor();
      const fields = entry.getByLabel('Header fields of the response');
      expect(await fields.textContent()).toContain('content-type: application/octet-stream');
      const protocol = entry.locator('.timing div', { hasText: 'Protocol' }).locator('dd');
      await protocol.waitFor();
      expect(await protocol.textContent()).toBe(transport === 'h2' ? 'HTTP/2' : 'HTTP/1.1');
      const link = page.url();
      expect(link).toMatch(/#try\/(?:stream-)?bytes\/\{n\}\?n=20&seed=7$/);
      await onPage({}, new URL(link).hash, async (other) => {
        expect(await other.locator('details[open] input[name=n]').inputValue()).toBe('20');
        expect(await other.locator('details[open] input[name=seed]').inputValue()).toBe('7');
        const summary = other.locator('details[open] > summary');
        expect(await summary.evaluate('document.activeElement.closest("details").open')).toBe(true);
        expect((await summary.boundingBox())?.y).toBeLessThan(200);
      });
      expect(complaints).toEqual([]);
    }));

  test('sends a method, fields and content', () =>
    onPage({}, '#try/anything?-X=PATCH&more=a=1', async (page) => {
      const form = page.locator('details[open] form');
      expect(await form.getByLabel('Method').inputValue()).toBe('PATCH');
      await form.getByLabel('Header fields').fill('X-Own: yes');
      await form.getByLabel(/^Content/).fill('some text');
      await form.getByRole('button', { name: 'Send' }).click();
      const content = page.getByLabel('Content of the response');
      await content.getByText('"method": "PATCH"').waitFor();
      const echo = JSON.parse((await content.textContent()) ?? '') as Record<string, object>;
      expect(echo).toMatchObject({
        args: { a: '1' },
        body: 'some text',
        headers: { 'x-own': 'yes' },
      });
      expect(page.url()).toMatch(
        /#try\/anything\?-X=PATCH&more=a%3D1&-H=X-Own%3A\+yes&-d=some\+text$/,
      );
    }));

  test('a link fills in a form that is open, and an unknown method is the first', () =>
    onPage({}, '#try/anything?-X=PATCH&more=a=1', async (page) => {
      const form = page.locator('details[open] form');
      await form.getByLabel('Header fields').fill('X-Own: yes');
      await page.goto(`${origin}/#try/anything?-X=NONE&more=b=2`);
      await form.getByText(/anything\?b=2'$/).waitFor();
      expect(await form.locator('input[name=more]').inputValue()).toBe('b=2');
      expect(await form.getByLabel('Method').inputValue()).toBe('GET');
    }));

  test('stops what does not end, and tells what ends early', () =>
    onPage({}, '#try/tap', async (page) => {
      const entry = page.locator('details[open]');
      await entry.getByLabel('duration').fill('');
      await entry.getByRole('button', { name: 'Send' }).click();
      await entry.getByText('so far').waitFor();
      await entry.getByRole('button', { name: 'Stop' }).click();
      await entry.getByText(/ · stopped$/).waitFor();
      await page.goto(`${origin}/#try/fault/close`);
      const fault = page.locator('details[open]', { hasText: '/fault/close' });
      await fault.getByRole('button', { name: 'Send' }).click();
      await fault.getByText(/ · (?:ended early|no response): /).waitFor();
    }));

  test('copies', () =>
    onPage({ permissions: ['clipboard-read', 'clipboard-write'] }, '', async (page) => {
      await page.getByRole('button', { name: 'Copy curl line' }).click();
      await page.getByText('curl line copied').waitFor({ state: 'attached' });
      const shown = await page.locator('#connection .curl code').textContent();
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(shown);
    }));

  test('works without scripts', () =>
    onPage({ javaScriptEnabled: false }, '', async (page) => {
      const entry = (path: string) =>
        page.locator('details', { has: page.locator('summary code', { hasText: path }) }).first();
      expect(await page.locator('#try').isVisible()).toBe(true);
      expect(await page.getByText('Detected from the first bytes').isVisible()).toBe(false);
      await page.getByLabel('Explain', { exact: true }).check();
      expect(await page.getByText('Detected from the first bytes').isVisible()).toBe(true);
      expect(await page.locator('main button', { hasText: 'Copy' }).count()).toBe(0);
      await entry('/anything/*path').locator('summary').click();
      await entry('/anything/*path').locator('input[name=path]').fill('a b/ü');
      await entry('/anything/*path').locator('input[name=more]').fill('x=1&y=%32');
      await entry('/anything/*path').getByRole('button').click();
      const echo = JSON.parse((await page.locator('pre').textContent()) ?? '') as object;
      expect(echo).toMatchObject({ path: '/anything/a%20b/%C3%BC', args: { x: '1', y: '2' } });
      await page.goBack();
      await entry('/post').locator('summary').click();
      await entry('/post').getByRole('button').click();
      expect(await page.locator('pre').textContent()).toContain('"method": "POST"');
    }));

  // In a sample, each look is taken over one of the transports.
  test.each(everyNth(transports.length, looks, at))(
    'axe finds nothing, and nothing is cut off: %s',
    async (look, options) => {
      const check = async (page: Page, name: string): Promise<void> => {
        await screenshot(page, `${transport}-${name}-${look}`);
        expect(await findings(page)).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
      };
      await onPage(options, '', async (page, complaints) => {
        await check(page, 'connection');
        const widths =
          "[...document.querySelectorAll('#connection dd')].map((it) => it.clientWidth)";
        expect(Math.min(...(await page.evaluate<number[]>(widths)))).toBeGreaterThan(150);
        await page.goto(`${origin}/#try/fault/goaway`);
        await page.goto(`${origin}/#try/anything`);
        const entry = page.locator('details[open]', { hasText: '/anything' }).first();
        await entry.getByRole('button', { name: 'Send' }).click();
        await entry.getByText('First byte').waitFor();
        await check(page, 'try');
        expect(complaints).toEqual([]);
      });
    },
  );
});

/** The value of a fact of the page's own connection. */
function fact(page: Page, label: string): Locator {
  return page.locator('#connection dl > div', { hasText: label }).locator('code').first();
}

/** Fails unless the whole element is within the window. */
async function expectInSight(element: Locator): Promise<void> {
  const box = await element.boundingBox();
  const height = element.page().viewportSize()?.height;
  expect(box?.y).toBeGreaterThanOrEqual(0);
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(height ?? 0);
}
