import { defineConfig } from 'vitest/config';

const TIMING = 'test/**/*.timing.test.ts';
/**
 * Gateways with one fault each, which the checks find. `npm test` has only test/check/sample.test.ts of them: most of
 * their time is waiting for time limits of checks.
 */
const CATALOGUE = 'test/check/catalogue/*.test.ts';
const PROCESSES = [
  'test/main*.test.ts',
  'test/package.test.ts',
  'test/cluster/{losses,processes}.test.ts',
];

export default defineConfig({
  test: {
    // No test is held to a time here: what hangs ends.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A second by default, which a busy machine may need for anything.
    expect: { poll: { timeout: 30_000 } },
    // A warning, a stray error or a handle that a file leaves open fails the run (test/_setup.ts).
    setupFiles: ['test/_setup.ts'],
    reporters: ['default', './test/_retried.ts'],
    dangerouslyIgnoreUnhandledErrors: false,
    pool: 'forks',
    // To load the service for each file anew would take half of the time.
    isolate: false,
    // Each project transforms the sources for itself; what the first has done the others reuse.
    experimental: { fsModuleCache: true },
    // Twice as many as the cores of a small machine: most files wait for timers and processes.
    maxWorkers: 4,
    projects: [
      {
        extends: true,
        test: {
          name: 'tests',
          include: ['test/**/*.test.ts'],
          exclude: [TIMING, CATALOGUE, ...PROCESSES],
          globalSetup: 'test/_browser.ts',
        },
      },
      {
        extends: true,
        test: {
          name: 'processes',
          // Most of them end what they have started by a signal, which Windows does not have.
          include: process.platform === 'win32' ? [] : PROCESSES,
          globalSetup: 'test/_compiled.ts',
          // On a busy machine each process takes its time to start.
          testTimeout: 120_000,
          hookTimeout: 120_000,
          expect: { poll: { timeout: 60_000 } },
        },
      },
      {
        extends: true,
        test: {
          name: 'catalogue',
          include: [CATALOGUE],
          // Some wait for ten seconds of time limits, and a gateway is asked by many checks.
          testTimeout: 300_000,
          hookTimeout: 300_000,
          sequence: { groupOrder: 1 },
          maxWorkers: 7,
        },
      },
      {
        extends: true,
        test: {
          name: 'timing',
          include: [TIMING],
          // They hold the service to its time limits, on machines that others use too: what fails
          // twice is a fault, and what passes at the second try is told and counted (test/_retried.ts).
          retry: 1,
          // Last, and more at once, since most of their time is waiting for a limit to run out.
          sequence: { groupOrder: 2 },
          maxWorkers: 6,
        },
      },
    ],
    coverage: {
      // vitest's v8 provider, and the processes that tests start.
      provider: 'custom',
      customProviderModule: './scripts/coverage-provider.mjs',
      include: ['src/**/*.ts'],
      // Run by Chromium, in `npm run test:page`.
      exclude: ['src/browser/*.ts'],
      reporter: ['json-summary', 'json'],
      // A test that fails does so by itself.
      reportOnFailure: true,
      thresholds: { lines: 98.5, branches: 91.5 },
    },
  },
});
