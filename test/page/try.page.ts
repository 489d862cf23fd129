import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { browse } from './_chromium.ts';

const site = browse('--tap');
const WIDE = { viewport: { width: 1280, height: 800 } };
const PHONE = { viewport: { width: 390, height: 800 } };

/** Characters that mean something in a URL, a form or a shell, and some of other scripts. */
const HOSTILE = `a&b=c#d%41%+e f?g/h;i'j"k\\l<m>ü漢😀`;

/** What the open form has, by name or label. */
const filledIn = (page: Page): Promise<Record<string, string | boolean>> =>
  page.evaluate(`Object.fromEntries(
    [...document.querySelectorAll('details[open] label')].map((label) => {
      const control = label.querySelector('input, select, textarea');
      const value = control.type === 'checkbox' ? control.checked : control.value;
      return [control.name || label.querySelector('b').textContent, value];
    }))`);

/** Fills in everything: text, lines for arrays and fields, the second choice, and boxes. */
async function fillIn(page: Page): Promise<void> {
  const form = page.locator('details[open] form');
  for (const text of await form.locator('label input:not([type])').all()) await text.fill(HOSTILE);
  for (const number of await form.locator('[type=number]').all()) {
    await number.fill((await number.getAttribute('max')) ?? '7');
  }
  for (const box of await form.locator('[type=checkbox]').all()) await box.check();
  for (const choice of await form.locator('select').all()) await choice.selectOption({ index: 1 });
  for (const lines of await form.locator('textarea').all()) {
    await lines.fill(`A: ${HOSTILE}\nB: ${HOSTILE}`);
  }
}

test.each(['anything/*path', 'respond', 'redirect/{n}', 'retry/{key}', 'fault/close', 'post'])(
  'a link keeps all that is filled in: %s',
  (path) =>
    site.onPage(
      `#try/${path}`,
      { permissions: ['clipboard-read', 'clipboard-write'] },
      async (page) => {
        await fillIn(page);
        const filled = await filledIn(page);
        await page.getByRole('button', { name: 'Copy link' }).click();
        const link = await page.evaluate<string>('navigator.clipboard.readText()');
        expect(link).toBe(page.url());
        await page.reload();
        expect(await filledIn(page)).toEqual(filled);
        await site.onPage(new URL(link).hash, {}, async (other) => {
          expect(await filledIn(other)).toEqual(filled);
        });
      },
    ),
);

test('an emptied input is empty in the link, not the example again', () =>
  site.onPage('#try/retry/{key}', {}, async (page) => {
    await page.locator('details[open] input[name=fail]').fill('');
    await page.reload();
    expect(await page.locator('details[open] input[name=fail]').inputValue()).toBe('');
  }));

test('a value in a link may have a question mark', () =>
  site.onPage('#try/redirect-to?url=http://x/?a=1', {}, async (page) => {
    expect(await page.locator('details[open] input[name=url]').inputValue()).toBe('http://x/?a=1');
  }));

test('a link that names only some values keeps the random key, and a choice is never none', async () => {
  await site.onPage('#try/retry/{key}?fail=2', {}, async (page) => {
    const key = page.locator('details[open] input[name=key]');
    expect(await key.inputValue()).toMatch(/^[\da-z]{6,}$/);
  });
  await site.onPage('#try/respond?framing=unknown', {}, async (page) => {
    const choices = 'document.querySelectorAll("details[open] select")';
    expect(await page.evaluate(`[...${choices}].map((it) => it.selectedIndex)`)).not.toContain(-1);
  });
});

test('content is not offered with a method that sends none, nor part of the link', () =>
  site.onPage('#try/anything?-X=POST&-d=text', {}, async (page) => {
    const form = page.locator('details[open] form');
    const content = form.getByLabel(/^Content/);
    expect(await content.inputValue()).toBe('text');
    for (const method of ['GET', 'HEAD']) {
      await form.getByLabel('Method').selectOption(method);
      expect(await content.isVisible(), method).toBe(false);
      expect(page.url()).not.toContain('-d=');
    }
    await form.getByLabel('Method').selectOption('PUT');
    expect(await content.inputValue()).toBe('text');
    expect(page.url()).toContain('-d=text');
  }));

test('an input of lines grows with them', () =>
  site.onPage('#try/anything', {}, async (page) => {
    const fields = page.locator('details[open] form').getByLabel('Header fields');
    const before = await fields.boundingBox();
    await fields.fill('A: b\n'.repeat(8));
    expect((await fields.boundingBox())?.height).toBeGreaterThan(2 * (before?.height ?? 0));
  }));

test.each([
  // In the path, before the summary of another.
  ['respond', '/respond'],
  ['bytes', '/bytes/{n}'],
  ['302', '/status/{code}'],
  ['/status/404', '/status/{code}'],
  ['/bytes/100?seed=1', '/bytes/{n}'],
  ['image/png', '/image/{format}'],
  // Only in the description of a parameter.
  ['percentages', '/status/{code}'],
  ['POST upload', '/upload'],
])('Enter opens the best match of the search: %s', (words, path) =>
  site.onPage('#try', {}, async (page) => {
    await page.keyboard.press('/');
    await page.keyboard.type(words);
    await page.keyboard.press('Enter');
    expect(await page.locator('#try details[open] > summary > code').textContent()).toBe(path);
  }),
);

test.each([
  ['grpc', '/docs/grpc', 'gRPC'],
  ['CORS', '/docs/endpoints#what-all-endpoints-have-in-common', 'Origin'],
])('the search finds what is no endpoint in the documentation: %s', (words, path, text) =>
  site.onPage('#try', {}, async (page) => {
    const topics = page.locator('#topics a:visible');
    expect(await topics.count()).toBeGreaterThan(1);
    await page.getByLabel('Search').fill(words);
    expect(await topics.count()).toBe(1);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${site.origin()}${path}`);
    await page.getByText(text).first().waitFor();
  }),
);

test('the search finds what takes a status, says if it finds nothing, and is undone when it is emptied', () =>
  site.onPage('#try', {}, async (page) => {
    const paths = () => page.locator('#try summary:visible > code').allTextContents();
    const before = await paths();
    const search = page.getByLabel('Search');
    await search.fill('418');
    expect(await paths()).toEqual(expect.arrayContaining(['/status/{code}', '/respond']));
    await search.fill('nothing has this');
    await page.getByText('No endpoint matches', { exact: true }).waitFor();
    expect(await page.locator('#topics').isVisible()).toBe(false);
    expect(await page.getByText('Enter opens the first').isVisible()).toBe(false);
    await search.fill('');
    expect(await paths()).toEqual(before);
  }));

test('keys of the journal are random, the same in all forms, and those of a link if it has one', () =>
  site.onPage('#try/retry/{key}', {}, async (page) => {
    const key = page.locator('details[open] input[name=key]');
    const first = await key.inputValue();
    expect(first).toMatch(/^[\da-z]{6,}$/);
    const keys = await page.locator('#try input[name=key]').all();
    expect(new Set(await Promise.all(keys.map((input) => input.inputValue())))).toEqual(
      new Set([first]),
    );
    await page.reload();
    expect(await key.inputValue()).toBe(first);
    await site.onPage('#try/journal/{key}', {}, async (other) => {
      const second = await other.locator('details[open] input[name=key]').inputValue();
      expect(second).not.toBe(first);
      expect(second).not.toBe('d41d8cd9');
    });
  }));

test.each([
  ['wide', WIDE],
  ['phone', PHONE],
])('after Send the response is in sight, and the focus stays: %s', (_, options) =>
  site.onPage('#try/respond', options, async (page) => {
    const entry = page.locator('details[open]');
    await entry.getByRole('button', { name: 'Send' }).press('Enter');
    const line = entry.getByText(/^200(?: OK)? · [\d.]+ ms · 5 bytes$/);
    await line.waitFor();
    await entry.getByText('First byte').waitFor();
    const content = entry.getByLabel('Content of the response');
    for (const shown of [line, content]) {
      const box = await shown.boundingBox();
      expect(box?.y).toBeGreaterThan(0);
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThan(800);
    }
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Send');
    await page.locator('p[role=status]', { hasText: '200' }).waitFor({ state: 'attached' });
    const headings = await entry.locator('.result h4').allTextContents();
    expect(headings).toEqual(['Content', 'Header fields', 'Request']);
  }),
);

test('a response that ends early has its status, and what has come of it', () =>
  site.onPage(
    '#try/respond?content=alphabet:40k&duration=1s&fault=close@50%25',
    {},
    async (page) => {
      const entry = page.locator('details[open]');
      await entry.getByRole('button', { name: 'Send' }).click();
      const line = entry.getByText(/^200 OK · [\d.]+ ms · [\d,]+ bytes read · ended early: /);
      const [, size = ''] = /([\d,]+) bytes/.exec((await line.textContent()) ?? '') ?? [];
      const content = await entry.getByLabel('Content of the response').textContent();
      expect(content?.length).toBeGreaterThan(0);
      expect(content).toHaveLength(Number(size.replace(',', '')));
    },
  ));

test('a request that is sent again shows nothing of the one before', () =>
  site.onPage('#try/delay/{n}?n=1', {}, async (page) => {
    const entry = page.locator('details[open]');
    const lines = `new MutationObserver(() => lines.push(
        document.querySelector('details[open] .line').textContent.split(' ·')[0]))
      .observe(document.querySelector('details[open] .result'), { childList: true, subtree: true })`;
    await page.evaluate(`globalThis.lines = []; ${lines}`);
    await entry.getByRole('button', { name: 'Send' }).click();
    await entry.getByRole('button', { name: 'Send' }).click();
    await entry.getByText('First byte').waitFor();
    expect(new Set(await page.evaluate<string[]>('lines'))).toEqual(
      new Set(['Waiting …', '200 OK']),
    );
  }));

test('a response that is still arriving does not replace that of the next request', () =>
  site.onPage('#try/drip?duration=60&numbytes=60', {}, async (page) => {
    const entry = page.locator('details[open]');
    await entry.getByRole('button', { name: 'Send' }).click();
    await entry.getByText(/^200 OK .* so far …$/).waitFor();
    await entry.locator('input[name=code]').fill('418');
    await entry.locator('input[name=duration]').fill('0');
    await entry.locator('input[name=delay]').fill('1');
    await page.evaluate(`globalThis.lines = []; new MutationObserver(() => lines.push(
        document.querySelector('details[open] .line').textContent.slice(0, 3)))
      .observe(document.querySelector('details[open] .result'), { childList: true, subtree: true })`);
    await entry.getByRole('button', { name: 'Send' }).click();
    await entry.getByText('First byte').waitFor();
    expect(new Set(await page.evaluate<string[]>('lines'))).toEqual(new Set(['Wai', '418']));
  }));

test('shows the request as the browser took it', () =>
  site.onPage('#try/anything?-X=PATCH&-H=X-Own: yes%0AHost: other&-d=text', {}, async (page) => {
    const entry = page.locator('details[open]');
    await entry.getByRole('button', { name: 'Send' }).click();
    const content = entry.getByLabel('Content of the response');
    await content.getByText('"body": "text"').waitFor();
    const url = `${site.origin()}/anything`;
    expect(await entry.getByLabel('The request', { exact: true }).textContent()).toBe(
      `PATCH ${url}\ncontent-type: text/plain;charset=UTF-8\nx-own: yes\n\ntext`,
    );
    await entry.getByText('do not let a page set Host.').waitFor();
    const { headers } = JSON.parse((await content.textContent()) ?? '') as {
      headers: Record<string, string>;
    };
    expect(headers).toMatchObject({
      'x-own': 'yes',
      'content-type': 'text/plain;charset=UTF-8',
      'content-length': '4',
    });
  }));

test('a report is chosen by keys', () =>
  site.onPage('#reports', {}, async (page) => {
    // First, since Chromium is told to leave the dialog to the test, and nothing waits until it is.
    const chooser = page.waitForEvent('filechooser');
    const input = page.getByLabel('Choose a report');
    await input.waitFor({ state: 'attached' });
    await input.focus();
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Tab');
    const outline = "getComputedStyle(document.activeElement.closest('label')).outlineStyle";
    expect(await page.evaluate(outline)).toBe('solid');
    await page.keyboard.press('Space');
    await (
      await chooser
    ).setFiles({ name: 'a.json', mimeType: 'application/json', buffer: Buffer.from('{') });
    await page.getByText('a.json cannot be shown').waitFor();
  }));

test('the form of /websocket/echo opens a WebSocket with its parameters', () =>
  site.onPage('#try/websocket/echo?hello=on&close=4001&after=2', {}, async (page) => {
    const record = page.getByRole('group', { name: 'Messages of the WebSocket' });
    const send = page.getByRole('button', { name: 'Send message' });
    expect(await send.isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Open a WebSocket' }).click();
    await record.getByText('"http_version"').waitFor();
    for (const text of ['first', 'second']) {
      await page.getByLabel('Message', { exact: true }).fill(text);
      await send.click();
      await record.getByText(`received ${text}`).waitFor();
    }
    await record.getByText('closed 4001').waitFor();
    expect(await send.isDisabled()).toBe(true);
  }));
