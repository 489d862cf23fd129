import { expect, test } from 'vitest';
import { idleLadderChecks } from '../../../src/check/catalogue/idle.ts';
import type { Check } from '../../../src/check/check.ts';
import type { Deviation } from '../_gateway-messages.ts';
import type { PoolDeviation } from '../_pooling-leg.ts';
import { bench } from '../_run.ts';
import { POOLED } from '../wrong/idle.ts';

/** Milliseconds in place of a second. */
const SECOND = 100;

const started = bench();

const laddersOf = (second: number): readonly Check[] =>
  idleLadderChecks(second).map((check) => Object.assign({ fronts: ['http/1.1'] }, check));

test.each([
  ['a correct gateway', {}, { pool: 'pass', ladder: 'pass' }],
  ['one that keeps no connection', { keepsAlive: false }, { pool: 'differs', ladder: 'pass' }],
  [
    'one that uses a connection that is about to end',
    { usesClosed: (target) => target.startsWith('/fault/stall') },
    { pool: 'pass', ladder: 'differs' },
  ],
] satisfies [string, PoolDeviation, { pool: string; ladder: string }][])(
  '%s',
  async (_name, pool, outcomes) => {
    const gateway = await started().gateway(POOLED, { deviation: {}, pool });
    const checks = laddersOf(SECOND).filter(({ id }) => id !== 'idle/silent-origin');
    const { results } = await started().run(gateway, checks);
    expect(results.map(({ id, outcome }) => [id, outcome])).toEqual([
      ['idle/pool', outcomes.pool],
      ['idle/ladder', outcomes.ladder],
    ]);
  },
);

test.each([
  ['waits for the origin', {}, 'pass', 'for 65 s'],
  [
    'responds with 504 in place of the origin',
    { refuses: ({ target }) => (/^\/delay\/0\.[36]/.test(target) ? 504 : undefined) },
    'differs',
    /^504 after \d+ s$/,
  ],
  [
    'sends POST again',
    { retries: ({ target }, _failure, attempt) => target.startsWith('/delay/') && attempt === 1 },
    'fail',
    /^2 attempts$/,
  ],
] satisfies [string, Deviation, string, string | RegExp][])(
  'a gateway that %s',
  async (_name, deviation, outcome, found) => {
    const gateway = await started().gateway({ scheme: 'http' }, { deviation });
    const checks = laddersOf(SECOND / 10).filter(({ id }) => id === 'idle/silent-origin');
    const { results } = await started().run(gateway, checks);
    expect(results).toMatchObject([{ outcome, found: expect.stringMatching(found) }]);
  },
);
