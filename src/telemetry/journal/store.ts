import { AgingMap } from './aging-map.ts';
import { ClientShares } from './client-shares.ts';
import { entrySize, type JournalBatch, type JournalEntry, type JournalView } from './entry.ts';
import type { JournalGoal, JournalStorage } from './storage.ts';

export interface JournalLimits {
  /** Maximum number of keys. */
  readonly keys: number;
  /** Maximum number of entries of a key. */
  readonly entries: number;
  /** Maximum total size of all entries, in bytes, estimated. */
  readonly bytes: number;
  /** How long entries and unused keys are kept, in milliseconds. */
  readonly lifetime: number;
}

/** Bytes of entries in a page. A reader fetches further entries with another request. */
const PAGE_SIZE = 16 * 1024;

interface StoredEntry {
  readonly id: string;
  readonly key: string;
  /** `performance.now()` when the entry was added. */
  readonly addedAt: number;
  entry: JournalEntry;
  size: number;
}

/** State of a key. */
interface KeyState {
  readonly key: string;
  /** Network of the client that first used the key: see `clientNetwork`. */
  readonly client: string;
  attempts: number;
  /** Number of entries that were left out. */
  leftOut: number;
  /** `performance.now()` at the last attempt or new entry. */
  usedAt: number;
  /** Entries by id, in the order in which they were added. */
  readonly entries: AgingMap<StoredEntry>;
}

/** The entries of all keys that a client owns. */
interface ClientEntries {
  /** Entries by id, in the order in which they were added. */
  readonly entries: AgingMap<StoredEntry>;
  bytes: number;
}

interface Waiter {
  readonly goal: JournalGoal;
  readonly settle: () => void;
}

/**
 * Keeps entries in memory, within limits: the oldest are removed first. All keys share a memory budget. When it is
 * exceeded, the client that uses most of it loses its oldest entries.
 */
export class JournalStore implements JournalStorage {
  readonly #limits: JournalLimits;
  readonly #process: string;
  /** Keys, the least recently used one first. */
  readonly #keys = new AgingMap<KeyState>();
  readonly #shares = new ClientShares<KeyState>();
  /** Entries by id, in the order in which they were added. */
  readonly #entries = new AgingMap<StoredEntry>();
  /** Entries by client. There are not more clients than keys. */
  readonly #clients = new Map<string, ClientEntries>();
  #bytes = 0;
  readonly #deadWorkers = new Set<number>();
  readonly #waiters = new Map<string, Set<Waiter>>();
  #isExpiryScheduled = false;

  /** @param process the id of the running service */
  constructor(limits: JournalLimits, process: string) {
    this.#limits = limits;
    this.#process = process;
  }

  write({ records, leftOut }: JournalBatch): undefined {
    const keys = new Set<string>();
    for (const { key, client, id, isNew, entry } of records) {
      if (isNew) this.#add(this.#use(key, client), id, this.#afterDeath(entry));
      else this.#update(id, this.#afterDeath(entry));
      keys.add(key);
    }
    for (const { key, client, count } of leftOut) {
      this.#use(key, client).leftOut += count;
      keys.add(key);
    }
    for (const key of keys) this.#notify(key);
  }

  nextAttempt(key: string, client: string): number {
    return ++this.#use(key, client).attempts;
  }

  read(key: string, after = 0, limit = Infinity): JournalView {
    this.#removeExpired();
    const { attempts = 0, leftOut = 0, entries } = this.#keys.get(key) ?? {};
    // Entries of different workers arrive in batches, not in order of time.
    const inOrder = Array.from(entries?.values() ?? []).toSorted(({ entry: a }, { entry: b }) =>
      a.time < b.time ? -1 : Number(a.time > b.time),
    );
    const begin = Math.max(0, after - leftOut);
    let end = begin;
    for (let size = 0; size < PAGE_SIZE && end < Math.min(begin + limit, inOrder.length); end++) {
      size += inOrder[end]?.size ?? 0;
    }
    return {
      key,
      process: this.#process,
      attempts,
      count: leftOut + inOrder.length,
      entries_left_out: leftOut,
      entries: inOrder.slice(begin, end).map(({ entry }) => entry),
      ...(end < inOrder.length && { next: leftOut + end }),
    };
  }

  forget(key: string): void {
    const state = this.#keys.get(key);
    if (!state) return;
    for (const stored of state.entries.values()) this.#remove(stored);
    this.#keys.delete(key);
    this.#shares.delete(state.client, key);
  }

  wait(goal: JournalGoal, timeout: number): Promise<boolean> {
    if (this.#isReached(goal)) return Promise.resolve(true);
    return new Promise((resolve) => {
      const waiters = this.#waiters.get(goal.key) ?? new Set();
      this.#waiters.set(goal.key, waiters);
      const settle = (): void => {
        clearTimeout(timer);
        waiters.delete(waiter);
        if (waiters.size === 0) this.#waiters.delete(goal.key);
        resolve(this.#isReached(goal));
      };
      const timer = setTimeout(settle, timeout).unref();
      const waiter = { goal, settle };
      waiters.add(waiter);
    });
  }

  /** Marks the open entries of a dead worker as lost. Batches that it sent before may still arrive. */
  onWorkerDied(worker: number): void {
    this.#deadWorkers.add(worker);
    const keys = new Set<string>();
    for (const stored of this.#entries.values()) {
      stored.entry = this.#afterDeath(stored.entry);
      keys.add(stored.key);
    }
    for (const key of keys) this.#notify(key);
  }

  #afterDeath(entry: JournalEntry): JournalEntry {
    const { worker, outcome } = entry;
    const isLost = outcome === null && worker !== undefined && this.#deadWorkers.has(worker);
    return isLost ? { ...entry, outcome: 'lost' } : entry;
  }

  #add(state: KeyState, id: string, entry: JournalEntry): void {
    const { key, client } = state;
    const size = entrySize(entry);
    const stored = { id, key, entry, size, addedAt: performance.now() };
    state.entries.set(id, stored);
    this.#entries.set(id, stored);
    const owned = this.#clients.get(client) ?? { entries: new AgingMap(), bytes: 0 };
    this.#clients.set(client, owned);
    owned.entries.set(id, stored);
    owned.bytes += size;
    this.#bytes += size;
    const { entries, bytes } = this.#limits;
    if (state.entries.size > entries) this.#leaveOut(state.entries);
    while (this.#bytes > bytes) this.#leaveOut(this.#largestEntries());
  }

  /** The entries of the client that uses most memory. */
  #largestEntries(): AgingMap<StoredEntry> {
    let largest: ClientEntries = { entries: this.#entries, bytes: 0 };
    for (const owned of this.#clients.values()) if (owned.bytes > largest.bytes) largest = owned;
    return largest.entries;
  }

  /** Updates an entry, unless it was removed. */
  #update(id: string, entry: JournalEntry): void {
    const stored = this.#entries.get(id);
    if (stored) stored.entry = entry;
  }

  /**
   * Returns the state of a key, and makes it the most recently used one. If there are too many keys, the client that
   * has the most keys loses its oldest.
   */
  #use(key: string, client: string): KeyState {
    this.#removeExpired();
    const usedAt = performance.now();
    const state = this.#keys.get(key) ?? {
      key,
      client,
      attempts: 0,
      leftOut: 0,
      usedAt,
      entries: new AgingMap(),
    };
    state.usedAt = usedAt;
    this.#keys.set(key, state);
    this.#shares.set(state.client, key, state);
    this.#scheduleExpiry();
    if (this.#keys.size > this.#limits.keys) {
      const oldest = this.#shares.largest?.oldest;
      if (oldest) this.forget(oldest.key);
    }
    return state;
  }

  /** Removes the oldest entry, and counts it as left out. */
  #leaveOut({ oldest }: AgingMap<StoredEntry>): void {
    if (!oldest) return;
    this.#remove(oldest);
    const state = this.#keys.get(oldest.key);
    if (state) state.leftOut++;
  }

  #remove({ id, key, size }: StoredEntry): void {
    this.#entries.delete(id);
    this.#bytes -= size;
    const state = this.#keys.get(key);
    const owned = state && this.#clients.get(state.client);
    if (!owned) return;
    state.entries.delete(id);
    owned.entries.delete(id);
    owned.bytes -= size;
    if (owned.entries.size === 0) this.#clients.delete(state.client);
  }

  /** Schedules removal of expired entries, which frees memory even without further requests. */
  #scheduleExpiry(): void {
    if (this.#isExpiryScheduled) return;
    this.#isExpiryScheduled = true;
    setTimeout(() => {
      this.#isExpiryScheduled = false;
      this.#removeExpired();
      if (this.#keys.size > 0) this.#scheduleExpiry();
    }, this.#limits.lifetime).unref();
  }

  #removeExpired(): void {
    const limit = performance.now() - this.#limits.lifetime;
    while ((this.#entries.oldest?.addedAt ?? Infinity) <= limit) this.#leaveOut(this.#entries);
    for (let { oldest } = this.#keys; oldest && oldest.usedAt <= limit; { oldest } = this.#keys) {
      this.forget(oldest.key);
    }
  }

  #notify(key: string): void {
    for (const { goal, settle } of this.#waiters.get(key) ?? []) {
      if (this.#isReached(goal)) settle();
    }
  }

  #isReached({ key, count, ended }: JournalGoal): boolean {
    const { leftOut = 0, entries } = this.#keys.get(key) ?? {};
    const kept = Array.from(entries?.values() ?? []);
    const counted = ended ? kept.filter(({ entry }) => entry.outcome !== null) : kept;
    return leftOut + counted.length >= count;
  }
}
