import { defineConfig } from 'vitest/config';

// The recipes of docs/recipes/ whose proxies are installed; the others are skipped, by name.
export default defineConfig({
  test: {
    include: ['test/recipes/*.recipe.ts'],
    globalSetup: 'test/_compiled.ts',
    testTimeout: 30_000,
    setupFiles: ['test/_setup.ts'],
    reporters: ['verbose'],
  },
});
