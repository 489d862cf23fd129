import { test } from 'vitest';
import { bench, quickChecks, sampled } from '../_run.ts';
import { wrongRequests } from '../_wrong-requests.ts';

const started = bench();

test.each(wrongRequests.map((proxy, at) => ({ name: proxy.name, proxy, at })))(
  'is told: $name',
  { timeout: 60_000 },
  async ({ at, proxy }) => {
    await started().expectTurns(proxy, quickChecks, sampled(at));
  },
);
