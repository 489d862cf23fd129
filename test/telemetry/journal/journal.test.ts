import { createHash } from 'node:crypto';
import { PassThrough, type Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { entrySize, type JournalBatch } from '../../../src/telemetry/journal/entry.ts';
import { Journal } from '../../../src/telemetry/journal/journal.ts';
import type { JournalStorage } from '../../../src/telemetry/journal/storage.ts';
import { JournalStore } from '../../../src/telemetry/journal/store.ts';
import { FakeExchange } from '../../_exchange.ts';

const limits = { keys: 10_000, entries: 10_000, bytes: 100_000_000, lifetime: 60_000 };
const options = { secrets: false, keepsEntries: true };
const { signal } = new AbortController();

function journalOf(given: Partial<typeof options> = {}): Journal {
  return new Journal(new JournalStore(limits, 'process'), 'x', { ...options, ...given });
}

function exchangeOf(target = '/a', incoming?: Readable): FakeExchange {
  return new FakeExchange(target, {
    method: incoming ? 'POST' : 'GET',
    ...(incoming && { incoming }),
  });
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

test('an entry is updated until its request is over', async () => {
  const journal = journalOf();
  const incoming = new PassThrough();
  const exchange = exchangeOf('/a?b=1&token=1', incoming);
  journal.journalRequested(exchange, 'k');
  expect(await journal.read('k', 0, 100)).toMatchObject({
    count: 1,
    entries: [
      { target: '/a?b=1&token=[redacted]', content: { octets: 0, complete: false }, outcome: null },
    ],
  });
  incoming.write('abc');
  expect(await journal.read('k', 0, 100)).toMatchObject({
    entries: [{ content: { octets: 3, sha256: sha256('abc'), complete: false }, response: null }],
  });
  exchange.bytes = 7;
  exchange.observer?.responded(exchange, 200);
  exchange.observer?.finished(exchange, true);
  expect(await journal.read('k', 0, 100)).toMatchObject({
    entries: [{ content: { complete: false }, response: { status: 200, octets: 7 } }],
  });
  // The response may be complete before the content.
  incoming.end('def');
  expect(await journal.read('k', 0, 100)).toMatchObject({
    entries: [
      { content: { octets: 6, sha256: sha256('abcdef'), complete: true }, outcome: 'sent' },
    ],
  });
});

test('content that was there before is counted, and still read in order', async () => {
  const journal = journalOf();
  const incoming = new PassThrough();
  incoming.write('abc');
  incoming.write('def');
  const exchange = exchangeOf('/a', incoming);
  journal.journalRequested(exchange, 'k');
  incoming.end('ghi');
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece as Buffer);
  expect(Buffer.concat(pieces).toString()).toBe('abcdefghi');
  const { entries } = await journal.read('k', 0, 100);
  expect(entries).toMatchObject([
    { content: { octets: 9, sha256: sha256('abcdefghi'), complete: true } },
  ]);
});

test.each(['', 'a b', 'a,b', 'k'.repeat(129), 'ä'])('%s is no key', async (key) => {
  const journal = journalOf();
  journal.journalRequested(exchangeOf(), key);
  expect((await journal.read(key, 0, 100)).count).toBe(0);
});

test('an attempt is an entry of its own key, and of the one in the field', async () => {
  const journal = journalOf();
  const exchange = exchangeOf();
  journal.journalRequested(exchange, 'field');
  expect(await journal.attempt(exchange, 'path')).toBe(1);
  expect(await journal.read('path', 0, 100)).toMatchObject({
    attempts: 1,
    entries: [{ attempt: 1 }],
  });
  expect((await journal.read('field', 0, 100)).entries[0]).not.toHaveProperty('attempt');
  exchange.observer?.responded(exchange, 200);
  exchange.observer?.finished(exchange, true);
  for (const key of ['path', 'field']) {
    expect((await journal.read(key, 0, 100)).entries).toMatchObject([{ outcome: 'sent' }]);
  }
  const same = exchangeOf();
  journal.journalRequested(same, 'same');
  await journal.attempt(same, 'same');
  expect(await journal.read('same', 0, 100)).toMatchObject({ count: 1, entries: [{ attempt: 1 }] });
});

test('the rest of many or long fields is left out', async () => {
  const journal = journalOf();
  const many = Array.from({ length: 500 }, (_, at) => [`X-${at}`, 'a']).flat();
  const long = ['X-Long', 'a'.repeat(100_000)];
  for (const fields of [many, long]) {
    const exchange = new FakeExchange(`/${'a'.repeat(10_000)}`, { fields });
    journal.journalRequested(exchange, 'k');
  }
  const { entries } = await journal.read('k', 0, 100);
  expect(entries).toMatchObject([
    { raw_headers_left_out: 400, target_length: 10_001 },
    { raw_headers_left_out: 1, raw_headers: [] },
  ]);
  expect(JSON.stringify(entries).length).toBeLessThan(10_000);
});

test('a storage that is slow gets batches, and no more than it can take', async () => {
  const batches: JournalBatch[] = [];
  let written: (() => void) | undefined;
  const storage: JournalStorage = {
    write(batch) {
      batches.push(batch);
      return new Promise((resolve) => {
        written = resolve;
      });
    },
    nextAttempt: () => 1,
    read: () => new JournalStore(limits, 'process').read(''),
    forget: () => undefined,
    wait: async () => false,
  };
  const journal = new Journal(storage, 'x', options);
  journal.journalRequested(exchangeOf(), 'first');
  await turn();
  expect(batches).toMatchObject([{ records: [{ key: 'first', isNew: true }] }]);
  const exchange = exchangeOf();
  journal.journalRequested(exchange, 'k');
  exchange.observer?.responded(exchange, 200);
  for (let count = 0; count < 2000; count++) journal.journalRequested(exchangeOf(), 'flood');
  exchange.observer?.finished(exchange, true);
  await turn();
  expect(batches).toHaveLength(1);
  for (let count = 0; count < 12; count++) {
    written?.();
    await turn();
  }
  const [record] = batches[1]?.records ?? [];
  expect(record).toMatchObject({ key: 'k', isNew: true, entry: { outcome: 'sent' } });
  const sizes = batches
    .slice(1)
    .map(({ records }) => records.reduce((size, { entry }) => size + entrySize(entry), 0));
  // A batch ends with the entry that makes it large enough.
  expect(Math.max(...sizes)).toBeLessThan(66 * 1024);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  expect(total).toBeGreaterThan(511 * 1024);
  expect(total).toBeLessThan(514 * 1024);
  const entries = batches.slice(1).flatMap(({ records }) => records).length;
  expect(batches[1]?.leftOut).toEqual([
    { key: 'flood', client: expect.any(String), count: 2001 - entries },
  ]);
});

test('waits are limited in number, and end when the client disconnects or the service stops', async () => {
  const journal = journalOf();
  const goal = { key: 'k', count: 1, ended: false };
  const controller = new AbortController();
  const waits = Array.from({ length: 64 }, async () =>
    journal.wait(goal, 60_000, 'a', controller.signal),
  );
  await expect(journal.wait(goal, 60_000, 'a', signal)).rejects.toThrow('64 waiting readers');
  controller.abort();
  for (const outcome of await Promise.allSettled(waits)) expect(outcome.status).toBe('rejected');
  const waiting = journal.wait(goal, 60_000, 'a', signal);
  journal.endWaits();
  await waiting;
});

test('clients share the waits: who has more gives way', async () => {
  const journal = journalOf();
  const goal = { key: 'k', count: 1, ended: false };
  const begin = (client: string): Promise<'refused' | 'over'> =>
    journal.wait(goal, 60_000, client, signal).then(
      () => 'over',
      () => 'refused',
    );
  const greedy = Array.from({ length: 64 }, async () => begin('a'));
  const others = Array.from({ length: 32 }, async () => begin('b'));
  // The oldest of them, within a second.
  expect(await Promise.all(greedy.slice(0, 32))).toEqual(Array(32).fill('refused'));
  expect(await Promise.all([begin('a'), begin('b')])).toEqual(['refused', 'refused']);
  const waiting = [...greedy.slice(32), ...others];
  const third = begin('c');
  expect(await Promise.race(waiting)).toBe('refused');
  journal.endWaits();
  expect(await third).toBe('over');
  const all = await Promise.all(waiting);
  expect(all.filter((outcome) => outcome === 'refused')).toHaveLength(1);
});
