import { setTimeout as pause } from 'node:timers/promises';
import type { JournalView } from '../../telemetry/journal/entry.ts';
import type { Ledger } from './ledger.ts';
import { BATCH, batchOf, numberIn, type Marks } from './marks.ts';

/** Milliseconds between two looks at the journal. */
const PERIOD = 100;

/** Members of a journal's response that tell which requests have arrived. */
export type Page = Pick<JournalView, 'process' | 'entries_left_out'> & {
  readonly entries: readonly Pick<JournalView['entries'][number], 'raw_headers'>[];
};

/** Reads a key of the journal. @throws if the origin does not respond */
export type ReadKey = (key: string) => Promise<Page>;

/** A key with its entries, older than those that are still to be read. */
export interface Witness {
  readonly key: string;
  readonly page: Page;
}

/**
 * Enters into a ledger which of its requests have arrived at the origin, batch by batch while the load goes on: the
 * journal removes the oldest entries.
 */
export class Arrivals {
  readonly #ledger: Ledger;
  readonly #marks: Marks;
  readonly #read: ReadKey;
  /** The first batch that was not read. */
  #next = 0;
  /** Batches that were read, of which requests are missing: they may still arrive. */
  readonly #missing = new Set<number>();
  #process: string;
  /** Batches before this one were sent when the journal was that of another process. */
  #firstOfProcess = 0;
  #witness: Witness;

  /** @param first a key that was written before the load */
  constructor(ledger: Ledger, marks: Marks, read: ReadKey, first: Witness) {
    this.#ledger = ledger;
    this.#marks = marks;
    this.#read = read;
    this.#witness = first;
    this.#process = first.page.process;
  }

  /** Whether the journal was that of another process at times: the origin was restarted, or is one of many. */
  get hasChanged(): boolean {
    return this.#firstOfProcess > 0;
  }

  /** Reads until `signal` aborts. */
  async watch(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      // The journal may be out of reach for a moment, as when it is read through a target that restarts.
      await this.#readSettled(batchOf(this.#ledger.sent)).catch(() => undefined);
      await pause(PERIOD, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Reads the rest when no request is open. @param time limit in milliseconds, after which the rest is unknown */
  async finish(time: number): Promise<void> {
    const deadline = performance.now() + time;
    const end = batchOf(this.#ledger.sent + BATCH - 1);
    while (this.#next < end && performance.now() < deadline) {
      await this.#readSettled(end).catch(() => pause(PERIOD));
    }
    for (const batch of this.#missing) await this.#readAgain(batch).catch(() => undefined);
    for (; this.#next < end; this.#next++) this.#enter(this.#next, [], true);
  }

  /** Reads the batches whose requests all are over. @param end the batch after the last one */
  async #readSettled(end: number): Promise<void> {
    while (
      this.#next < end &&
      !this.#numbersOf(this.#next).some((each) => this.#ledger.isOpen(each))
    ) {
      await this.#readBatch(this.#next);
      this.#next++;
    }
  }

  async #readBatch(batch: number): Promise<void> {
    const key = this.#marks.keyOf(batch);
    const page = await this.#read(key);
    this.#noteProcess(page);
    const found = countsOf(page);
    const isWhole = this.#numbersOf(batch).every((_, at) => found[at] !== undefined);
    const isUnknown =
      !isWhole &&
      (batch < this.#firstOfProcess ||
        page.entries_left_out > 0 ||
        page.entries.some((entry) => numberIn(entry) === undefined) ||
        !(await this.#isKept()));
    this.#enter(batch, found, isUnknown);
    if (isWhole) this.#witness = { key, page };
    else if (!isUnknown) this.#missing.add(batch);
  }

  async #readAgain(batch: number): Promise<void> {
    const page = await this.#read(this.#marks.keyOf(batch));
    if (page.process === this.#process) this.#enter(batch, countsOf(page), false);
  }

  /** The journal of another process does not have what was sent before. */
  #noteProcess({ process }: Page): void {
    if (this.#process === process) return;
    this.#process = process;
    this.#firstOfProcess = batchOf(this.#ledger.sent) + 1;
    this.#missing.clear();
  }

  /** Whether the journal still has entries that are older, so that it has not removed newer ones. */
  async #isKept(): Promise<boolean> {
    const { key, page } = this.#witness;
    return (await this.#read(key)).entries.length === page.entries.length;
  }

  #enter(batch: number, found: readonly (number | undefined)[], isUnknown: boolean): void {
    for (const [at, number] of this.#numbersOf(batch).entries()) {
      this.#ledger.arrived(number, found[at] ?? 0, isUnknown);
    }
  }

  #numbersOf(batch: number): number[] {
    const first = batch * BATCH;
    const length = Math.min(BATCH, this.#ledger.sent - first);
    return Array.from({ length }, (_, at) => first + at);
  }
}

/** How often each request of a batch has arrived. */
function countsOf({ entries }: Page): (number | undefined)[] {
  const counts: (number | undefined)[] = [];
  for (const entry of entries) {
    const at = numberIn(entry);
    if (at !== undefined) counts[at] = (counts[at] ?? 0) + 1;
  }
  return counts;
}
