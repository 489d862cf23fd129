import { expect, test } from 'vitest';
import { bench, faultsIn, http2OriginChecks, testWrongProxies, those } from '../_run.ts';
import { wrongProxies } from '../wrong/all.ts';
import { HTTP2_UPGRADING } from '../wrong/websocket.ts';

const started = bench();

test('a correct gateway has no finding', async () => {
  const gateway = await started().gateway(HTTP2_UPGRADING);
  const { results } = await started().run(gateway, http2OriginChecks);
  expect(those(results, 'pass').length).toBeGreaterThan(http2OriginChecks.length / 2);
  expect([...faultsIn(results), ...those(results, 'not-applicable')]).toEqual([]);
});

testWrongProxies(wrongProxies.http2Origins);
