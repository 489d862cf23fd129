import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { TapFilter } from '../../../src/telemetry/tap/filter.ts';
import { readRing, type Batch } from '../../../src/telemetry/tap/batch.ts';
import {
  eventStream,
  type TapReaderOptions,
  type TapSource,
} from '../../../src/telemetry/tap/reader.ts';
import { openedRecord } from '../../../src/telemetry/tap/record.ts';
import { TapRing } from '../../../src/telemetry/tap/ring.ts';
import { eventsOf, numberOf } from '../../_events.ts';
import { FakeExchange } from '../../_exchange.ts';

const { connection } = new FakeExchange('/');
const RING_SIZE = 50;

let ring: TapRing;
let controller: AbortController;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  ring = new TapRing(RING_SIZE);
  controller = new AbortController();
});
afterEach(() => {
  vi.useRealTimers();
});

function add(count: number): void {
  for (let nth = 0; nth < count; nth++) ring.add(openedRecord(connection));
}

const ALL: TapFilter = { path: undefined, connection: undefined, kinds: undefined };

/** The ring of a single process. */
const source: TapSource = {
  get ended() {
    return ring.ended;
  },
  readBatches: (after, filter) => [
    readRing(ring, {
      idPrefix: 'a',
      from: after === undefined ? ring.next : numberOf(after) + 1,
      filter,
      secrets: false,
      worker: undefined,
      budget: Infinity,
    }),
  ],
  waitForMore: async ([batch], timeout, signal) => {
    if (batch?.next === ring.next) await ring.waitForMore(timeout, signal);
  },
};

function read(options: Partial<TapReaderOptions> = {}, from = source): AsyncGenerator<string> {
  const all = { filter: ALL, lastEventId: undefined, duration: undefined, ...options };
  return eventStream(from, all, controller.signal);
}

/** Waits longer than READ_INTERVAL, whose timer is not fake. */
const turn = (): Promise<void> => pause(40);

/** The next piece after advancing the clock. */
async function next(reader: AsyncGenerator<string>, time = 100): Promise<string> {
  const piece = reader.next();
  await vi.advanceTimersByTimeAsync(time);
  const { value, done } = await piece;
  return done === true ? 'the end' : value;
}

describe('a reader', () => {
  test('starts with a comment and gets events from then on', async () => {
    add(3);
    const reader = read();
    expect(await next(reader, 0)).toBe(':\n\n');
    add(2);
    expect(eventsOf(await next(reader)).map(({ id }) => id)).toEqual(['a-4', 'a-5']);
    add(1);
    expect(eventsOf(await next(reader)).map(({ id }) => id)).toEqual(['a-6']);
  });

  test('that is too slow gets a lost event and continues with the remaining events', async () => {
    const reader = read();
    await next(reader, 0);
    add(1);
    await next(reader);
    add(RING_SIZE + 7);
    const [lost, ...rest] = eventsOf(await next(reader));
    expect(lost).toEqual({
      id: 'a-8',
      event: 'lost',
      data: { kind: 'lost', count: 7, first: 'a-2', last: 'a-8' },
    });
    expect(rest.map(({ id }) => numberOf(id))).toEqual(
      Array.from({ length: RING_SIZE }, (_, nth) => nth + 9),
    );
  });

  test('gets a comment if no event has matched its filter for 15 seconds', async () => {
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

  test('ends with the service, after the last event', async () => {
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

  test('that disconnects leaves no timer', async () => {
    const reader = read();
    await next(reader, 0);
    const piece = reader.next();
    await vi.advanceTimersByTimeAsync(10);
    expect(vi.getTimerCount()).toBe(1);
    controller.abort();
    await expect(piece).rejects.toThrow('aborted');
    expect(vi.getTimerCount()).toBe(0);
  });
});

test('never waits for a negative time, also when it is due to end while it reads', async () => {
  const waits: number[] = [];
  const slow: TapSource = {
    ended: false,
    readBatches(after, filter) {
      if (after !== undefined) vi.advanceTimersByTime(1);
      return source.readBatches(after, filter);
    },
    waitForMore: async (_, timeout) => {
      waits.push(timeout);
    },
  };
  const reader = read({ duration: 0.0005 }, slow);
  await next(reader, 0);
  expect(eventsOf(await next(reader))).toHaveLength(1);
  expect(waits).toEqual([0]);
});

describe('a reader of several rings', () => {
  const batches = new Map<string, Batch>();
  const requestedIds: (string | undefined)[] = [];
  const several: TapSource = {
    ended: false,
    readBatches(after) {
      requestedIds.push(after);
      return [...batches.values()];
    },
    waitForMore: async () => undefined,
  };
  beforeEach(() => {
    batches.clear();
    requestedIds.length = 0;
  });

  /** Sets the batch of one ring, with events of these numbers. */
  function setBatch(idPrefix: string, from: number, numbers: readonly number[], end: number): void {
    const text = 'event: end\ndata: {"kind":"end","reason":"duration"}\n\n';
    const events = numbers.map((number) => ({ number, text }));
    batches.set(idPrefix, { idPrefix, from, next: end, end, events });
  }

  test('has a cursor for each ring and reads from there', async () => {
    setBatch('1', 5, [], 5);
    setBatch('2', 1, [], 1);
    const reader = read({}, several);
    await next(reader, 0);
    setBatch('1', 5, [5, 7], 9);
    setBatch('2', 1, [1], 2);
    expect(eventsOf(await next(reader)).map(({ id }) => id)).toEqual([
      '1-5,2-0',
      '1-7,2-0',
      '1-8,2-1',
    ]);
    setBatch('1', 9, [], 9);
    setBatch('2', 2, [2], 3);
    await turn();
    expect(eventsOf(await next(reader)).map(({ id }) => id)).toEqual(['1-8,2-2']);
    expect(requestedIds).toEqual([undefined, '1-4,2-0', '1-8,2-1']);
  });

  test('resumes from an event id', async () => {
    setBatch('1', 4, [4], 5);
    setBatch('2', 8, [], 8);
    const reader = read({ lastEventId: '1-3,2-7' }, several);
    await next(reader, 0);
    expect(eventsOf(await next(reader)).map(({ id }) => id)).toEqual(['1-4,2-7']);
    expect(requestedIds).toEqual(['1-3,2-7']);
  });

  test('keeps the cursor of a ring that does not respond, up to a maximum number', async () => {
    setBatch('1', 5, [], 5);
    const reader = read({}, several);
    await next(reader, 0);
    batches.clear();
    setBatch('2', 1, [1], 2);
    expect(eventsOf(await next(reader)).map(({ id }) => id)).toEqual(['1-4,2-1']);
    batches.clear();
    for (let idPrefix = 3; idPrefix < 257; idPrefix++) setBatch(String(idPrefix), 1, [], 1);
    setBatch('257', 1, [1], 2);
    await turn();
    const [event] = eventsOf(await next(reader));
    expect(event?.id?.split(',')).toHaveLength(256);
    expect(event?.id).toMatch(/^2-1,3-0,.*,257-1$/);
  });
});
