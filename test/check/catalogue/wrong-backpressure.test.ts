import { expect, test } from 'vitest';
import { checks } from '../../../src/check/catalogue/all.ts';
import { bench, faultsIn, testWrongProxies, those } from '../_run.ts';
import { HTTP2_ORIGIN } from '../_wrong-leg.ts';
import { wrongProxies } from '../wrong/all.ts';

const started = bench();
const chosen = checks.filter(({ id }) => /^(?:backpressure|backend|cancel)\//.test(id));

test('a correct gateway has no finding', { timeout: 60_000 }, async () => {
  const { results } = await started().run(await started().gateway({ scheme: 'http' }), chosen);
  expect([...faultsIn(results), ...those(results, 'not-applicable')]).toEqual([]);
  // It opens a connection for each request.
  expect(those(results, 'differs').map((text) => text.replace(/:.*/s, ''))).toEqual([
    'http/1.1 backend/sequential',
    'h2 backend/sequential',
  ]);
});

test('nor one with an origin on HTTP/2', { timeout: 60_000 }, async () => {
  const { results } = await started().run(await started().gateway(HTTP2_ORIGIN), chosen);
  expect([...faultsIn(results), ...those(results, 'not-applicable', 'differs')]).toEqual([]);
});

testWrongProxies(wrongProxies.backpressure);
