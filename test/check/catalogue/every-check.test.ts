import { expect, test } from 'vitest';
import { checks } from '../../../src/check/catalogue/all.ts';
import { wrongProxies } from '../wrong/all.ts';

/** Checks with tests of their own. */
const TESTED_ELSEWHERE = new Set([
  // tunnel.test.ts
  'tunnel/request',
  'tunnel/response',
  'tunnel/malformed',
  'tunnel/protocol',
  'tunnel/connections',
  // wrong-websockets.test.ts
  'websocket/pinged',
  // idle-ladder.test.ts
  'idle/pool',
  'idle/ladder',
  'idle/silent-origin',
]);

/** Facts with one outcome behind every gateway of the tests. */
const NOT_TESTED = new Set([
  // node:http at the origin refuses unknown methods.
  'method/unknown',
  // No gateway of the tests offers it.
  'websocket/extended-connect',
]);

test('the outcome of every check is turned by a wrong gateway', () => {
  const turned = Object.values(wrongProxies)
    .flat()
    .flatMap(({ turns }) => Object.keys(turns).map((key) => key.replace(/^\S+ /, '')));
  const proved = new Set([...turned, ...TESTED_ELSEWHERE, ...NOT_TESTED]);
  expect(checks.map(({ id }) => id).filter((id) => !proved.has(id))).toEqual([]);
  const ids = new Set<string>(checks.map(({ id }) => id));
  expect([...proved].filter((id) => !ids.has(id))).toEqual([]);
});
