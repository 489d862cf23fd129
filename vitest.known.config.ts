import { defineConfig } from 'vitest/config';

// `wirebin check` against the proxies that are installed, beside the verdicts in docs/proxies/.
export default defineConfig({
  test: {
    include: ['test/known/*.known.ts'],
    globalSetup: 'test/_compiled.ts',
    // Two runs of all checks, on a machine with other work too.
    testTimeout: 900_000,
    // All of .ci/run at once: checks wait most of their time.
    maxConcurrency: 6,
    reporters: ['verbose'],
  },
});
