import { expect, test } from 'vitest';
import { behindRecipe } from './_behind-recipe.ts';
import { commandWith, run } from './_section.ts';

behindRecipe('traefik', ({ port }) => {
  test('interim responses arrive', async () => {
    const { output } = await run(commandWith('traefik', 'informational=103'), port);
    expect(output).toMatch(/^HTTP\/2 103 .*^HTTP\/2 200 /ms);
  });
});
