import { expect, test } from 'vitest';
import { behindRecipe } from './_behind-recipe.ts';
import { receive } from './_client.ts';
import { commandWith, run } from './_section.ts';

behindRecipe('varnish', ({ port }) => {
  test.each([
    ['/cache/60', true],
    ['/uuid', false],
  ])('%s comes from the cache: %s', async (path, isCached) => {
    const [first, second] = [await receive(port(8443), path), await receive(port(8443), path)];
    const id = 'x-request-id';
    expect(second.headers[id] === first.headers[id]).toBe(isCached);
  });

  test('what says so is cached on any path', async () => {
    const command = commandWith('varnish', 'header=Cache-Control');
    const id = /^x-request-id: .*$/m;
    const [first] = id.exec((await run(command, port)).output) ?? [];
    expect(first).toBeDefined();
    expect((await run(command, port)).output).toContain(first);
  });
});
