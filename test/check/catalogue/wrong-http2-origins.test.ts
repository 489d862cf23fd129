import { expect, test } from 'vitest';
import { checks } from '../../../src/check/catalogue/all.ts';
import {
  bench,
  faultsIn,
  grpcChecks,
  http2OriginChecks,
  testWrongProxies,
  those,
} from '../_run.ts';
import { HTTP2_ORIGIN } from '../_wrong-leg.ts';
import { wrongProxies } from '../wrong/all.ts';
import { HTTP2_UPGRADING } from '../wrong/websocket.ts';

const started = bench();

test('a correct gateway has no finding', async () => {
  const gateway = await started().gateway(HTTP2_UPGRADING);
  const { results } = await started().run(gateway, http2OriginChecks);
  expect(those(results, 'pass').length).toBeGreaterThan(http2OriginChecks.length / 2);
  expect([...faultsIn(results), ...those(results, 'not-applicable')]).toEqual([]);
});

test('a gateway that sends only gRPC on HTTP/2 is judged by that, and has no finding', async () => {
  const gateway = await started().gateway({ scheme: 'http', hasGrpcOrigin: true });
  const { facts, results } = await started().run(gateway, grpcChecks);
  expect(facts.origins.get('h2')?.version).toBe('HTTP/1.1');
  expect(those(results, 'pass').length).toBeGreaterThanOrEqual(grpcChecks.length - 1);
  expect([...faultsIn(results), ...those(results, 'not-applicable')]).toEqual([]);
});

test('a gateway may stop sending content that it sends again once the origin has responded', async () => {
  const leg = { replays: (content: Buffer) => content, replaysAfter: 20 };
  const { facts } = await started().reference(HTTP2_ORIGIN);
  const gateway = await started().gateway(HTTP2_ORIGIN, { leg });
  const chosen = checks.filter(({ id }) =>
    /^(?:retry\/content|goaway\/post-unprocessed)$/.test(id),
  );
  const { results } = await started().run(gateway, chosen, facts);
  expect(results).toHaveLength(4);
  expect(those(results, 'pass')).toHaveLength(4);
});

testWrongProxies(wrongProxies.http2Origins);
