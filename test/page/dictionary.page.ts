import { expect, test } from 'vitest';
import { browse } from './_chromium.ts';

const site = browse();

/** Coding, and whether the text is the one without the dictionary, once the browser has it. Runs in the page. */
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

/** It stores the dictionary after the response, in its own time. */
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
