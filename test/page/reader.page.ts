import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { checkReport } from '../browser/_reports.ts';
import { browse, choose } from './_chromium.ts';

// What those get who use the page by a screen reader and by keys.

const site = browse('--tap', '--metrics-enabled');

const onPage = (
  fragment: string,
  use: (page: Page) => Promise<void>,
  options: BrowserContextOptions = {},
): Promise<void> => site.onPage(fragment, options, use);

interface Node {
  readonly ignored: boolean;
  readonly role?: { readonly value?: unknown };
  readonly name?: { readonly value?: unknown };
  readonly properties?: readonly {
    readonly name: string;
    readonly value: { readonly value?: unknown };
  }[];
}

/** The accessibility tree: role and name of each node, and the level of headings. */
async function treeOf(page: Page): Promise<{ role: string; name: string; level: number }[]> {
  const session = await page.context().newCDPSession(page);
  const { nodes }: { nodes: readonly Node[] } = await session.send('Accessibility.getFullAXTree');
  return nodes
    .filter(({ ignored }) => !ignored)
    .map(({ role, name, properties = [] }) => ({
      role: textOf(role?.value),
      name: textOf(name?.value),
      level: Number(properties.find((property) => property.name === 'level')?.value.value ?? 0),
    }));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Of what takes actions, or is jumped to. */
const NAMED = new Set([
  'button',
  'checkbox',
  'combobox',
  'DisclosureTriangle',
  'image',
  'link',
  'log',
  'navigation',
  'region',
  'searchbox',
  'spinbutton',
  'table',
  'textbox',
]);

test.each([
  ['connection', 'dl'],
  ['try/bytes/{n}', 'details[open] .curl'],
  ['tap', '[role=log] details:visible'],
  ['hour', 'svg'],
  ['reports', 'table'],
])('%s: names, one landmark, headings without gaps', (fragment, ready) =>
  onPage(`#${fragment}`, async (page) => {
    if (fragment === 'reports') {
      await choose(page, 'a.json', JSON.stringify(checkReport));
      await page.getByText('Outcomes by topic').first().click();
    }
    // Which is not the page's own, so that the tap shows it.
    await page.evaluate("fetch('get').then(() => 0)");
    await page.locator(`main ${ready}`).first().waitFor();
    const tree = await treeOf(page);
    const without = tree.filter(({ role, name }) => NAMED.has(role) && name.trim() === '');
    expect(without).toEqual([]);
    const roles = tree.map(({ role }) => role);
    for (const landmark of ['banner', 'navigation', 'main', 'region']) {
      expect([landmark, roles.filter((role) => role === landmark).length]).toEqual([
        landmark,
        // The tables of a report scroll: what the target does, and the outcomes.
        landmark === 'region' && fragment === 'reports' ? 3 : 1,
      ]);
    }
    const levels = tree.flatMap(({ role, level }) => (role === 'heading' ? [level] : []));
    expect(levels.slice(0, 2)).toEqual([1, 2]);
    for (const [at, level] of levels.entries()) {
      expect(level - (levels[at - 1] ?? 0)).toBeLessThanOrEqual(1);
    }
    // No two that differ only in where they are. Links to a connection lead to the same, in each row of it.
    const actions = tree
      .filter(({ role }) => ['button', 'link', 'DisclosureTriangle'].includes(role))
      .map(({ role, name }) => `${role} ${name}`)
      .filter((name) => fragment !== 'connection' && !/\/page\/|^link connection /.test(name));
    expect(actions.filter((name, at) => actions.indexOf(name) !== at)).toEqual([]);
  }),
);

const focused = (page: Page) => page.locator(':focus');

test('a link to a part takes the focus along, and titles the page', () =>
  onPage('', async (page) => {
    expect(await page.title()).toBe('Your connection · wirebin');
    await page.getByRole('link', { name: 'Live tap' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('#tap:focus').waitFor();
    expect(await page.title()).toBe('Live tap · wirebin');
    await page.getByLabel('Kind of event').waitFor();
    await page.keyboard.press('Tab');
    expect(await focused(page).getAttribute('aria-label')).toBe('Kind of event');
    await page.goBack();
    await page.locator('#connection:focus').waitFor();
    expect(await page.title()).toBe('Your connection · wirebin');
  }));

test('the first link skips to the part that is shown', () =>
  onPage('#hour', async (page) => {
    await page.locator('main[data-ready]').waitFor();
    await page.locator('.skip').focus();
    await page.keyboard.press('Enter');
    await page.locator('#hour:focus').waitFor();
    expect(await page.locator('#connection').isVisible()).toBe(false);
  }));

test('Stop leaves the focus at Send', () =>
  onPage('#try/tap', async (page) => {
    const entry = page.locator('details[open]');
    await entry.getByLabel('duration').fill('');
    await entry.getByRole('button', { name: 'Send' }).focus();
    await page.keyboard.press('Enter');
    await entry.getByText('so far').waitFor();
    await page.keyboard.press('Tab');
    expect(await focused(page).textContent()).toBe('Stop');
    await page.keyboard.press('Enter');
    await entry.getByText(/ · stopped$/).waitFor();
    await entry.getByRole('button', { name: 'Stop' }).waitFor({ state: 'hidden' });
    expect(await focused(page).textContent()).toBe('Send');
  }));

test('Copy link has its name back afterwards', () =>
  onPage(
    '#try/anything',
    async (page) => {
      const button = page.locator('details[open] .actions .copy');
      await button.click();
      await button.getByText('Copied').waitFor();
      await button.getByText('Copy link', { exact: true }).waitFor();
    },
    { permissions: ['clipboard-read', 'clipboard-write'] },
  ));

/** Keeps what live regions say from now on, as the page's `said`. */
const listen = `
  window.said = [];
  for (const region of document.querySelectorAll('[role=status]')) {
    new MutationObserver(() => window.said.push(region.textContent))
      .observe(region, { childList: true, characterData: true, subtree: true });
  }`;

test('what is read out: the end of a response, and its progress only now and then', () =>
  onPage('#try/drip?duration=1&numbytes=20', async (page) => {
    await page.evaluate(listen);
    const entry = page.locator('details[open]', { hasText: '/drip' });
    await entry.getByRole('button', { name: 'Send' }).click();
    const whole = entry.getByText(/^200 OK · [\d.]+ ms · 20 bytes$/);
    await whole.waitFor();
    expect(await page.evaluate('said')).toEqual([await whole.textContent()]);
    // Of a response that ends early, too.
    await page.goto(`${site.origin()}/#try/fault/close`);
    const fault = page.locator('details[open]', { hasText: '/fault/close' });
    await fault.getByRole('button', { name: 'Send' }).click();
    const line = fault.locator('.line.bad');
    await line.getByText(/ · (?:ended early|no response): /).waitFor();
    expect(await page.evaluate('said.at(-1)')).toBe(await line.textContent());
  }));

test('failed events are read out only while the tap is shown', () =>
  onPage('#tap', async (page) => {
    await page.clock.install();
    await page.evaluate("fetch('get').then(() => 0)");
    await page.getByRole('log').locator('details:visible').first().waitFor();
    // They are read out every ten seconds at most.
    await page.clock.fastForward(11_000);
    const failed = page.locator('#tap .failed');
    const fail = async (): Promise<void> => {
      const before = await failed.count();
      await page.evaluate("fetch('fault/close').catch(() => 0)");
      await failed.nth(before).waitFor({ state: 'attached' });
    };
    await page.getByRole('link', { name: 'Try it' }).click();
    await page.locator('#try:visible').waitFor();
    // Not before: failures of other tests, which the tap has kept, may arrive while it is shown.
    await page.evaluate(listen);
    await fail();
    expect(await page.evaluate('said')).toEqual([]);
    await page.clock.fastForward(11_000);
    await page.getByRole('link', { name: 'Live tap' }).click();
    await fail();
    // Not waitForFunction, whose polling needs eval(), which the policy of the page blocks.
    await expect.poll(() => page.evaluate('said[0]'), { timeout: 20_000 }).toMatch(/^\d+ failed$/);
  }));

test('a table that is being read keeps its cells when it changes', () =>
  onPage('', async (page) => {
    await page.clock.install();
    const start = new Date().toISOString();
    let requests = 7;
    const more = {
      statuses: {},
      duration_ms: null,
      connections: 1,
      faults: {},
      chaos: {},
      terminations: {},
    };
    await page.route('**/metrics/history', (route) =>
      route.fulfill({ json: { minutes: [{ start, requests, ...more }] } }),
    );
    await page.getByRole('link', { name: 'The last hour' }).click();
    await page.locator('#hour svg').nth(1).waitFor();
    await page.getByLabel('Table of Requests').click();
    const cell = await page.locator('#hour td', { hasText: '7' }).elementHandle();
    requests = 8;
    await page.clock.runFor(10_000);
    await page.locator('#hour td', { hasText: '8' }).waitFor();
    expect(await cell?.textContent()).toBe('8');
  }));
