import { setImmediate as nextIteration, setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { isWhole } from '../../src/server/payload.ts';
import type { Reply } from '../../src/server/reply.ts';
import { waysToDescribe, type Asked } from '../_descriptions.ts';
import { answerTo, largestCalls } from '../grpc/_largest.ts';
import {
  ACCEPTED,
  largestRequests,
  piecesOf,
  replyOf,
  replyTo,
  requestsWithContent,
} from '../_replies.ts';

// How long the event loop is kept by one request, or by one of the pieces of its response. The least of several
// measurements counts: compilation and garbage collection only add to it.

/** Milliseconds, the budget of an iteration. */
const BOUND = 1;
const TRIES = 100;
/** Tries in a row; then a pause, since other programs can slow the processor down for a second. */
const ROUND = 20;

async function read(reply: Promise<Reply | undefined>): Promise<void> {
  const { payload = '' } = (await reply) ?? {};
  if (!isWhole(payload)) await piecesOf(payload, 4);
}

/** Milliseconds. Time that other programs of the machine take is not in it. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Milliseconds of the longest iteration of the event loop. */
async function longestIteration(act: () => Promise<void>): Promise<number> {
  let longest = 0;
  let last = processorTime();
  let next: NodeJS.Immediate | undefined;
  // Without promises: the garbage of thousands of iterations in which a response waits would be counted.
  const measure = (): void => {
    const now = processorTime();
    longest = Math.max(longest, now - last);
    last = now;
    next = setImmediate(measure);
  };
  next = setImmediate(measure);
  await act();
  await nextIteration();
  clearImmediate(next);
  return longest;
}

test.each(largestRequests)('GET %s takes no longer than a turn', async (_, targets) => {
  const least = new Map<string, number>();
  for (const accept of ACCEPTED) {
    for (const target of targets) {
      let time = Infinity;
      for (let tries = 0; tries < TRIES && time > BOUND; tries++) {
        if (tries > 0 && tries % ROUND === 0) await pause(500);
        time = Math.min(time, await longestIteration(() => read(replyTo(target, accept))));
      }
      if (time > BOUND) least.set(`${target.slice(0, 200)} ${accept}`, time);
    }
  }
  expect(least).toEqual(new Map());
});

/** Milliseconds of a request with content; large content has an iteration to itself (`serialize()`). */
const LARGE_BOUND = 50;
/** Tries of a request with content. */
const LARGE_TRIES = 5;
/** Milliseconds of a description in a field or a target, of 16 KB. */
const DESCRIPTION_BOUND = 5;

const shown = ({ target, method = 'GET', fields = [], content }: Asked): string =>
  [
    method,
    target.slice(0, 60),
    fields.join(': ').slice(0, 60),
    content?.toString('latin1', 0, 40),
  ].join(' ');

test.each([...waysToDescribe, ...requestsWithContent])(
  '%s: an iteration for the content, and turns',
  async (_, asked) => {
    const late: [string, number][] = [];
    for (const each of asked) {
      const bound = each.content ? LARGE_BOUND : DESCRIPTION_BOUND;
      let time = Infinity;
      for (let tries = 0; tries < LARGE_TRIES && time > bound; tries++) {
        time = Math.min(time, await longestIteration(() => read(replyOf(each))));
      }
      if (time > bound) late.push([shown(each), time]);
    }
    expect(late).toEqual([]);
  },
);

/** Bytes above which a message is decoded in an iteration of its own. */
const LARGE_MESSAGE = 64 * 1024;
/** Milliseconds of another call: its response may have a message of 10 MiB, or 15,000 values of metadata. */
const CALL_BOUND = 15;
/** Pieces of a response that are read: more than one message of a stream. */
const PIECES = 40;

test.each(largestCalls)('%s: an iteration for a large message, and turns', async (_, calls) => {
  const late: [string, number][] = [];
  for (const each of calls) {
    const isLarge = (each.content?.length ?? 0) > LARGE_MESSAGE;
    const bound = isLarge ? LARGE_BOUND : CALL_BOUND;
    let time = Infinity;
    for (let tries = 0; tries < LARGE_TRIES && time > bound; tries++) {
      time = Math.min(
        time,
        await longestIteration(async () => void (await answerTo(each, PIECES))),
      );
    }
    if (time > bound) late.push([shown(each), time]);
  }
  expect(late).toEqual([]);
});
