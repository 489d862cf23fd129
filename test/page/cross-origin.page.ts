import { expect, test } from 'vitest';
import { browse, launch, onPage } from './_chromium.ts';

const site = browse('--tap', '--metrics-enabled');
const other = browse();

/** Whether pages could read each, by fetch, by EventSource and after a preflight. Runs in the page. */
const READ = `async (origin) => {
  const read = (promise) => promise.then((it) => it.ok, () => false);
  const paths = ['/journal/a', '/connections', '/metrics', '/metrics/history', '/get'];
  const fetched = await Promise.all(paths.map((path) => read(fetch(origin + path))));
  const forgotten = await read(fetch(origin + '/journal/a', { method: 'DELETE' }));
  const tapped = await new Promise((resolve) => {
    const tap = new EventSource(origin + '/tap?duration=1');
    tap.onopen = () => resolve(true);
    tap.onerror = () => resolve(false);
  });
  return [...fetched, forgotten, tapped];
}`;
const EVERYTHING = [true, true, true, true, true, true, true];
const ECHO = [false, false, false, false, true, false, false];

test('a page reads what others sent on its own origin only', async () => {
  await site.onPage('', {}, async (page) => {
    expect(await page.evaluate(`(${READ})('')`)).toEqual(EVERYTHING);
  });
  await other.onPage('html', {}, async (page) => {
    expect(await page.evaluate(`(${READ})('${site.origin()}')`)).toEqual(ECHO);
  });
});

test('a page of a name that leads here reads nothing, over plain HTTP and over TLS', async () => {
  // All browsers with a window send Accept-Language. The headless shell does so where it is given.
  const browser = await launch('--host-resolver-rules=MAP *.example 127.0.0.1', '--accept-lang=en');
  for (const scheme of ['http', 'https']) {
    const url = `${scheme}://evil.example:${site.service().port}/html`;
    await onPage(browser, url, {}, async (page) => {
      expect(await page.evaluate(`(${READ})('')`)).toEqual(ECHO);
    });
  }
  await browser.close();
});
