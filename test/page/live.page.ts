import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { expect, test } from 'vitest';
import { everyNth } from '../_whole.ts';
import { browse, findings, looks, screenshot } from './_chromium.ts';

const site = browse('--tap', '--metrics-enabled');
const plain = browse();
const inspecting = browse('--tap', '--inspect');

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

test('filters, stops, starts from where it stopped, and clears', () =>
  site.onPage('#tap', {}, async (page) => {
    const log = page.getByRole('log');
    const rows = log.locator('details:visible');
    await fetch(`${site.origin()}/anything/kept`);
    await log.getByText('GET /anything/kept').waitFor();
    await page.getByLabel('Kind of event').selectOption('bad');
    await log.getByText('GET /anything/kept').waitFor({ state: 'hidden' });
    expect(await rows.count()).toBe(await log.locator('.failed:visible').count());
    await page.getByLabel('Kind of event').selectOption('request');
    await page.getByLabel('Text in the event').fill('KEPT anything/');
    expect(await rows.count()).toBe(1);
    const closed = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/tap'));
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped.').waitFor();
    await closed;
    await fetch(`${site.origin()}/anything/kept?again`);
    expect(await rows.count()).toBe(1);
    await page.getByRole('button', { name: 'Start' }).click();
    await rows.nth(1).waitFor();
    expect(await log.getByText('GET /anything/kept →').count()).toBe(1);
    await page.getByLabel('Text in the event').fill('');
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByText(/^0 of 0 events/).waitFor();
  }));

test('an event that cannot be read is skipped, and a stream that has ended is tried again', () =>
  site.onPage('', {}, async (page) => {
    const events = ['{"kind":"request"}', '{"kind":"opened","conn":"7"}'];
    await page.route('**/tap', (route) => {
      const body = `data: ${events.shift() ?? '{}'}\n\n`;
      return route.fulfill({ contentType: 'text/event-stream', body });
    });
    await page.getByRole('link', { name: 'Live tap' }).click();
    await page.getByText('The stream has ended. Trying again …').waitFor();
    await page.getByRole('log').getByText('connection 7').waitFor();
  }));

test('once it is stopped, nothing else is said of it', () =>
  site.onPage('', {}, async (page) => {
    // A problem document that does not end.
    await page.evaluate(`globalThis.fetch = async (url, { signal }) => ({ ok: false, status: 503,
      json: () => new Promise((resolve, reject) => signal.addEventListener('abort', reject)) })`);
    await page.getByRole('link', { name: 'Live tap' }).click();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'Start' }).waitFor();
    expect(await page.locator('#tap .line').textContent()).toMatch(/^Stopped/);
  }));

test('leaves out what the page itself does, also after a reload, unless a switch shows it', () =>
  site.onPage('#tap', {}, async (page, complaints) => {
    const log = page.getByRole('log');
    const rows = log.locator('details:visible');
    const link = (name: string) => page.getByRole('navigation').getByRole('link', { name });
    await page.getByText('Live', { exact: true }).waitFor();
    await page.reload();
    await link('The last hour').click();
    await page.locator('#hour svg').first().waitFor();
    await fetch(`${site.origin()}/`, { headers: { accept: 'text/html' } });
    await fetch(`${site.origin()}/tap?duration=0.1`);
    await page.goto(`${site.origin()}/#try/metrics/history`);
    await page.locator('details[open]').getByRole('button', { name: 'Send' }).click();
    await page.locator('details[open]').getByText(/^200 /).first().waitFor();
    await link('Live tap').click();
    // Those of the test and of the form, but none of the page.
    await rows.filter({ hasText: 'GET / → 200' }).waitFor();
    await rows.filter({ hasText: 'GET /tap?duration=0.1 → 200' }).waitFor();
    expect(await rows.filter({ hasText: 'GET /metrics/history' }).count()).toBe(1);
    for (const path of ['/ →', '/page/', '/tap →', '/metrics/history']) {
      const all = await log.locator('details', { hasText: `GET ${path}` }).count();
      const shown = await rows.filter({ hasText: `GET ${path}` }).count();
      expect(all, path).toBeGreaterThan(shown);
    }
    await page.getByText(/ of this page left out/).waitFor();
    await page.getByLabel('Kind of event').selectOption('bad');
    expect(await rows.filter({ hasText: 'GET /tap →' }).count()).toBe(0);
    await page.getByLabel('this page’s own').check();
    await rows.filter({ hasText: 'GET /tap → 200' }).first().waitFor();
    expect(await page.getByText(/ of this page left out/).count()).toBe(0);
    expect(page.url()).toMatch(/#tap\?kind=bad&own=1$/);
    expect(complaints).toEqual([]);
  }));

test('a link chooses, the navigation comes back to it, and a connection opens its story', async () => {
  await fetch(`${inspecting.origin()}/anything/told?x=<b>`, { headers: { connection: 'close' } });
  await inspecting.onPage('#tap?kind=request&text=told', {}, async (page, complaints) => {
    const log = page.getByRole('log');
    const rows = log.locator('details:visible');
    await log.getByText('GET /anything/told').waitFor();
    expect(await rows.count()).toBe(1);
    await page.getByRole('link', { name: 'Reports' }).click();
    await page.getByRole('link', { name: 'Live tap' }).click();
    expect(page.url()).toContain('#tap?kind=request&text=told');
    await log.locator('.row:visible > a').click();
    await page.getByRole('heading', { name: /^Connection / }).waitFor();
    expect(page.url()).toMatch(/#tap\?conn=\w+$/);
    const story = page.getByRole('group', { name: 'What the connection carried' });
    await story.getByText('request 1', { exact: true }).waitFor();
    const head = await story.locator('pre').first().textContent();
    expect(head).toMatch(/^GET \/anything\/told\?x=%3Cb%3E HTTP\/1\.1\r\nhost: /i);
    expect(await story.locator('pre').nth(1).textContent()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(await rows.locator('b').allTextContents()).toEqual(['closed', 'request', 'opened']);
    await page.getByLabel('Layer').selectOption('TCP');
    expect(await story.getByText('request 1', { exact: true }).isVisible()).toBe(false);
    await story.locator('summary', { hasText: 'bytes' }).first().click();
    expect(await story.locator('pre:visible').textContent()).toContain('"bytes": ');
    expect(await findings(page)).toEqual([]);
    await page.getByLabel('Connection', { exact: true }).fill('none');
    await page.getByLabel('Connection', { exact: true }).press('Enter');
    await page.getByText('there is no connection none').waitFor();
    await page.goBack();
    expect(await rows.count()).toBe(1);
    expect(await page.getByRole('heading', { name: /^Connection / }).count()).toBe(0);
    // The browser tells of the response with 404.
    expect(complaints.filter((complaint) => !complaint.includes('404'))).toEqual([]);
  });
});

test('without inspection, the story of a connection says how to turn it on', async () => {
  await fetch(`${site.origin()}/anything/told`);
  await site.onPage('#tap?text=told', {}, async (page, complaints) => {
    await page.getByRole('log').getByText('GET /anything/told').first().waitFor();
    await page.locator('.row:visible > a').first().click();
    await page.getByText('start wirebin with --inspect').waitFor();
    expect(complaints).toEqual([]);
  });
});

test('shows hostile values as text, and keeps a bounded number of rows', () =>
  site.onPage('#tap', {}, async (page, complaints) => {
    const log = page.getByRole('log');
    await page.getByText('Live', { exact: true }).waitFor();
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

test.each(everyNth(2, looks))(
  'axe finds nothing, and nothing is cut off: %s',
  async (look, options) => {
    for (const [part, ready, summary] of [
      // Not any row: those of the page itself are in sight until its request shows whose they are.
      ['tap', '[role=log] details:visible', 'summary:has-text("GET /anything")'],
      ['hour', 'svg', 'summary:visible'],
    ] as const) {
      await fetch(`${site.origin()}/anything`);
      await site.onPage(`#${part}`, options, async (page, complaints) => {
        await page.locator(`#${part} ${ready}`).first().waitFor();
        await page.locator(`#${part} ${summary}`).first().click();
        await screenshot(page, `${part}-${look}`, part !== 'tap');
        expect(await findings(page)).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
        expect(complaints).toEqual([]);
      });
    }
  },
);
