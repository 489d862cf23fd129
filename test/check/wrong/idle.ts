import type { Deviation } from '../_gateway-messages.ts';
import type { Careless } from '../_careless-leg.ts';
import type { PoolDeviation } from '../_pooling-leg.ts';
import { differs, wrong, type Setup, type Turns, type WrongProxy } from '../_wrong.ts';

export const POOLED: Setup = { scheme: 'http', hasPool: true };

/** One that has a pool of connections to the origin. */
export const wrongPool = (
  name: string,
  turns: Turns,
  pool: PoolDeviation,
  deviation: Deviation = {},
): WrongProxy => ({ ...wrong(name, turns, deviation), pool, setup: POOLED });

/** One that keeps connections to the origin that it should close. */
const wrongCareless = (name: string, turns: Turns, careless: Careless): WrongProxy => ({
  ...wrong(name, turns, {}),
  careless,
  setup: POOLED,
  isSilent: true,
});

/** Gateways that use connections again which are about to end, or have ended. */
export const wrongIdle: readonly WrongProxy[] = [
  wrongPool('gives up on stale connections', 'idle/stale-get', { repeats: [] }),
  wrongPool('sends POST again after a stale connection', 'idle/stale-post', {
    repeats: ['GET', 'POST'],
  }),
  wrongCareless('keeps connections of canceled requests', 'backend/after-canceled', 'canceled'),
  wrongCareless(
    'keeps connections of canceled uploads',
    'backend/after-canceled',
    'canceled-upload',
  ),
  wrongCareless('keeps connections after malformed responses', 'backend/after-error', 'malformed'),
  wrongCareless('keeps connections on which more comes', 'backend/surplus', 'surplus'),
  wrongCareless(
    'forwards OPTIONS with its length, without its content',
    'content/options',
    'unsent',
  ),
  wrongPool(
    'ignores Connection: close of the origin',
    {
      'idle/announced': 'fail',
      'idle/stale-get': 'not-applicable',
      'idle/stale-post': 'not-applicable',
    },
    { usesClosed: (target) => target.includes('connection=close') },
  ),
  wrongPool(
    'uses a connection again that the origin has closed',
    ['idle/closed', 'backend/after-error'],
    {
      usesClosed: (target) => target.startsWith('/fault/close'),
    },
  ),
  {
    ...wrong('closes idle connections', differs('idle/front'), { keepsAlive: () => false }),
    setup: POOLED,
  },
];
