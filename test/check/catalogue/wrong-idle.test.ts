import { expect, test } from 'vitest';
import { checks } from '../../../src/check/catalogue/all.ts';
import { bench, faultsIn, testWrongProxies, those, timeFor } from '../_run.ts';
import { wrongProxies } from '../wrong/all.ts';
import { POOLED } from '../wrong/idle.ts';

const started = bench();
const chosen = checks.filter(({ id, isSlow }) => id.startsWith('idle/') && isSlow !== true);

test('a correct gateway has no finding', { concurrent: true }, async () => {
  const gateway = await started().gateway(POOLED);
  const { results } = await started().run(gateway, chosen, undefined, timeFor(POOLED));
  expect(faultsIn(results)).toEqual([]);
  expect(those(results, 'not-applicable')).toEqual([]);
});

test('nor has one that takes the oldest of several idle connections', async () => {
  const stale = chosen.filter(({ id }) => id.startsWith('idle/stale-'));
  const { facts } = await started().reference(POOLED, stale);
  const gateway = await started().gateway(POOLED, { deviation: {}, pool: { scheduling: 'fifo' } });
  await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(() => fetch(new URL('/delay/0.1', gateway.url))));
  const { results } = await started().run(gateway, stale, facts, timeFor(POOLED));
  const found = results.map(({ id, outcome, reason }) => [id, outcome, reason]);
  expect(found.filter(([, outcome]) => outcome !== 'pass')).toEqual([]);
});

testWrongProxies(wrongProxies.idle, { concurrent: true });
