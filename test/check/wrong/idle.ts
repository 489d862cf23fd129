import type { PoolDeviation } from '../_pooling-leg.ts';
import { wrong, type Setup, type WrongProxy } from '../_wrong.ts';

export const POOLED: Setup = { scheme: 'http', hasPool: true };

const wrongPool = (name: string, pool: PoolDeviation, turns: WrongProxy['turns']): WrongProxy => ({
  name,
  deviation: {},
  pool,
  turns,
  setup: POOLED,
});

/** Gateways that use connections again which are about to end, or have ended. */
export const wrongIdle: readonly WrongProxy[] = [
  wrongPool('gives up on stale connections', { repeats: [] }, { 'idle/stale-get': 'fail' }),
  wrongPool(
    'sends POST again after a stale connection',
    { repeats: ['GET', 'POST'] },
    { 'idle/stale-post': 'fail' },
  ),
  wrongPool(
    'ignores Connection: close of the origin',
    { usesClosed: (target) => target.includes('connection=close') },
    { 'idle/announced': 'fail' },
  ),
  wrongPool(
    'uses a connection again that the origin has closed',
    { usesClosed: (target) => target.startsWith('/fault/close') },
    { 'idle/closed': 'fail' },
  ),
  {
    ...wrong('closes idle connections', { keepsAlive: () => false }, { 'idle/front': 'differs' }),
    setup: POOLED,
  },
];
