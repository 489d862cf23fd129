import { describe, expect, test } from 'vitest';
import { checks } from '../../src/check/catalogue/all.ts';
import { startRelay } from './_relay.ts';
import { bench, quickChecks, those } from './_run.ts';
import { wrongFrames } from './_wrong-frames.ts';
import { wrongRequests } from './_wrong-requests.ts';
import { wrongRetries } from './_wrong-retries.ts';
import { wrongResponses } from './_wrong-responses.ts';

const NO_VERDICT = ['fail', 'flaky', 'error', 'blocked'] as const;

describe.each(['http', 'https'] as const)('%s', (scheme) => {
  const started = bench();

  test('a tunnel has no finding', async () => {
    const relay = await startRelay(started().originPort, scheme);
    const { results } = await started().run(relay, checks);
    expect(those(results, ...NO_VERDICT)).toEqual([]);
  });

  test('a correct gateway has no finding', async () => {
    const { results } = await started().run(await started().gateway(scheme), checks);
    expect(those(results, ...NO_VERDICT)).toEqual([]);
  });
});

describe('every check', () => {
  const started = bench();

  test.each([...wrongRequests, ...wrongResponses, ...wrongFrames, ...wrongRetries])(
    'is told: $name',
    async (proxy) => {
      await started().expectTurns(proxy, quickChecks, () => proxy.isSilent !== true);
    },
  );
});
