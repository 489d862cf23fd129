import { expect, test } from 'vitest';
import { isWhole } from '../../src/server/payload.ts';
import { LARGE_CONTENT } from '../../src/server/request-cost.ts';
import { waysToDescribe, type Asked } from '../_descriptions.ts';
import {
  ACCEPTED,
  largestRequests,
  paths,
  piecesOf,
  replyOf,
  replyTo,
  requestsWithContent,
} from '../_replies.ts';
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

test.each(waysToDescribe)('described as %s: no more than 64 KiB at once', async (_, asked) => {
  let replies = 0;
  for (const each of asked) {
    const { payload = '' } = (await replyOf(each)) ?? {};
    if (isWhole(payload)) expect(payload.length).toBeLessThanOrEqual(LARGE_CONTENT);
    else {
      const pieces = await piecesOf(payload, 4);
      expect(Math.max(0, ...pieces.map(({ length }) => length))).toBeLessThanOrEqual(LARGE_CONTENT);
      replies++;
    }
  }
  // Not all are refused.
  expect(replies).toBeGreaterThan(0);
});

const CREDENTIALS = 'needs credentials';
const HTTP2 = 'needs HTTP/2';

/** Endpoints that answer no request of the walk, and why. A new endpoint has a response, or is one of them. */
const UNANSWERED: ReadonlyMap<string, string> = new Map([
  ['/websocket/echo', 'needs a handshake'],
  ['/zstd', 'needs Node 22.15'],
  ['/basic-auth/{user}/{passwd}', CREDENTIALS],
  ['/hidden-basic-auth/{user}/{passwd}', CREDENTIALS],
  ['/bearer', CREDENTIALS],
  ['/digest-auth/{qop}/{user}/{passwd}', CREDENTIALS],
  ['/digest-auth/{qop}/{user}/{passwd}/{algorithm}', CREDENTIALS],
  ['/digest-auth/{qop}/{user}/{passwd}/{algorithm}/{stale_after}', CREDENTIALS],
  ['/redirect-to', 'leads to allowed hosts only'],
  ['/fault/no-read', 'needs content that has not arrived'],
  ['/h2/settings', HTTP2],
  ['/h2/ping', HTTP2],
  ['/frames', HTTP2],
  ['/control/ready', 'needs a token'],
  ['/control/drain', 'needs a token'],
  ['/control/exit', 'needs a token'],
]);

test('the walk gets a response of every endpoint', async () => {
  const asked: readonly (readonly [path: string, Asked])[] = [
    ...largestRequests.flatMap(([path, targets]) =>
      targets.map((target) => [path, { target }] as const),
    ),
    ...waysToDescribe.flatMap(([way, each]) =>
      way === 'sequence' ? each.map((one) => ['/respond/{key}', one] as const) : [],
    ),
    ...requestsWithContent.flatMap(([operation, each]) =>
      each.slice(0, 1).map((one) => [operation.replace(/^\S+ /, ''), one] as const),
    ),
  ];
  const silent = new Set(paths);
  for (const [path, each] of asked) {
    if (silent.has(path) && (await replyOf(each))) silent.delete(path);
  }
  expect([...silent].filter((path) => !UNANSWERED.has(path))).toEqual([]);
});
