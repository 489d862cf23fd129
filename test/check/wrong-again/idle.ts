import type { Deviation } from '../_gateway-messages.ts';
import type { PoolDeviation } from '../_pooling-leg.ts';
import { breaking, type Setup, type WrongProxy } from '../_wrong.ts';

const POOL: Setup = { scheme: 'http', hasPool: true };
const wrongPool = (
  name: string,
  pool: PoolDeviation,
  turns: WrongProxy['turns'],
  deviation: Deviation = {},
): WrongProxy => ({
  ...breaking(name, deviation, turns),
  pool,
  setup: POOL,
});

function everyNth(n: number, isSo: (target: string) => boolean): (target: string) => boolean {
  let count = 0;
  return (target) => isSo(target) && ++count % n === 0;
}

export const wrongIdleAgain: readonly WrongProxy[] = [
  wrongPool(
    'closes the connection of a client whose GET it has sent on a closed one',
    { repeats: [] },
    { 'idle/stale-get': 'fail' },
    { badGateway: 'none' },
  ),
  wrongPool(
    'sends POST again without content',
    { repeats: ['GET', 'POST'], repeatedContent: Buffer.alloc(0) },
    { 'idle/stale-post': 'fail' },
  ),
  wrongPool(
    'answers 502 to a POST, and sends it again later',
    { repeats: ['POST'], repeatsLater: true },
    { 'idle/stale-post': 'fail' },
  ),
  wrongPool(
    'uses a connection after Connection: close one time in three',
    { usesClosed: everyNth(3, (target) => target.includes('connection=close')) },
    { 'idle/announced': 'fail' },
  ),
  wrongPool(
    'uses a connection after Connection: close for POST',
    { usesClosed: (target) => target.includes('connection=close'), usesClosedFor: ['POST', 'PUT'] },
    { 'idle/announced': 'fail' },
  ),
  wrongPool(
    'uses a closed connection for POST',
    { usesClosed: (target) => target.includes('at=end'), usesClosedFor: ['POST', 'PUT'] },
    { 'idle/closed': 'fail' },
  ),
  wrongPool(
    'uses a closed connection one time in two',
    { usesClosed: everyNth(2, (target) => target.includes('at=end')) },
    { 'idle/closed': 'fail' },
  ),
];
