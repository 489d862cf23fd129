import { describe, expect, test } from 'vitest';
import { checks } from '../../../src/check/catalogue/all.ts';
import { pinged } from '../../../src/check/catalogue/websocket-echo.ts';
import { bench, faultsIn, testWrongProxies, those } from '../_run.ts';
import { wrongProxies } from '../wrong/all.ts';
import { UPGRADING } from '../wrong/websocket.ts';

const started = bench();
const chosen = checks.filter(({ id, isSlow }) => id.startsWith('websocket/') && isSlow !== true);

test('a correct gateway has no finding', { timeout: 60_000 }, async () => {
  const { results } = await started().run(await started().gateway(UPGRADING), chosen);
  expect(faultsIn(results)).toEqual([]);
  expect(those(results, 'not-applicable')).toEqual([]);
});

describe('pings', () => {
  const isShort = pinged(0.3, 0.1);

  test('keep a WebSocket open', { timeout: 60_000 }, async () => {
    const { results } = await started().run(await started().gateway(UPGRADING), [isShort]);
    expect(results.map(({ outcome }) => outcome)).toEqual(['pass']);
  });

  test('are a finding if it is closed nevertheless', { timeout: 60_000 }, async () => {
    const gateway = await started().gateway(UPGRADING, {
      deviation: { upgrade: { closesAfter: 150 } },
    });
    const { results } = await started().run(gateway, [isShort]);
    expect(results.map(({ outcome }) => outcome)).toEqual(['fail']);
  });
});

testWrongProxies(wrongProxies.websockets);
