import { expect, test } from 'vitest';
import { idleLadderChecks } from '../../../src/check/catalogue/idle-ladder.ts';
import type { PoolDeviation } from '../_pooling-leg.ts';
import { bench } from '../_run.ts';
import { POOLED } from '../wrong/idle.ts';

/** Milliseconds in place of a second. */
const SECOND = 100;

const started = bench();

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
  { timeout: 60_000 },
  async (_name, pool, outcomes) => {
    const gateway = await started().gateway(POOLED, { deviation: {}, pool });
    const checks = idleLadderChecks(SECOND).map((check) =>
      Object.assign({ fronts: ['http/1.1'] }, check),
    );
    const { results } = await started().run(gateway, checks);
    expect(results.map(({ id, outcome }) => [id, outcome])).toEqual([
      ['idle/pool', outcomes.pool],
      ['idle/ladder', outcomes.ladder],
    ]);
  },
);
