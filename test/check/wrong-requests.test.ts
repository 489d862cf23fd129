import { test } from 'vitest';
import { bench, quickChecks } from './_run.ts';
import { wrongRequests } from './_wrong-requests.ts';

/** Each gateway runs every so many-th of the checks that it does not name; together they run all. */
const SAMPLE = 12;

const started = bench();

test.each(wrongRequests.map((proxy, at) => ({ ...proxy, at })))(
  'is told: $name',
  { timeout: 60_000 },
  async ({ at, ...proxy }) => {
    await started().expectTurns(
      proxy,
      quickChecks,
      (_check, number) => number % SAMPLE === at % SAMPLE,
    );
  },
);
