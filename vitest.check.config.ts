import { defineConfig } from 'vitest/config';

// Every check through every proxy of the tests, right and wrong, which takes minutes.
export default defineConfig({
  test: {
    include: ['test/check/*.check.ts'],
    testTimeout: 300_000,
    setupFiles: ['test/_setup.ts'],
  },
});
