import { expect, test } from 'vitest';
import { isWhole } from '../../src/server/payload.ts';
import { LARGE_CONTENT } from '../../src/server/memory-budget.ts';
import { ACCEPTED, largestRequests, piecesOf, replyTo } from '../_replies.ts';

/** Bytes of a reply that are made for it alone, and at once. */
async function madeAtOnce(target: string, accept: string): Promise<number> {
  const reply = await replyTo(target, accept);
  const { payload = '' } = reply ?? {};
  if (!isWhole(payload)) {
    const pieces = await piecesOf(payload, 4);
    return Math.max(0, ...pieces.map(({ length }) => length));
  }
  if (payload.length <= LARGE_CONTENT || typeof payload === 'string') return payload.length;
  const again = await replyTo(target, accept);
  return again?.payload === payload ? 0 : payload.length;
}

test.each(largestRequests)('GET %s makes no more than 64 KiB at once', async (_, targets) => {
  for (const target of targets) {
    for (const accept of ACCEPTED) {
      expect([target, await madeAtOnce(target, accept)]).toEqual([
        target,
        expect.toSatisfy((bytes: number) => bytes <= LARGE_CONTENT),
      ]);
    }
  }
});
