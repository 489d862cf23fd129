import { defineConfig } from 'vitest/config';

const DAY = 24 * 60 * 60 * 1000;

// Run by test/fuzz/run.mjs, which says how many inputs and with which seed.
export default defineConfig({
  test: {
    include: ['test/fuzz/*.fuzz.ts'],
    globalSetup: 'test/_compiled.ts',
    testTimeout: DAY,
    hookTimeout: DAY,
    fileParallelism: false,
    reporters: ['verbose'],
  },
});
