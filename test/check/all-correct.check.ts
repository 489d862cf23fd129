import { describe, expect, test } from 'vitest';
import { checksOf } from '../../src/check/catalogue/all.ts';
import { startRelay } from './_relay.ts';
import { bench, faultsIn } from './_run.ts';

const checks = checksOf('gateway');

describe.each(['http', 'https'] as const)('%s', (scheme) => {
  const started = bench();

  test('a tunnel has no finding', async () => {
    const relay = await startRelay(started().originPort, scheme);
    const { results } = await started().run(relay, checks);
    expect(faultsIn(results)).toEqual([]);
  });

  test('a correct gateway has no finding', async () => {
    const { results } = await started().run(await started().gateway({ scheme }), checks);
    expect(faultsIn(results)).toEqual([]);
  });
});
