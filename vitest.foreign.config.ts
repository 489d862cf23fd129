import { defineConfig } from 'vitest/config';

// The suites and the clients of others, which are fetched for it where they are not there: see test/foreign/README.md.
export default defineConfig({
  test: {
    include: ['test/foreign/**/*.foreign.ts'],
    globalSetup: 'test/_compiled.ts',
    testTimeout: 600_000,
    hookTimeout: 600_000,
    fileParallelism: false,
    reporters: ['verbose'],
  },
});
