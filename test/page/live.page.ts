import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { expect, test } from 'vitest';
import { browse, findings, looks, screenshot } from './_chromium.ts';

const site = browse('--tap', '--metrics-enabled');
const plain = browse();

/** A handshake that fails: wirebin does not speak TLS 1.1 by default. */
async function failHandshake(): Promise<void> {
  const socket = connectTls({
    port: site.service().port,
    servername: 'broken.example',
    maxVersion: 'TLSv1.1',
    minVersion: 'TLSv1',
    ciphers: 'DEFAULT@SECLEVEL=0',
  });
  await new Promise((resolve) => socket.on('error', resolve));
}

test('shows what happened before and what happens, failed handshakes with their reason', async () => {
  await failHandshake();
  await fetch(`${site.origin()}/anything/before`);
  await site.onPage('#tap', {}, async (page, complaints) => {
    const log = page.getByRole('log');
    await log.getByText('GET /anything/before → 200').waitFor();
    const failed = log.locator('.failed', { hasText: 'broken.example' });
    expect(await failed.locator('code').textContent()).toMatch(/unsupported protocol/);
    expect(await failed.locator('b').textContent()).toBe('handshake failed');
    const red = await page.evaluate(
      "getComputedStyle(document.querySelector('.failed code')).color",
    );
    expect(red).toBe('rgb(179, 33, 30)');
    await failed.locator('summary').click();
    expect(await failed.locator('pre').textContent()).toContain('"sni": "broken.example"');
    await fetch(`${site.origin()}/anything/after`);
    await log.getByText('GET /anything/after → 200').waitFor();
    expect(complaints).toEqual([]);
  });
});

test('filters, pauses and clears', () =>
  site.onPage('#tap', {}, async (page) => {
    const log = page.getByRole('log');
    const rows = log.locator('details:visible');
    await fetch(`${site.origin()}/anything/kept`);
    await log.getByText('GET /anything/kept').waitFor();
    await page.getByLabel('Kind of event').selectOption('bad');
    await log.getByText('GET /anything/kept').waitFor({ state: 'hidden' });
    expect(await rows.count()).toBe(await log.locator('.failed').count());
    await page.getByLabel('Kind of event').selectOption('request');
    await page.getByLabel('Text in the event').fill('anything/KEPT');
    expect(await rows.count()).toBe(1);
    await page.getByRole('button', { name: 'Pause' }).click();
    await fetch(`${site.origin()}/anything/kept?again`);
    await page.getByText(/, [1-9]\d* waiting$/).waitFor();
    expect(await rows.count()).toBe(1);
    await page.getByRole('button', { name: 'Go on' }).click();
    await rows.nth(1).waitFor();
    await page.getByLabel('Text in the event').fill('');
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByText(/^0 of 0 events/).waitFor();
  }));

test('shows hostile values as text, and keeps a bounded number of rows', () =>
  site.onPage('#tap', {}, async (page, complaints) => {
    const log = page.getByRole('log');
    await log.locator('details').first().waitFor();
    const lines = 'GET /<img/src=x/onerror=alert(1)> HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(350);
    const socket = connect(site.service().port, 'localhost', () => socket.end(lines));
    await new Promise((resolve) => socket.resume().on('close', resolve));
    await log.getByText('GET /<img/src=x/onerror=alert(1)>').first().waitFor();
    await page.getByText(/^300 of 300 events/).waitFor();
    expect(await page.locator('main img').count()).toBe(0);
    expect(complaints).toEqual([]);
  }));

test('says how to turn on what is off', () =>
  plain.onPage('#tap', {}, async (page, complaints) => {
    await page.getByText('start wirebin with --tap').waitFor();
    await page.goto(`${plain.origin()}/#hour`);
    await page.getByText('start wirebin with --metrics-enabled').waitFor();
    expect(complaints).toEqual([]);
  }));

test('draws the last hour, with tables', async () => {
  await fetch(`${site.origin()}/status/404`);
  await site.onPage('#hour', {}, async (page, complaints) => {
    const card = page.locator('#hour .card', { hasText: 'Statuses' });
    await card.getByText('4xx').waitFor();
    expect(await page.locator('#hour .card').count()).toBe(6);
    expect(await card.getByRole('img').getAttribute('aria-label')).toMatch(/^Chart: Statuses/);
    await card.locator('summary').click();
    const heads = await card.locator('th[scope=col]').allTextContents();
    expect(heads).toEqual(expect.arrayContaining(['Time', '2xx', '4xx']));
    expect(await card.locator('tr').count()).toBeGreaterThanOrEqual(2);
    const none = page.locator('#hour .card', { hasText: 'Faults and chaos' });
    expect(await none.textContent()).toContain('None.');
    expect(await none.locator('svg, details:visible').count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});

test('what draws charts is loaded by the part that has them only', () =>
  site.onPage('', {}, async (page) => {
    const loaded = 'performance.getEntriesByType("resource").map(({ name }) => name).join(" ")';
    await page.waitForLoadState('networkidle');
    expect(await page.evaluate(loaded)).not.toContain('hour.js');
    await page.getByRole('link', { name: 'The last hour' }).click();
    await page.locator('#hour svg').first().waitFor();
    expect(await page.evaluate(loaded)).toContain('hour.js');
  }));

test('a service of ten seconds has bars as wide as a minute, in the colours of the legend', async () => {
  const start = new Date(Date.now() - 10_000).toISOString();
  const minute = {
    start,
    requests: 7,
    statuses: { '2xx': 5, '5xx': 2 },
    duration_ms: { mean: 2, p50: 1, p99: 3 },
    connections: 1,
    faults: {},
    chaos: {},
    terminations: {},
  };
  await site.onPage('', { viewport: { width: 390, height: 640 } }, async (page) => {
    await page.route('**/metrics/history', (route) =>
      route.fulfill({ json: { minutes: [minute] } }),
    );
    await page.getByRole('link', { name: 'The last hour' }).click();
    const card = page.locator('#hour .card', { hasText: 'Statuses' });
    const plot = await card.locator('.plot > svg').boundingBox();
    // The first one is in front.
    const bars = card.locator('.plot svg svg path');
    const boxes = [await bars.nth(1).boundingBox(), await bars.nth(0).boundingBox()];
    expect(
      boxes.map((box) => box && Math.round((box.height / (boxes[1]?.height ?? 0)) * 7)),
    ).toEqual([5, 7]);
    for (const box of boxes) {
      expect((box?.width ?? 0) / (plot?.width ?? 1)).toBeCloseTo(0.09, 2);
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(
        (plot?.x ?? 0) + (plot?.width ?? 0),
      );
    }
    const fills = await bars.evaluateAll((paths) => paths.map((path) => path.getAttribute('fill')));
    expect(fills).toEqual(['var(--bad)', 'var(--good)']);
    expect(await card.locator('.legend').textContent()).toBe(' 2xx 5 5xx 2');
    const lines = page.locator('#hour .card', { hasText: 'Latency' }).locator('.plot svg svg path');
    expect((await lines.nth(0).boundingBox())?.width).toBeGreaterThan(20);
  });
});

test('all links to parts are in sight, also on phones', async () => {
  for (const part of ['connection', 'try', 'tap', 'hour', 'reports']) {
    await site.onPage(`#${part}`, { viewport: { width: 320, height: 640 } }, async (page) => {
      await page.locator('main[data-ready]').waitFor();
      for (const link of await page.locator('nav a').all()) {
        const bounds = await link.boundingBox();
        expect(bounds?.x).toBeGreaterThanOrEqual(0);
        expect((bounds?.x ?? 0) + (bounds?.width ?? 0)).toBeLessThanOrEqual(320);
      }
      expect(await page.evaluate('scrollX')).toBe(0);
    });
  }
});

test.each(looks)('axe finds nothing, and nothing is cut off: %s', async (look, options) => {
  for (const [part, ready] of [
    ['tap', '[role=log] details'],
    ['hour', 'svg'],
  ] as const) {
    await site.onPage(`#${part}`, options, async (page, complaints) => {
      await page.locator(`#${part} ${ready}`).first().waitFor();
      await page.locator(`#${part} summary`).first().click();
      await screenshot(page, `${part}-${look}`, part !== 'tap');
      expect(await findings(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
      expect(complaints).toEqual([]);
    });
  }
});
