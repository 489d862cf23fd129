import { expect, test } from 'vitest';
import { Arrivals, type Page } from '../../../src/bench/during/arrivals.ts';
import { Ledger } from '../../../src/bench/during/ledger.ts';
import { BATCH, batchOf, Marks, numberIn } from '../../../src/bench/during/marks.ts';

/** A journal that keeps the fields of requests by key, with a limit of entries. */
class FakeJournal {
  process = 'a';
  readonly marks = new Marks();
  readonly ledger = new Ledger();
  readonly #keys = new Map<string, Page['entries'][number][]>();
  #isDown = false;

  constructor() {
    this.#keys.set(this.marks.probeKey, [{ raw_headers: [] }]);
  }

  get arrivals(): Arrivals {
    const first = { key: this.marks.probeKey, page: this.#page(this.marks.probeKey) };
    return new Arrivals(this.ledger, this.marks, async (key) => this.#read(key), first);
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
    this.#isDown = true;
    setTimeout(() => {
      this.#isDown = false;
    }, milliseconds);
  }

  #read(key: string): Page {
    if (this.#isDown) throw new Error('down');
    return this.#page(key);
  }

  #page(key: string): Page {
    return { process: this.process, entries_left_out: 0, entries: this.#keys.get(key) ?? [] };
  }
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
    sent: 129,
    answered: 124,
    failed: 5,
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
  const end = new AbortController();
  const watching = arrivals.watch(end.signal);
  journal.send(BATCH);
  await expect.poll(() => journal.ledger.hasArrived(BATCH - 1)).toBe(true);
  journal.send(BATCH);
  await expect.poll(() => journal.ledger.hasArrived(2 * BATCH - 1)).toBe(true);
  end.abort();
  await watching;
  journal.evict();
  await arrivals.finish(1000);
  expect(journal.ledger.account()).toMatchObject({ answered: 2 * BATCH, ...NONE });
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
  expect(journal.ledger.hasArrived(0)).toBe(false);
  journal.ledger.settle(BATCH - 1, true);
  await expect.poll(() => journal.ledger.hasArrived(2 * BATCH - 1)).toBe(true);
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
  const end = new AbortController();
  journal.send(BATCH - 1);
  journal.send(1, 'lost');
  const watching = arrivals.watch(end.signal);
  await expect.poll(() => journal.ledger.hasArrived(0)).toBe(true);
  end.abort();
  await watching;
  journal.arrive(BATCH - 1);
  await arrivals.finish(1000);
  expect(journal.ledger.account()).toMatchObject({ ...NONE, responsesLost: 1 });
});

test('the journal of another process does not have what was sent before', async () => {
  const journal = new FakeJournal();
  const { arrivals } = journal;
  const end = new AbortController();
  const watching = arrivals.watch(end.signal);
  journal.send(BATCH);
  await expect.poll(() => journal.ledger.hasArrived(0)).toBe(true);
  end.abort();
  await watching;
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
