import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { events, type TapReader } from '../../src/views/tap-reader.ts';
import { openedRecord } from '../../src/views/tap-record.ts';
import { TapRing } from '../../src/views/tap-ring.ts';
import { eventsOf, numberOf } from '../_events.ts';
import { FakeExchange } from '../_exchange.ts';

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

function read(reader: Partial<TapReader> = {}): AsyncGenerator<string> {
  return events(
    ring,
    {
      filter: { path: undefined, connection: undefined, kinds: undefined },
      from: ring.next,
      duration: undefined,
      secrets: false,
      idOf: (number) => `a-${number}`,
      readers: () => 1,
      ...reader,
    },
    gone.signal,
  );
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
    expect(eventsOf(await next(reader)).map(({ id }) => id)).toEqual(['a-3', 'a-4']);
    add(1);
    expect(eventsOf(await next(reader)).map(({ id }) => id)).toEqual(['a-5']);
  });

  test('that is too slow is told what it has lost, and goes on with what is left', async () => {
    const reader = read();
    await next(reader, 0);
    add(1);
    await next(reader);
    add(KEPT + 7);
    const [lost, ...rest] = eventsOf(await next(reader));
    expect(lost).toEqual({
      id: 'a-7',
      event: 'lost',
      data: { kind: 'lost', count: 7, first: 'a-1', last: 'a-7' },
    });
    expect(rest.map(({ id }) => numberOf(id))).toEqual(
      Array.from({ length: KEPT }, (_, nth) => nth + 8),
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

describe('the ring', () => {
  test('keeps the last records by number', () => {
    expect([ring.oldest, ring.next, ring.at(0)]).toEqual([0, 0, undefined]);
    add(KEPT + 3);
    expect([ring.oldest, ring.next]).toEqual([3, KEPT + 3]);
    expect([ring.at(2), ring.at(KEPT + 3)]).toEqual([undefined, undefined]);
    expect(ring.at(3)?.kind).toBe('opened');
    expect(ring.at(KEPT + 2)?.kind).toBe('opened');
  });
});
