import { expect, test } from 'vitest';
import { checks } from '../../../src/check/catalogue/all.ts';
import { bench, faultsIn, testWrongProxies, those } from '../_run.ts';
import { wrongProxies } from '../wrong/all.ts';
import { UPGRADING } from '../wrong/websocket.ts';

const started = bench();
const chosen = checks.filter(({ id }) => id.startsWith('websocket/'));

test('a correct gateway has no finding', { timeout: 60_000 }, async () => {
  const { results } = await started().run(await started().gateway(UPGRADING), chosen);
  expect(faultsIn(results)).toEqual([]);
  expect(those(results, 'not-applicable')).toEqual([]);
});

testWrongProxies(wrongProxies.websockets);
