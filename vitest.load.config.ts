import { defineConfig } from 'vitest/config';

// Tests that need the machine to themselves: they measure.
export default defineConfig({
  test: { include: ['test/**/*.load.ts'], testTimeout: 120_000, fileParallelism: false },
});
