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

testWrongProxies(wrongProxies.idle, { concurrent: true });
