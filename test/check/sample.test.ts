import { expect, test } from 'vitest';
import { bench, faultsIn, quickChecks, sampled, those } from './_run.ts';
import { wrongProxies } from './wrong/all.ts';

// What `npm test` has of test/check/catalogue, which takes minutes: `npm run test:whole` runs it.

/** A gateway of so many is run. */
const STEP = 24;

const started = bench();

test('a correct gateway has no finding', async () => {
  const { facts, results } = await started().reference();
  expect(facts).toMatchObject({ isTunnel: false, fronts: ['http/1.1', 'h2'] });
  expect(those(results, 'pass').length).toBeGreaterThan(quickChecks.length / 2);
  expect(faultsIn(results)).toEqual([]);
});

/** Those that are as quick as the machine, with cleartext on both sides. */
const quick = [
  ...wrongProxies.requests,
  ...wrongProxies.responses,
  ...wrongProxies.connections,
].filter(({ setup, isSilent }) => setup === undefined && isSilent !== true);

test.each(
  quick
    .filter((_proxy, at) => at % STEP === 0)
    .map((proxy, at) => ({ name: proxy.name, proxy, at })),
)('is found: $name', ({ at, proxy }) => started().expectTurns(proxy, sampled(at)));
