import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 15_000,
    // Many tests hold the service to its time limits, on machines that others use too: what fails
    // twice is a fault, and what passes at the second try is told.
    retry: 1,
    // A warning, a stray error or a handle that keeps a worker alive fails the run (test/_setup.ts).
    setupFiles: ['test/_setup.ts'],
    dangerouslyIgnoreUnhandledErrors: false,
    pool: 'forks',
    // Most of a test's time is waiting for a time limit of the service to run out.
    maxWorkers: 4,
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      // Run as processes of their own by test/main.test.ts and test/workers, where this provider does not see them.
      exclude: ['src/main.ts', 'src/workers/{primary,team,member,worker}.ts'],
      reporter: ['text-summary', 'json-summary'],
      thresholds: { lines: 95, branches: 90 },
    },
  },
});
