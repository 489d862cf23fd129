import { describe, expect, test } from 'vitest';
import { startRelay } from './_relay.ts';
import { bench, quickChecks, those } from './_run.ts';

const TIMEOUT = 120_000;
const NO_VERDICT = ['fail', 'flaky', 'error', 'blocked'] as const;

describe.each(['http', 'https'] as const)('%s', (scheme) => {
  const started = bench();

  test('a tunnel has no finding', { timeout: TIMEOUT }, async () => {
    const relay = await startRelay(started().originPort, scheme);
    const { facts, results } = await started().run(relay, quickChecks);
    expect(facts).toMatchObject({ isTunnel: true, fronts: ['http/1.1', 'h2'] });
    expect(results.length).toBeGreaterThan(250);
    expect(those(results, ...NO_VERDICT)).toEqual([]);
  });

  test('a correct gateway has no finding', { timeout: TIMEOUT }, async () => {
    const gateway = await started().gateway(scheme);
    const { facts, results } = await started().run(gateway, quickChecks);
    expect(facts).toMatchObject({ isTunnel: false, fronts: ['http/1.1', 'h2'] });
    expect(results.filter(({ outcome }) => outcome === 'pass').length).toBeGreaterThan(250);
    expect(those(results, ...NO_VERDICT)).toEqual([]);
  });
});
