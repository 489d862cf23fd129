import { expect, test } from 'vitest';
import { browse } from './_chromium.ts';

const site = browse();

/**
 * The content codings before and after the browser has the dictionary, and whether the text is the same. Runs in the
 * page.
 */
const READ = `async (name, load) => {
  const ask = async () => {
    const answer = await fetch('/dictionary/' + name + '/compressed', { cache: 'no-store' });
    return [answer.headers.get('content-encoding'), await answer.text()];
  };
  const [before, text] = await ask();
  await load('/dictionary/' + name);
  for (;;) {
    const [coding, again] = await ask();
    if (coding !== before || again !== text) return [before, coding, again === text];
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}`;

/** The browser stores the dictionary at some time after the response. */
const LOADS = [
  ['a response with Use-As-Dictionary', `async (url) => (await fetch(url)).text()`],
  [
    'a link',
    `async (href) => {
      const link = Object.assign(document.createElement('link'), { rel: 'compression-dictionary', href });
      document.head.append(link);
    }`,
  ],
] as const;

test.each(LOADS)('RFC 9842: a browser decodes with the dictionary of %s', async (_, load) => {
  await site.onPage('html', {}, async (page) => {
    expect(await page.evaluate(`(${READ})('a', ${load})`)).toEqual(['br', 'dcb', true]);
  });
});
