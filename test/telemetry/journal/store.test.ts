import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { JournalEntry, JournalView } from '../../../src/telemetry/journal/entry.ts';
import { JournalStore, type JournalLimits } from '../../../src/telemetry/journal/store.ts';

const HOUR = 3_600_000;
const limits: JournalLimits = { keys: 100, entries: 100, bytes: 1_000_000, lifetime: HOUR };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

let lastId = 0;

/** An entry, with its time as the number of its second. */
function entryOf(second: number, given: Partial<JournalEntry> = {}): JournalEntry {
  return {
    time: new Date(second * 1000).toISOString(),
    conn: '1',
    request: 1,
    protocol: 'h2',
    method: 'GET',
    target: '/',
    raw_headers: [],
    content: { octets: 0, sha256: '', complete: true },
    response: null,
    outcome: null,
    timing: { answered_ms: null, duration_ms: null },
    ...given,
  };
}

const CLIENT = '192.0.2.1';

/** Writes an entry. @returns its id */
function add(store: JournalStore, key: string, entry: JournalEntry, client = CLIENT): string {
  const id = String(++lastId);
  store.write({ records: [{ key, client, id, isNew: true, entry }], leftOut: [] });
  return id;
}

function update(store: JournalStore, key: string, id: string, entry: JournalEntry): void {
  store.write({ records: [{ key, client: CLIENT, id, isNew: false, entry }], leftOut: [] });
}

const timesOf = (store: JournalStore, key: string): string[] =>
  store.read(key).entries.map(({ time }) => time.slice(17, 19));

test('an unknown key has nothing', () => {
  const empty = { attempts: 0, count: 0, entries_left_out: 0, entries: [] };
  expect(new JournalStore(limits, 'process').read('k')).toEqual({
    key: 'k',
    process: 'process',
    ...empty,
  });
});

test('entries are in the order of their times, and updated by id', () => {
  const store = new JournalStore(limits, 'process');
  add(store, 'k', entryOf(2));
  const id = add(store, 'k', entryOf(1));
  update(store, 'k', id, entryOf(1, { outcome: 'sent' }));
  expect(timesOf(store, 'k')).toEqual(['01', '02']);
  expect(store.read('k').entries.map(({ outcome }) => outcome)).toEqual(['sent', null]);
});

test('entries are read in pages, by their number among all', () => {
  const store = new JournalStore({ ...limits, entries: 5 }, 'process');
  for (let second = 1; second <= 7; second++) add(store, 'k', entryOf(second));
  const page = (after: number, limit: number) => {
    const { entries, next, count } = store.read('k', after, limit);
    expect(count).toBe(7);
    return [entries.map(({ time }) => Number(time.slice(17, 19))), next];
  };
  expect(page(0, 2)).toEqual([[3, 4], 4]);
  expect(page(4, 2)).toEqual([[5, 6], 6]);
  expect(page(6, 2)).toEqual([[7], undefined]);
  expect(page(9, 2)).toEqual([[], undefined]);
});

test('a page has a bounded size, and at least one entry', () => {
  const store = new JournalStore(limits, 'process');
  for (const length of [100_000, 6000, 6000, 6000, 6000]) {
    add(store, 'k', entryOf(1, { raw_headers: [['a', 'x'.repeat(length)]] }));
  }
  const lengths: number[] = [];
  for (let after: number | undefined = 0; after !== undefined;) {
    const { entries, next }: JournalView = store.read('k', after, 100);
    lengths.push(entries.length);
    after = next;
  }
  expect(lengths).toEqual([1, 3, 1]);
});

test('a forgotten key starts again, and updates of forgotten entries are dropped', () => {
  const store = new JournalStore(limits, 'process');
  const id = add(store, 'k', entryOf(1));
  expect([store.nextAttempt('k', CLIENT), store.nextAttempt('k', CLIENT)]).toEqual([1, 2]);
  store.forget('k');
  update(store, 'k', id, entryOf(1));
  expect(store.read('k')).toMatchObject({ attempts: 0, count: 0 });
  expect(store.nextAttempt('k', CLIENT)).toBe(1);
});

describe('limits', () => {
  test('of a key: the oldest entries are left out, and counted', () => {
    const store = new JournalStore({ ...limits, entries: 2 }, 'process');
    for (let second = 1; second <= 5; second++) add(store, 'k', entryOf(second));
    add(store, 'other', entryOf(6));
    expect(store.read('k')).toMatchObject({ count: 5, entries_left_out: 3 });
    expect(timesOf(store, 'k')).toEqual(['04', '05']);
    expect(store.read('other')).toMatchObject({ count: 1, entries_left_out: 0 });
  });

  test('of the memory: the oldest entries of all keys', () => {
    const store = new JournalStore({ ...limits, bytes: 5000 }, 'process');
    const large = { raw_headers: [['a', 'x'.repeat(900)]] } satisfies Partial<JournalEntry>;
    for (const [at, key] of ['a', 'b', 'a', 'b'].entries()) add(store, key, entryOf(at, large));
    expect([timesOf(store, 'a'), timesOf(store, 'b')]).toEqual([['02'], ['03']]);
    add(store, 'c', entryOf(9, { raw_headers: [['a', 'x'.repeat(9000)]] }));
    for (const key of ['a', 'b']) expect(store.read(key)).toMatchObject({ entries_left_out: 2 });
    expect(store.read('c')).toMatchObject({ count: 1, entries: [] });
  });

  test('of the memory: a client whose entries take more than those of others loses its own', () => {
    const store = new JournalStore({ ...limits, bytes: 20_000 }, 'process');
    const large = { raw_headers: [['a', 'x'.repeat(4000)]] } satisfies Partial<JournalEntry>;
    for (let second = 1; second <= 6; second++) add(store, 'small', entryOf(second), '192.0.2.2');
    for (let second = 1; second <= 20; second++) add(store, 'large', entryOf(second, large));
    expect(store.read('small')).toMatchObject({ count: 6, entries_left_out: 0 });
    expect(timesOf(store, 'large')).toEqual(['19', '20']);
    // What is forgotten no longer counts for its client.
    store.forget('large');
    for (let second = 1; second <= 20; second++) add(store, 's', entryOf(second), '192.0.2.3');
    expect(store.read('small')).toMatchObject({ entries_left_out: 0 });
    expect(store.read('s')).toMatchObject({ count: 20, entries_left_out: 7 });
  });

  test('of keys: the one used least recently is forgotten', () => {
    const store = new JournalStore({ ...limits, keys: 2 }, 'process');
    add(store, 'a', entryOf(1));
    add(store, 'b', entryOf(2));
    store.nextAttempt('a', CLIENT);
    store.nextAttempt('c', CLIENT);
    expect(['a', 'b', 'c'].map((key) => store.read(key).count)).toEqual([1, 0, 0]);
    expect(store.read('c')).toMatchObject({ attempts: 1 });
  });

  test('of keys: a client with more than others loses its own', () => {
    const store = new JournalStore({ ...limits, keys: 10 }, 'process');
    const attempt = (key: string, client: string): number => store.nextAttempt(key, client);
    attempt('stranger', '192.0.2.2');
    for (let at = 0; at < 1100; at++) attempt(`k${at}`, CLIENT);
    expect(attempt('stranger', '192.0.2.2')).toBe(2);
    expect(attempt('k1099', CLIENT)).toBe(2);
    // Whoever uses a key, it belongs to who used it first.
    expect(attempt('stranger', CLIENT)).toBe(3);
    for (let at = 0; at < 20; at++) attempt(`s${at}`, '192.0.2.2');
    const kept = (prefix: string, count: number): string[] =>
      Array.from({ length: count }, (_, at) => `${prefix}${at}`).filter(
        (key) => store.read(key).attempts > 0,
      );
    expect(kept('k', 1100)).toEqual(['k1095', 'k1096', 'k1097', 'k1098', 'k1099']);
    expect(kept('s', 20)).toEqual(['s15', 's16', 's17', 's18', 's19']);
  });

  test('no number of clients keeps others from getting a key', () => {
    const store = new JournalStore({ ...limits, keys: 1000 }, 'process');
    for (let at = 0; at < 100_000; at++) store.nextAttempt(`k${at}`, `2001:db8:0:${at}::/64`);
    expect(store.nextAttempt('k99999', CLIENT)).toBe(2);
    expect(store.nextAttempt('k98999', CLIENT)).toBe(1);
    expect(store.nextAttempt('k98999', CLIENT)).toBe(2);
  });

  test('no number of keys exceeds the limit', () => {
    const store = new JournalStore({ ...limits, keys: 1000 }, 'process');
    for (let at = 0; at < 100_000; at++) store.nextAttempt(`k${at}`, CLIENT);
    expect(store.read('k0').attempts).toBe(0);
    expect(store.read('k99999').attempts).toBe(1);
    expect(store.read('k99000').attempts).toBe(1);
    expect(store.read('k98999').attempts).toBe(0);
  });

  test('of time: old entries are left out, and keys forgotten when they are not used any more', () => {
    const store = new JournalStore(limits, 'process');
    add(store, 'k', entryOf(1));
    vi.advanceTimersByTime(HOUR / 2);
    add(store, 'k', entryOf(2));
    vi.advanceTimersByTime(HOUR / 2 + 1);
    expect(store.read('k')).toMatchObject({ count: 2, entries_left_out: 1 });
    vi.advanceTimersByTime(HOUR / 2);
    expect(store.read('k')).toMatchObject({ count: 0, entries_left_out: 0 });
    vi.advanceTimersByTime(HOUR);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('entries that were never sent are counted', () => {
    const store = new JournalStore(limits, 'process');
    store.write({ records: [], leftOut: [{ key: 'k', client: CLIENT, count: 7 }] });
    add(store, 'k', entryOf(1));
    expect(store.read('k')).toMatchObject({ count: 8, entries_left_out: 7 });
  });
});

describe('wait', () => {
  const goal = { key: 'k', count: 2, ended: false };

  test('ends when there are enough entries, those left out included', async () => {
    const store = new JournalStore({ ...limits, entries: 1 }, 'process');
    const reached = store.wait(goal, 1000);
    add(store, 'k', entryOf(1));
    add(store, 'other', entryOf(1));
    expect(vi.getTimerCount()).toBe(2);
    add(store, 'k', entryOf(2));
    expect(await reached).toBe(true);
    expect(await store.wait(goal, 1000)).toBe(true);
    expect(vi.getTimerCount()).toBe(1);
  });

  test('ends when the entries have an outcome', async () => {
    const store = new JournalStore(limits, 'process');
    add(store, 'k', entryOf(1, { outcome: 'aborted' }));
    const id = add(store, 'k', entryOf(2));
    const reached = store.wait({ ...goal, ended: true }, 1000);
    expect(vi.getTimerCount()).toBe(2);
    update(store, 'k', id, entryOf(2, { outcome: 'sent' }));
    expect(await reached).toBe(true);
  });

  test('ends with the timeout', async () => {
    const store = new JournalStore(limits, 'process');
    const reached = store.wait(goal, 1000);
    vi.advanceTimersByTime(1000);
    expect(await reached).toBe(false);
  });
});

test('open entries of a worker that died are lost, also those that arrive later', () => {
  const store = new JournalStore(limits, 'process');
  const id = add(store, 'k', entryOf(1, { worker: 1 }));
  add(store, 'k', entryOf(2, { worker: 2 }));
  add(store, 'k', entryOf(3, { worker: 1, outcome: 'sent' }));
  store.onWorkerDied(1);
  update(store, 'k', id, entryOf(1, { worker: 1 }));
  add(store, 'k', entryOf(4, { worker: 1 }));
  const outcomes = store.read('k').entries.map(({ outcome }) => outcome);
  expect(outcomes).toEqual(['lost', null, 'sent', 'lost']);
});
