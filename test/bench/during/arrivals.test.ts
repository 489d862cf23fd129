import { expect, test } from 'vitest';
import { Arrivals, MAX_UNREAD, type Page } from '../../../src/bench/during/arrivals.ts';
import { Ledger } from '../../../src/bench/during/ledger.ts';
import { BATCH, batchOf, Marks, numberIn } from '../../../src/bench/during/marks.ts';

/** A journal that keeps the fields of requests by key, with a limit of entries. */
class FakeJournal {
  process = 'a';
  readonly marks = new Marks();
  readonly ledger = new Ledger();
  readonly #keys = new Map<string, Page['entries'][number][]>();
  /** Keys that were read. */
  readonly reads: string[] = [];
  isDown = false;

  constructor() {
    this.#keys.set(this.marks.probeKey, [{ raw_headers: [] }]);
  }

  get arrivals(): Arrivals {
    const first = { key: this.marks.probeKey, page: this.#page(this.marks.probeKey) };
    const read = async (key: string) => this.#read(key);
    return new Arrivals(this.ledger, this.marks, read, first, [50, 100]);
  }

  /** Sends requests. @param outcome `lost`: failed before the origin; `cut`: failed after it */
  send(count: number, outcome: 'answered' | 'lost' | 'cut' | 'cached' | 'open' = 'answered'): void {
    for (let each = 0; each < count; each++) {
      const number = this.ledger.add();
      if (outcome !== 'lost' && outcome !== 'cached') this.arrive(number);
      if (outcome !== 'open') {
        this.ledger.settle(number, outcome === 'answered' || outcome === 'cached');
      }
    }
  }

  arrive(number: number): void {
    const key = this.marks.keyOf(batchOf(number));
    const fields = this.marks.fieldsOf(number).map(([name, value]) => [name, value] as const);
    this.#keys.set(key, [...(this.#keys.get(key) ?? []), { raw_headers: fields }]);
  }

  /** Enters a request of which something has removed the number. */
  arriveUnnumbered(number: number): void {
    const key = this.marks.keyOf(batchOf(number));
    this.#keys.set(key, [...(this.#keys.get(key) ?? []), { raw_headers: [] }]);
  }

  /** Removes all entries, as limits do. */
  evict(): void {
    this.#keys.clear();
  }

  restart(): void {
    this.evict();
    this.process = 'b';
  }

  failFor(milliseconds: number): void {
    this.isDown = true;
    setTimeout(() => {
      this.isDown = false;
    }, milliseconds);
  }

  #read(key: string): Page {
    if (this.isDown) throw new Error('down');
    this.reads.push(key);
    return this.#page(key);
  }

  #page(key: string): Page {
    return { process: this.process, entries_left_out: 0, entries: this.#keys.get(key) ?? [] };
  }
}

/** Watches until the journal of the batch was read so often. */
async function watchUntilRead(journal: FakeJournal, arrivals: Arrivals, batch = 0, times = 1) {
  const end = new AbortController();
  const watching = arrivals.watch(end.signal);
  const key = journal.marks.keyOf(batch);
  await expect.poll(() => journal.reads.filter((each) => each === key).length).toBe(times);
  end.abort();
  await watching;
}

const NONE = {
  lost: 0,
  responsesLost: 0,
  answeredElsewhere: 0,
  repeated: 0,
  unknown: 0,
};

test('fields of the same length, whose number is found again', () => {
  const marks = new Marks();
  const [first, last] = [marks.fieldsOf(0), marks.fieldsOf(BATCH * 1234 + 7)];
  expect(first[0]).toEqual(['x-wirebin-journal', marks.keyOf(0)]);
  expect(last[0]).toEqual(['x-wirebin-journal', marks.keyOf(1234)]);
  expect(last.map(([, value]) => value.length)).toEqual(first.map(([, value]) => value.length));
  expect(numberIn({ raw_headers: [['X-Wirebin-Bench', '07']] })).toBe(7);
  expect(numberIn({ raw_headers: [['x-wirebin-bench', '7']] })).toBeUndefined();
  expect(numberIn({ raw_headers: [] })).toBeUndefined();
});

test('each request is where it belongs', async () => {
  const journal = new FakeJournal();
  journal.send(120);
  journal.send(3, 'lost');
  journal.send(2, 'cut');
  journal.send(4, 'cached');
  journal.arrive(60);
  journal.arrive(124);
  await journal.arrivals.finish(1000);
  expect(journal.ledger.account()).toEqual({
    lost: 3,
    responsesLost: 2,
    answeredElsewhere: 4,
    repeated: 2,
    unknown: 0,
  });
});

test('what the journal removes after it was read is known', async () => {
  const journal = new FakeJournal();
  const { arrivals } = journal;
  journal.send(BATCH);
  await watchUntilRead(journal, arrivals);
  journal.send(BATCH);
  await watchUntilRead(journal, arrivals, 1);
  journal.evict();
  await arrivals.finish(1000);
  expect(journal.ledger.account()).toEqual(NONE);
});

test('a batch is read when none of its requests is open', async () => {
  const journal = new FakeJournal();
  const { arrivals } = journal;
  const end = new AbortController();
  journal.send(BATCH - 1);
  journal.send(1, 'open');
  journal.send(BATCH);
  const watching = arrivals.watch(end.signal);
  await new Promise(setImmediate);
  expect(journal.reads).toEqual([]);
  journal.ledger.settle(BATCH - 1, true);
  await expect.poll(() => journal.reads).toEqual([journal.marks.keyOf(0), journal.marks.keyOf(1)]);
  end.abort();
  await watching;
});

test('what the journal has removed before it was read is unknown, and not lost', async () => {
  const journal = new FakeJournal();
  const { arrivals } = journal;
  journal.send(BATCH);
  journal.send(1, 'lost');
  journal.evict();
  await arrivals.finish(1000);
  expect(journal.ledger.account()).toMatchObject({ ...NONE, unknown: BATCH + 1 });
});

test('an entry without a number may be of any request of its batch', async () => {
  const journal = new FakeJournal();
  journal.send(2);
  journal.send(1, 'lost');
  journal.send(BATCH);
  journal.arriveUnnumbered(2);
  await journal.arrivals.finish(1000);
  expect(journal.ledger.account()).toMatchObject({ ...NONE, unknown: 1 });
});

test('a request may arrive after its sender has given up', async () => {
  const journal = new FakeJournal();
  const { arrivals } = journal;
  journal.send(BATCH - 1);
  journal.send(1, 'lost');
  await watchUntilRead(journal, arrivals);
  journal.arrive(BATCH - 1);
  // While the load goes on: at its end, the journal may have removed it.
  await watchUntilRead(journal, arrivals, 0, 2);
  journal.evict();
  await arrivals.finish(1000);
  expect(journal.ledger.account()).toEqual({ ...NONE, responsesLost: 1 });
});

test('a request may have arrived since, if the journal has removed entries when it is read again', async () => {
  const journal = new FakeJournal();
  const { arrivals } = journal;
  journal.send(BATCH - 1);
  journal.send(1, 'lost');
  await watchUntilRead(journal, arrivals);
  journal.evict();
  await arrivals.finish(1000);
  expect(journal.ledger.account()).toEqual({ ...NONE, unknown: 1 });
});

test('a request that arrives twice, and late, removes nothing from the journal', async () => {
  const journal = new FakeJournal();
  const { arrivals } = journal;
  journal.send(BATCH);
  await watchUntilRead(journal, arrivals);
  journal.arrive(0);
  journal.send(1, 'lost');
  await arrivals.finish(1000);
  expect(journal.ledger.account()).toEqual({ ...NONE, lost: 1 });
});

test('the end of the watch, and of the time, is that of what is to be read', async () => {
  const journal = new FakeJournal();
  const { arrivals } = journal;
  const end = new AbortController();
  journal.send(10 * BATCH);
  const watching = arrivals.watch(end.signal);
  end.abort();
  await watching;
  expect(journal.reads).toHaveLength(1);
  await arrivals.finish(0);
  expect(journal.reads).toHaveLength(1);
  expect(journal.ledger.account()).toEqual({ ...NONE, unknown: 9 * BATCH });
});

test('what waits for a journal out of reach is limited', async () => {
  const journal = new FakeJournal();
  journal.isDown = true;
  journal.send((MAX_UNREAD + 2) * BATCH);
  const end = new AbortController();
  const watching = journal.arrivals.watch(end.signal);
  await expect.poll(() => journal.ledger.account()).toEqual({ ...NONE, unknown: 2 * BATCH });
  end.abort();
  await watching;
});

test('the journal of another process does not have what was sent before', async () => {
  const journal = new FakeJournal();
  const { arrivals } = journal;
  journal.send(BATCH);
  await watchUntilRead(journal, arrivals);
  expect(arrivals.hasChanged).toBe(false);
  journal.send(BATCH);
  journal.restart();
  await arrivals.finish(1000);
  expect(arrivals.hasChanged).toBe(true);
  expect(journal.ledger.account()).toMatchObject({ ...NONE, unknown: BATCH });
});

test('a journal that is out of reach for a while, or for good', async () => {
  const journal = new FakeJournal();
  journal.send(BATCH + 1);
  journal.failFor(150);
  await journal.arrivals.finish(10_000);
  expect(journal.ledger.account()).toMatchObject(NONE);
  const other = new FakeJournal();
  const { arrivals } = other;
  other.send(BATCH);
  other.failFor(1000);
  await arrivals.finish(1);
  expect(other.ledger.account()).toMatchObject({ ...NONE, unknown: BATCH });
});
