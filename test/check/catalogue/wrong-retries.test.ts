import { test } from 'vitest';
import { bench, quickChecks } from '../_run.ts';
import { wrongRetries } from '../_wrong-retries.ts';

const started = bench();

test.each(wrongRetries)('is told: $name', { timeout: 60_000 }, async (proxy) => {
  await started().expectTurns(proxy, quickChecks, ({ id }) => id.startsWith('retry/'));
});
