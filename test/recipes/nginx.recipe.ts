import { expect, test } from 'vitest';
import { behindRecipe } from './_behind-recipe.ts';
import { receive } from './_client.ts';

behindRecipe('nginx', ({ port }) => {
  test('content of any size is taken', async () => {
    const { status } = await receive(port(8443), '/upload', Buffer.alloc(1_100_000));
    expect(status).toBe(200);
  });

  test('content arrives piece by piece', async () => {
    const { pieces } = await receive(port(8443), '/drip?numbytes=2&duration=0.5');
    expect(pieces.map(String)).toEqual(['*', '*']);
  });

  test.each([
    [8443, {}],
    [8444, { x: '1' }],
  ])('trailers at port %i', async (configured, expected) => {
    const { trailers } = await receive(port(configured), '/trailers?x=1');
    expect(trailers).toEqual(expected);
  });
});
