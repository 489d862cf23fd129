import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { behindRecipe } from './_behind-recipe.ts';
import { receive } from './_client.ts';
import { FOLDER, sectionOf, startEdited } from './_section.ts';

const UPSTREAM = /^ {2}upstream wirebin \{.*?^ {2}\}$/ms;

behindRecipe('nginx', ({ port }) => {
  test('with the lines of the page, a failed request is sent to the second server', async () => {
    const [upstream = ''] = UPSTREAM.exec(readFileSync(`${FOLDER}nginx/nginx.conf`, 'utf8')) ?? [];
    const { lines } = sectionOf('nginx', 'Retries');
    const { port: changed, proxy } = await startEdited('nginx', [upstream, lines], port(8080));
    onTestFinished(() => proxy.close());
    const front = changed(8443);
    expect((await receive(front, '/retry/nginx')).status).toBe(200);
    expect((await receive(front, '/retry/nginx-twice?fail=2')).status).toBe(503);
    expect((await receive(front, '/retry/nginx-content', { content: Buffer.of(1) })).status).toBe(
      503,
    );
    const { pieces } = await receive(front, '/journal/nginx');
    expect(JSON.parse(Buffer.concat(pieces).toString())).toMatchObject({ attempts: 2, count: 2 });
  });
});
