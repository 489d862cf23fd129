import { expect, onTestFinished, test } from 'vitest';
import { behindRecipe } from './_behind-recipe.ts';
import { run, sectionOf, startEdited } from './_section.ts';

behindRecipe('caddy', ({ port }) => {
  test('with the lines of the page, a slow response takes the upstream out of use', async () => {
    const { lines, commands } = sectionOf('caddy', 'Passive health checks');
    const [slow = '', next = ''] = commands;
    const snippet = '(wirebin) {\n';
    const changed = await startEdited('caddy', [snippet, snippet + lines], port(8080));
    onTestFinished(() => changed.proxy.close());
    expect(await run(slow, changed.port)).toEqual({ status: 0, output: 'late' });
    expect((await run(next, changed.port)).output).toMatch(/^HTTP\/2 503 .*^server: Caddy/ms);
  });
});
