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

/** What the sentence asks for that a check cites: requirements of proxies are not of gateways (RFC 9110 3.7). */
test.each([
  ['field/unknown', 'RFC 9110 5.1', 'quality'],
  ['field/dot', 'RFC 9110 5.1', 'quality'],
  ['field/token-characters', 'RFC 9110 5.6.2', 'quality'],
  ['field/empty-value', 'RFC 9110 5.5', 'quality'],
  ['field/quotes', 'RFC 9110 5.5', 'quality'],
  ['field/whitespace-around', 'RFC 9112 5.1', 'must'],
  ['field/authorization', 'RFC 9110 11.6.2', 'must'],
  ['response/field-www-authenticate', 'RFC 9110 11.6.1', 'must'],
  ['response/fields', 'RFC 9110 5.1', 'quality'],
  ['target/plain', 'RFC 9110 7.7', 'quality'],
  ['target/encoded-slash', 'RFC 3986 2.2', 'quality'],
  ['target/encoded-slash-case', 'RFC 3986 2.1', 'quality'],
  ['target/encoded-percent', 'RFC 3986 2.4', 'must'],
  ['target/backslash', 'RFC 9112 3.2', 'should'],
  ['target/asterisk', 'RFC 9112 3.2.4', 'must'],
  ['framing/chunk-size-prefix', 'RFC 9112 2.2', 'should'],
  ['framing/chunk-size-sign', 'RFC 9112 2.2', 'should'],
  ['framing/chunk-size-overflow', 'RFC 9112 7.1', 'must'],
  ['h2/name-empty', 'RFC 9113 8.2.1', 'should'],
  ['framing/length-sign', 'RFC 9112 6.3', 'must'],
  ['framing/length-hex', 'RFC 9112 6.3', 'must'],
  ['framing/length-empty', 'RFC 9112 6.3', 'must'],
  ['framing/no-colon', 'RFC 9112 2.2', 'should'],
  ['method/malformed', 'RFC 9112 3.2', 'should'],
  ['trailer/request', 'RFC 9112 7.1.2', 'must'],
  ['truncation/request', 'RFC 9110 2.2', 'must'],
])('%s: %s, %s', (wanted, ...expected) => {
  const { section, level } = checks.find(({ id }) => id === wanted) ?? {};
  expect([section, level]).toEqual(expected);
});
