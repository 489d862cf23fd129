import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { startConfigured } from '../proxies/_configured.ts';
import { freePorts } from '../_system.ts';
import { behindRecipe } from './_behind-recipe.ts';
import { receive, untilServed } from './_client.ts';
import { recipes } from './_recipes.ts';

const FOLDER = fileURLToPath(new URL('../../docs/recipes/', import.meta.url));
const UPSTREAM = /^ {2}upstream wirebin \{.*?^ {2}\}$/ms;

/** The lines of the page that replace the upstream, and what they replace. */
function retrying(): readonly [string, string] {
  const [upstream = ''] = UPSTREAM.exec(readFileSync(`${FOLDER}nginx/nginx.conf`, 'utf8')) ?? [];
  const [, section = ''] = readFileSync(`${FOLDER}nginx.md`, 'utf8').split('## Retries\n');
  const [, lines = ''] = /^```nginx\n(.*?)^```$/ms.exec(section) ?? [];
  return [upstream, lines];
}

behindRecipe('nginx', ({ port }) => {
  test('with the lines of the page, a failed request is sent to the second server', async () => {
    const [before, after] = retrying();
    const configured = [8081, 8443, 8444];
    const free = await freePorts(configured.length);
    const ports = new Map<number, number>([[8080, port(8080)]]);
    for (const [at, each] of configured.entries()) ports.set(each, free[at] ?? 0);
    const placed = (text: string): string => text.replaceAll('8080', String(port(8080)));
    const proxy = await startConfigured(recipes.nginx, {
      folder: `${FOLDER}nginx`,
      ports,
      edited: [placed(before), placed(after)],
    });
    onTestFinished(() => proxy.close());
    const front = ports.get(8443) ?? 0;
    await untilServed(front, true);
    expect((await receive(front, '/retry/nginx')).status).toBe(200);
    expect((await receive(front, '/retry/nginx-twice?fail=2')).status).toBe(503);
    expect((await receive(front, '/retry/nginx-content', { content: Buffer.of(1) })).status).toBe(
      503,
    );
    const { pieces } = await receive(front, '/journal/nginx');
    expect(JSON.parse(Buffer.concat(pieces).toString())).toMatchObject({ attempts: 2, count: 2 });
  });
});
