import { defineConfig } from 'vitest/config';

// Attacks on a running service, one after the other: they measure what honest clients feel.
export default defineConfig({
  test: {
    include: ['test/hostile/*.hostile.ts'],
    globalSetup: 'test/_compiled.ts',
    testTimeout: 120_000,
    hookTimeout: 60_000,
    fileParallelism: false,
    reporters: ['verbose'],
  },
});
