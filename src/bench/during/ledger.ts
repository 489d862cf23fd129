import { BATCH, batchOf } from './marks.ts';

/** What became of the requests of a load, by what their sender and the journal of the origin say. */
export interface Account {
  /** Failed, and never reached the origin. */
  readonly lost: number;
  /** Failed, although the origin has received them: their responses were lost. */
  readonly responsesLost: number;
  /** Answered, but not by the origin: a cache, or another origin. */
  readonly answeredElsewhere: number;
  /** Reached the origin more than once: something has sent them again. */
  readonly repeated: number;
  /** Not found in the journal, of which a part is missing. */
  readonly unknown: number;
}

interface Entry {
  outcome: 'open' | 'answered' | 'failed';
  arrivals: number;
}

/**
 * Compares the requests that were sent, which are numbered from 0, with those that the origin has received. It keeps
 * those of batches that are not closed.
 */
export class Ledger {
  readonly #batches = new Map<number, Entry[]>();
  readonly #account = {
    lost: 0,
    responsesLost: 0,
    answeredElsewhere: 0,
    repeated: 0,
    unknown: 0,
  };
  #sent = 0;

  /** Adds a request. @returns its number */
  add(): number {
    const number = this.#sent++;
    const batch = batchOf(number);
    const entries = this.#of(batch);
    entries.push({ outcome: 'open', arrivals: 0 });
    this.#batches.set(batch, entries);
    return number;
  }

  settle(number: number, isAnswered: boolean): void {
    const entry = this.#of(batchOf(number))[number % BATCH];
    if (entry) entry.outcome = isAnswered ? 'answered' : 'failed';
  }

  get sent(): number {
    return this.#sent;
  }

  /** Whether all requests of a batch are over. */
  isSettled(batch: number): boolean {
    return !this.#of(batch).some(({ outcome }) => outcome === 'open');
  }

  /** Sets how often the origin has received each request of a batch. @returns whether it has received all of them */
  arrived(batch: number, counts: readonly (number | undefined)[]): boolean {
    const entries = this.#of(batch);
    for (const [at, entry] of entries.entries()) {
      entry.arrivals = Math.max(entry.arrivals, counts[at] ?? 0);
    }
    return entries.every(({ arrivals }) => arrivals > 0);
  }

  /** Counts the requests of a batch. @param isUnknown whether those that were not found may have arrived */
  close(batch: number, isUnknown: boolean): void {
    const account = this.#account;
    for (const { outcome, arrivals } of this.#of(batch)) {
      if (arrivals > 1) account.repeated++;
      if (arrivals > 0) account.responsesLost += Number(outcome === 'failed');
      else if (isUnknown) account.unknown++;
      else account[outcome === 'failed' ? 'lost' : 'answeredElsewhere']++;
    }
    this.#batches.delete(batch);
  }

  /** The requests of the batches that are closed. */
  account(): Account {
    return { ...this.#account };
  }

  #of(batch: number): Entry[] {
    return this.#batches.get(batch) ?? [];
  }
}
