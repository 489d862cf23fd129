import { expect, test } from 'vitest';
import { isWhole } from '../../src/server/payload.ts';
import { LARGE_CONTENT } from '../../src/server/request-cost.ts';
import { ACCEPTED, largestRequests, piecesOf, replyTo } from '../_replies.ts';
import { everyNth } from '../_whole.ts';

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
  const rows = targets
    .toReversed()
    .flatMap((target) => ACCEPTED.map((accept) => [target, accept] as const));
  // 4 and the number of media types have no common divisor.
  for (const [target, accept] of everyNth(4, rows)) {
    expect([target, await madeAtOnce(target, accept)]).toEqual([
      target,
      expect.toSatisfy((bytes: number) => bytes <= LARGE_CONTENT),
    ]);
  }
});
