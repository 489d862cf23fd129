import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { TapFilter } from '../../../src/telemetry/tap/filter.ts';
import { readBatch, type Batch } from '../../../src/telemetry/tap/batch.ts';
import { events, type TapRequest, type TapSource } from '../../../src/telemetry/tap/reader.ts';
import { openedRecord } from '../../../src/telemetry/tap/record.ts';
import { TapRing } from '../../../src/telemetry/tap/ring.ts';
import { eventsOf, numberOf } from '../../_events.ts';
import { FakeExchange } from '../../_exchange.ts';

const { connection } = new FakeExchange('/');
const KEPT = 50;

let ring: TapRing;
let gone: AbortController;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  ring = new TapRing(KEPT);
  gone = new AbortController();
});
afterEach(() => {
  vi.useRealTimers();
});

function add(count: number): void {
  for (let nth = 0; nth < count; nth++) ring.add(openedRecord(connection));
}

const all: TapFilter = { path: undefined, connection: undefined, kinds: undefined };

/** The ring of this process alone. */
const source: TapSource = {
  get ended() {
    return ring.ended;
  },
  look: (after, filter) => [
    readBatch(ring, {
      origin: 'a',
      from: after === undefined ? ring.next : numberOf(after) + 1,
      filter,
      secrets: false,
      worker: undefined,
      budget: Infinity,
    }),
  ],
  news: async ([look], patience, signal) => {
    if (look?.next === ring.next) await ring.waitForMore(patience, signal);
  },
};

function read(request: Partial<TapRequest> = {}, from = source): AsyncGenerator<string> {
  const asked = { filter: all, lastEventId: undefined, duration: undefined, ...request };
  return events(from, asked, gone.signal);
}

/** More than the time between two looks, which no fake clock keeps. */
const turn = (): Promise<void> => pause(40);

/** The next piece, once the reader's time has come. */
async function next(reader: AsyncGenerator<string>, time = 100): Promise<string> {
  const piece = reader.next();
  await vi.advanceTimersByTimeAsync(time);
  const { value, done } = await piece;
  return done === true ? 'the end' : value;
}

describe('a reader', () => {
  test('begins with a comment, and gets what comes from then on', async () => {
    add(3);
    const reader = read();
    expect(await next(reader, 0)).toBe(':\n\n');
    add(2);
    expect(eventsOf(await next(reader)).map(({ id }) => id)).toEqual(['a-4', 'a-5']);
    add(1);
    expect(eventsOf(await next(reader)).map(({ id }) => id)).toEqual(['a-6']);
  });

  test('that is too slow is told what it has lost, and goes on with what is left', async () => {
    const reader = read();
    await next(reader, 0);
    add(1);
    await next(reader);
    add(KEPT + 7);
    const [lost, ...rest] = eventsOf(await next(reader));
    expect(lost).toEqual({
      id: 'a-8',
      event: 'lost',
      data: { kind: 'lost', count: 7, first: 'a-2', last: 'a-8' },
    });
    expect(rest.map(({ id }) => numberOf(id))).toEqual(
      Array.from({ length: KEPT }, (_, nth) => nth + 9),
    );
  });

  test('gets a comment when nothing has been sent for 15 seconds, filtered events or none', async () => {
    const reader = read({ filter: { path: '/x', connection: undefined, kinds: undefined } });
    await next(reader, 0);
    let piece: string | undefined;
    void reader.next().then(({ value }) => (piece = String(value)));
    for (let second = 0; second < 14; second++) {
      add(1);
      await vi.advanceTimersByTimeAsync(1000);
      await turn();
    }
    expect(piece).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1100);
    await turn();
    expect(piece).toBe(':\n\n');
    expect(await next(reader, 15_100)).toBe(':\n\n');
  });

  test('ends after its time, with an event', async () => {
    const reader = read({ duration: 2 });
    await next(reader, 0);
    expect(eventsOf(await next(reader, 2100))).toEqual([
      { id: undefined, event: 'end', data: { kind: 'end', reason: 'duration' } },
    ]);
    expect(await next(reader)).toBe('the end');
  });

  test('ends with the service, behind the last event', async () => {
    const reader = read();
    await next(reader, 0);
    add(2);
    ring.end();
    expect(eventsOf(await next(reader)).map(({ event }) => event)).toEqual([
      'opened',
      'opened',
      'end',
    ]);
    expect(await next(reader)).toBe('the end');
  });

  test('that goes leaves no timer', async () => {
    const reader = read();
    await next(reader, 0);
    const piece = reader.next();
    await vi.advanceTimersByTimeAsync(10);
    expect(vi.getTimerCount()).toBe(1);
    gone.abort();
    await expect(piece).rejects.toThrow('aborted');
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a reader of several rings', () => {
  const looks = new Map<string, Batch>();
  const asked: (string | undefined)[] = [];
  const several: TapSource = {
    ended: false,
    look(after) {
      asked.push(after);
      return [...looks.values()];
    },
    news: async () => undefined,
  };
  beforeEach(() => {
    looks.clear();
    asked.length = 0;
  });

  /** What one of them answers: events of these numbers, and how far it looked. */
  function answers(origin: string, from: number, found: readonly number[], end: number): void {
    const message = `event: opened\ndata: {"of":"${origin}"}\n\n`;
    looks.set(origin, {
      origin,
      from,
      next: end,
      end,
      found: found.map((number) => ({ number, message })),
    });
  }

  test('names the place in each of them, and asks for what is behind', async () => {
    answers('1', 5, [], 5);
    answers('2', 1, [], 1);
    const reader = read({}, several);
    await next(reader, 0);
    answers('1', 5, [5, 7], 9);
    answers('2', 1, [1], 2);
    expect(eventsOf(await next(reader)).map(({ id }) => id)).toEqual([
      '1-5,2-0',
      '1-7,2-0',
      '1-8,2-1',
    ]);
    answers('1', 9, [], 9);
    answers('2', 2, [2], 3);
    await turn();
    expect(eventsOf(await next(reader)).map(({ id }) => id)).toEqual(['1-8,2-2']);
    expect(asked).toEqual([undefined, '1-4,2-0', '1-8,2-1']);
  });

  test('goes on from an id before any of them has said where it is', async () => {
    answers('1', 4, [4], 5);
    answers('2', 8, [], 8);
    const reader = read({ lastEventId: '1-3,2-7' }, several);
    await next(reader, 0);
    expect(eventsOf(await next(reader)).map(({ id }) => id)).toEqual(['1-4,2-7']);
    expect(asked).toEqual(['1-3,2-7']);
  });

  test('keeps the place of one that does not answer, but not of any number', async () => {
    answers('1', 5, [], 5);
    const reader = read({}, several);
    await next(reader, 0);
    looks.clear();
    answers('2', 1, [1], 2);
    expect(eventsOf(await next(reader)).map(({ id }) => id)).toEqual(['1-4,2-1']);
    looks.clear();
    for (let origin = 3; origin < 257; origin++) answers(String(origin), 1, [], 1);
    answers('257', 1, [1], 2);
    await turn();
    const [event] = eventsOf(await next(reader));
    expect(event?.id?.split(',')).toHaveLength(256);
    expect(event?.id).toMatch(/^2-1,3-0,.*,257-1$/);
  });
});

describe('the ring', () => {
  test('keeps the last records by number', () => {
    expect([ring.oldest, ring.next, ring.at(1)]).toEqual([1, 1, undefined]);
    add(KEPT + 3);
    expect([ring.oldest, ring.next]).toEqual([4, KEPT + 4]);
    expect([ring.at(3), ring.at(KEPT + 4)]).toEqual([undefined, undefined]);
    expect(ring.at(4)?.kind).toBe('opened');
    expect(ring.at(KEPT + 3)?.kind).toBe('opened');
  });
});
