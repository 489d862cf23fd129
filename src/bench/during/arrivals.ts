import { setTimeout as pause } from 'node:timers/promises';
import type { JournalView } from '../../telemetry/journal/entry.ts';
import type { Ledger } from './ledger.ts';
import { BATCH, batchOf, numberIn, type Marks } from './marks.ts';

/** Milliseconds between two looks at the journal. */
const PERIOD = 100;
/** Milliseconds after which a batch of which requests are missing is read again, and then once more. */
const AGAIN = [1000, 2000];
/** Most batches that wait to be read: an origin out of reach has hardly kept more. */
export const MAX_UNREAD = 10_000;

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

/** A batch that was read, of which requests are missing: they may still arrive. */
interface Gap {
  /** Older than the batch. */
  readonly witness: Witness;
  /** How often it was read. */
  readonly looks: number;
  /** When it is read again. */
  readonly due: number;
}

/**
 * Enters into a ledger which of its requests have arrived at the origin, batch by batch while the load goes on: the
 * journal removes the oldest entries.
 */
export class Arrivals {
  readonly #ledger: Ledger;
  readonly #marks: Marks;
  readonly #read: ReadKey;
  readonly #again: readonly number[];
  /** The first batch that was not read. */
  #next = 0;
  readonly #gaps = new Map<number, Gap>();
  #process: string;
  /** Batches before this one were sent when the journal was that of another process. */
  #firstOfProcess = 0;
  #witness: Witness;

  /** @param first a key that was written before the load */
  constructor(ledger: Ledger, marks: Marks, read: ReadKey, first: Witness, again = AGAIN) {
    this.#ledger = ledger;
    this.#marks = marks;
    this.#read = read;
    this.#witness = first;
    this.#process = first.page.process;
    this.#again = again;
  }

  /** Whether the journal was that of another process at times: the origin was restarted, or is one of many. */
  get hasChanged(): boolean {
    return this.#firstOfProcess > 0;
  }

  /** Reads until `signal` aborts. */
  async watch(signal: AbortSignal): Promise<void> {
    const isOver = (): boolean => signal.aborted;
    while (!isOver()) {
      await this.#look(batchOf(this.#ledger.sent), isOver);
      await pause(PERIOD, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Reads the rest when no request is open. @param time limit in milliseconds, after which the rest is unknown */
  async finish(time: number): Promise<void> {
    const deadline = performance.now() + time;
    const isOver = (): boolean => performance.now() >= deadline;
    const end = batchOf(this.#ledger.sent + BATCH - 1);
    await this.#look(end, isOver);
    while ((this.#next < end || this.#gaps.size > 0) && !isOver()) {
      await pause(PERIOD);
      await this.#look(end, isOver);
    }
    for (; this.#next < end; this.#next++) this.#ledger.close(this.#next, true);
    for (const batch of this.#gaps.keys()) this.#ledger.close(batch, true);
  }

  /** Reads the batches whose requests all are over, and gaps that are due. @param end the batch after the last one */
  async #look(end: number, isOver: () => boolean): Promise<void> {
    const isReady = (): boolean => this.#next < end && this.#ledger.isSettled(this.#next);
    for (; isReady() && end - this.#next > MAX_UNREAD; this.#next++) {
      this.#ledger.close(this.#next, true);
    }
    try {
      for (; isReady() && !isOver(); this.#next++) await this.#readBatch(this.#next);
      for (const [batch, gap] of this.#gaps) {
        if (isOver()) return;
        if (gap.due <= performance.now()) await this.#readBatch(batch, gap);
      }
    } catch {
      // The journal may be out of reach for a moment, as when it is read through a target that restarts.
    }
  }

  async #readBatch(
    batch: number,
    { witness, looks }: Omit<Gap, 'due'> = this.#first,
  ): Promise<void> {
    const key = this.#marks.keyOf(batch);
    const page = await this.#read(key);
    this.#noteProcess(page);
    const isWhole = this.#ledger.arrived(batch, countsOf(page));
    const isKnown =
      isWhole || (batch >= this.#firstOfProcess && (await this.#isKept(page, witness)));
    const wait = this.#again[looks];
    if (isKnown && !isWhole && wait !== undefined) {
      this.#gaps.set(batch, { witness, looks: looks + 1, due: performance.now() + wait });
      return;
    }
    this.#ledger.close(batch, !isKnown);
    this.#gaps.delete(batch);
    if (isWhole && looks === 0) this.#witness = { key, page };
  }

  /** For a batch that was not read before. */
  get #first(): Omit<Gap, 'due'> {
    return { witness: this.#witness, looks: 0 };
  }

  /** The journal of another process does not have what was sent before. */
  #noteProcess({ process }: Page): void {
    if (this.#process === process) return;
    this.#process = process;
    this.#firstOfProcess = batchOf(this.#ledger.sent) + 1;
  }

  /** Whether a page has all that has arrived of its key: the journal still has entries that are older. */
  async #isKept(page: Page, witness: Witness): Promise<boolean> {
    const isNumbered = page.entries.every((entry) => numberIn(entry) !== undefined);
    if (page.entries_left_out > 0 || !isNumbered) return false;
    const older = await this.#read(witness.key);
    return (
      older.entries_left_out === witness.page.entries_left_out &&
      older.entries.length >= witness.page.entries.length
    );
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
