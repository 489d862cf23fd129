import { defineConfig } from 'vitest/config';

// Every byte between clients, proxies and wirebin, beside what --inspect says of them.
export default defineConfig({
  test: {
    include: ['test/inspect/recorder/*.recorder.ts'],
    testTimeout: 600_000,
    hookTimeout: 60_000,
    setupFiles: ['test/_setup.ts'],
    fileParallelism: false,
    reporters: ['verbose'],
  },
});
