import { expect, test } from 'vitest';
import { behindRecipe } from './_behind-recipe.ts';
import { receive } from './_client.ts';

behindRecipe('varnish', ({ port }) => {
  test.each([
    ['/cache/60', true],
    ['/uuid', false],
  ])('%s comes from the cache: %s', async (path, isCached) => {
    const [first, second] = [await receive(port(8443), path), await receive(port(8443), path)];
    const id = 'x-request-id';
    expect(second.headers[id] === first.headers[id]).toBe(isCached);
  });
});
