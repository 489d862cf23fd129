import { test } from 'vitest';
import { bench, quickChecks, sampled } from '../_run.ts';
import { wrongFrames } from '../_wrong-frames.ts';

const TIMEOUT = 60_000;
const started = bench();
const speaking = wrongFrames.filter(({ isSilent = false }) => !isSilent);
const silent = wrongFrames.filter(({ isSilent = false }) => isSilent);

test.each(speaking.map((proxy, at) => ({ name: proxy.name, proxy, at })))(
  'is told: $name',
  { timeout: TIMEOUT },
  async ({ at, proxy }) => {
    await started().expectTurns(proxy, quickChecks, sampled(at));
  },
);

// Their checks wait for what does not come, so all wait at once.
test(`is told: ${silent.map(({ name }) => name).join(', ')}`, { timeout: TIMEOUT }, async () => {
  await Promise.all(silent.map((proxy) => started().expectTurns(proxy, quickChecks, () => false)));
});
