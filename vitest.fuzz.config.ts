import { defineConfig } from 'vitest/config';

// Run by test/fuzz/run.mjs, which says how many inputs and with which seed.
export default defineConfig({
  test: {
    include: ['test/fuzz/*.fuzz.ts'],
    testTimeout: 24 * 60 * 60 * 1000,
    fileParallelism: false,
    reporters: ['verbose'],
  },
});
