import { expect, test } from 'vitest';
import { checks } from '../../../src/check/catalogue/all.ts';
import { bench, faultsIn, testWrongProxies, those, timeFor } from '../_run.ts';
import { wrongProxies } from '../wrong/all.ts';
import { POOLED } from '../wrong/idle.ts';

const started = bench();
const chosen = checks.filter(({ id, isSlow }) => /^(?:idle|drain)\//.test(id) && isSlow !== true);

test('a correct gateway has no finding', { timeout: 60_000 }, async () => {
  const { results } = await started().run(
    await started().gateway(POOLED),
    chosen,
    undefined,
    timeFor(POOLED),
  );
  expect(faultsIn(results)).toEqual([]);
  expect(those(results, 'not-applicable')).toEqual([]);
});

testWrongProxies(wrongProxies.idle);
