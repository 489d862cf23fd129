import type { WrongProxy } from '../_wrong.ts';
import { wrongPool } from '../wrong/idle.ts';

function everyNth(n: number, isSo: (target: string) => boolean): (target: string) => boolean {
  let count = 0;
  return (target) => isSo(target) && ++count % n === 0;
}

export const wrongIdleAgain: readonly WrongProxy[] = [
  wrongPool(
    'closes the connection of a client whose GET it has sent on a closed one',
    'idle/stale-get',
    { repeats: [] },
    { badGateway: 'none' },
  ),
  wrongPool('sends POST again without content', 'idle/stale-post', {
    repeats: ['GET', 'POST'],
    repeatedContent: Buffer.alloc(0),
  }),
  wrongPool('answers 502 to a POST, and sends it again later', 'idle/stale-post', {
    repeats: ['POST'],
    repeatsLater: true,
  }),
  wrongPool('uses a connection after Connection: close one time in three', 'idle/announced', {
    usesClosed: everyNth(3, (target) => target.includes('connection=close')),
  }),
  wrongPool('uses a connection after Connection: close for POST', 'idle/announced', {
    usesClosed: (target) => target.includes('connection=close'),
    usesClosedFor: ['POST', 'PUT'],
  }),
  wrongPool('uses a closed connection for POST', 'idle/closed', {
    usesClosed: (target) => target.includes('at=end'),
    usesClosedFor: ['POST', 'PUT'],
  }),
  wrongPool('uses a closed connection one time in two', 'idle/closed', {
    usesClosed: everyNth(2, (target) => target.includes('at=end')),
  }),
];
