import { describe, expect, test } from 'vitest';
import { checksOf } from '../../../src/check/catalogue/all.ts';
import { startRelay } from '../_relay.ts';
import { bench, faultsIn, isQuick, quickChecks, sampled, those } from '../_run.ts';

/** Over TLS, of which each connection takes long, a sample and what is about TLS. */
const tlsChecks = quickChecks.filter(
  (check, at) => check.id.startsWith('tls/') || sampled(0)(check, at),
);

describe.each([
  ['http', quickChecks],
  ['https', tlsChecks],
] as const)('%s', (scheme, chosen) => {
  const started = bench();

  test('a tunnel has no finding', async () => {
    const relay = await startRelay(started().originPort, scheme);
    const { facts, results } = await started().run(relay, chosen);
    expect(facts).toMatchObject({ isTunnel: true, fronts: ['http/1.1', 'h2'] });
    expect(results.length).toBeGreaterThan(chosen.length);
    expect(faultsIn(results)).toEqual([]);
  });

  test('a correct gateway has no finding', async () => {
    const gateway = await started().gateway({ scheme });
    const { facts, results } = await started().run(gateway, chosen);
    expect(facts).toMatchObject({ isTunnel: false, fronts: ['http/1.1', 'h2'] });
    expect(those(results, 'pass').length).toBeGreaterThan(chosen.length / 2);
    expect(faultsIn(results)).toEqual([]);
  });
});

describe('a cache', () => {
  const started = bench();

  test('a correct cache has no finding, and is judged', async () => {
    const gateway = await started().gateway({ scheme: 'http', hasCache: true });
    const { results } = await started().run(gateway, checksOf('cdn').filter(isQuick));
    expect(faultsIn(results)).toEqual([]);
    const judged = results.filter(({ id }) => id.startsWith('cache/'));
    expect(those(judged, 'pass')).toHaveLength(judged.length);
  });
});
