import { Problem } from '../../http/problem.ts';
import type { Connection } from '../../net/connection.ts';
import type { RejectedMessage } from '../../net/rejected-message.ts';
import type { ExchangeObserver } from '../../server/observer.ts';
import { clientNetworkOf } from '../../server/forwarding.ts';
import type { Request, RequestObserver } from '../../server/request.ts';
import {
  JOURNAL_KEY,
  REJECTED_KEY,
  type EntryOptions,
  type JournalBatch,
  type JournalRecord,
  type JournalView,
} from './entry.ts';
import { OpenEntry } from './open-entry.ts';
import { RejectedEntry } from './rejected-entry.ts';
import { ClientShares } from './client-shares.ts';
import type { JournalGoal, JournalStorage } from './storage.ts';

export interface JournalOptions extends EntryOptions {
  /** Whether to record requests. Attempts of /retry are counted in any case. */
  readonly keepsEntries: boolean;
  /** Resolves when all messages rejected so far are reported. Undefined in workers: the primary asks all of them. */
  readonly settleRejections?: (() => Promise<void>) | undefined;
}

/** Bytes of entries that may wait to be written. Further entries are left out. */
const MAX_UNWRITTEN = 512 * 1024;
/** Bytes of entries in a batch: it takes the primary, which accepts all connections, a millisecond. */
const MAX_BATCH = 64 * 1024;
/** Keys in a batch for which entries that were left out are counted. */
const MAX_COUNTED_KEYS = 1000;
/** Maximum number of waiting readers. Beyond it, a client with at least two more than another loses one. */
const MAX_WAITS = 64;
/** Milliseconds after which a wait checks whether the client has disconnected. */
const WAIT_STEP = 1000;

/** A reader that waits for entries. */
interface Wait {
  readonly id: string;
  readonly client: string;
  /** Whether the wait was ended early, to make room for the wait of another client. */
  isDisplaced: boolean;
}

function tooManyWaits(): Problem {
  return new Problem('too-many-readers', `/journal already has ${MAX_WAITS} waiting readers`);
}

/** Observes journalled requests and rejected messages, and reports each change to the storage. */
export class Journal implements ExchangeObserver {
  readonly #storage: JournalStorage;
  readonly #options: JournalOptions;
  /** Prefix that makes entry ids unique among processes. */
  readonly #idPrefix: string;
  #lastId = 0;
  readonly #open = new Map<Request, OpenEntry[]>();
  /** Observer of requests that are journalled. */
  readonly #requests: RequestObserver = {
    responded: (request, status) => {
      for (const entry of this.#open.get(request) ?? []) entry.responded(request, status);
    },
    finished: (request, isComplete) => {
      for (const entry of this.#open.get(request) ?? []) entry.finished(request, isComplete);
    },
  };
  readonly #changed = new Set<OpenEntry | RejectedEntry>();
  /** Bytes of the entries in `#changed`. */
  #unwritten = 0;
  readonly #leftOut = new Map<string, { client: string; count: number }>();
  /** Whether a batch is being written. */
  #isWriting = false;
  #isScheduled = false;
  readonly #waits = new ClientShares<Wait>();
  #waitCount = 0;
  #lastWait = 0;
  /** Number of calls of `endWaits()`. */
  #ends = 0;

  /** @param idPrefix prefix of entry ids, unique among the processes that share the storage */
  constructor(storage: JournalStorage, idPrefix: string, options: JournalOptions) {
    this.#storage = storage;
    this.#idPrefix = idPrefix;
    this.#options = options;
  }

  journalRequested(request: Request, key: string): void {
    if (this.#options.keepsEntries && JOURNAL_KEY.test(key)) this.#record(request, key);
  }

  rejected(connection: Connection, error: Error, message?: RejectedMessage): void {
    if (!this.#options.keepsEntries) return;
    this.#scheduleWrite(
      new RejectedEntry(this.#newId(), connection, error, message, this.#options),
    );
  }

  /** Counts an attempt of /retry, and journals it. @returns its number, from 1 */
  async attempt(request: Request, key: string): Promise<number> {
    const client = clientNetworkOf(request);
    if (!this.#options.keepsEntries) return this.#storage.nextAttempt(key, client);
    const entry =
      this.#open.get(request)?.find((open) => open.key === key) ?? this.#record(request, key);
    const attempt = await this.#storage.nextAttempt(key, client);
    entry.attempt = attempt;
    this.#onChange(request, entry);
    return attempt;
  }

  /** Waits until a key has all that was rejected: each HTTP/2 client has to acknowledge a PING first. */
  async settle(key: string): Promise<void> {
    if (key === REJECTED_KEY) await this.#options.settleRejections?.();
  }

  /** Parameters as in `JournalStorage`. */
  async read(key: string, after: number, limit: number): Promise<JournalView> {
    this.flush();
    return this.#storage.read(key, after, limit);
  }

  async forget(key: string): Promise<void> {
    this.flush();
    await this.#storage.forget(key);
  }

  /**
   * Waits until the goal is reached, the timeout expires or the service is stopping.
   *
   * @param timeout in milliseconds
   * @param client network of the reader: see `clientNetwork`
   * @throws Problem too-many-readers, at once or within a second; AbortError when `signal` aborts
   */
  async wait(
    goal: JournalGoal,
    timeout: number,
    client: string,
    signal: AbortSignal,
  ): Promise<void> {
    const wait = this.#beginWait(client);
    try {
      this.flush();
      const ends = this.#ends;
      const deadline = performance.now() + timeout;
      for (
        let left = timeout;
        left > 0 && this.#ends === ends;
        left = deadline - performance.now()
      ) {
        if (wait.isDisplaced) throw tooManyWaits();
        if (await this.#storage.wait(goal, Math.min(left, WAIT_STEP))) return;
        signal.throwIfAborted();
      }
    } finally {
      this.#endWait(wait);
    }
  }

  /** @throws Problem too-many-readers */
  #beginWait(client: string): Wait {
    if (this.#waitCount >= MAX_WAITS) {
      const { largest } = this.#waits;
      const oldest = largest?.oldest;
      if (!oldest || largest.size <= this.#waits.count(client) + 1) throw tooManyWaits();
      this.#endWait(oldest);
      oldest.isDisplaced = true;
    }
    const wait = { id: String(++this.#lastWait), client, isDisplaced: false };
    this.#waits.set(client, wait.id, wait);
    this.#waitCount++;
    return wait;
  }

  #endWait(wait: Wait): void {
    if (wait.isDisplaced) return;
    this.#waits.delete(wait.client, wait.id);
    this.#waitCount--;
  }

  /** Writes all changes now. */
  flush(): void {
    while (this.#hasChanges) void this.#storage.write(this.#takeBatch());
  }

  /** Ends all current waits, within a second. */
  endWaits(): void {
    this.#ends++;
  }

  #record(request: Request, key: string): OpenEntry {
    const entry = new OpenEntry(key, this.#newId(), request, this.#options, (changed) =>
      this.#onChange(request, changed),
    );
    this.#open.set(request, [...(this.#open.get(request) ?? []), entry]);
    request.observer = this.#requests;
    this.#onChange(request, entry);
    return entry;
  }

  #newId(): string {
    return `${this.#idPrefix}-${++this.#lastId}`;
  }

  #onChange(request: Request, entry: OpenEntry): void {
    if (entry.isOver) this.#open.delete(request);
    this.#scheduleWrite(entry);
  }

  #scheduleWrite(entry: OpenEntry | RejectedEntry): void {
    if (entry.isLeftOut) return;
    if (this.#isFull && !this.#isWriting) this.flush();
    if (!this.#changed.has(entry)) {
      if (entry.isNew && this.#isFull) this.#leaveOut(entry);
      else {
        this.#changed.add(entry);
        this.#unwritten += entry.size;
      }
    }
    if (!this.#isScheduled) setImmediate(() => void this.#writeAll());
    this.#isScheduled = true;
  }

  #leaveOut(entry: OpenEntry | RejectedEntry): void {
    const { key, client } = entry;
    entry.isLeftOut = true;
    const counted = this.#leftOut.get(key);
    if (counted) counted.count++;
    else if (this.#leftOut.size < MAX_COUNTED_KEYS) this.#leftOut.set(key, { client, count: 1 });
  }

  async #writeAll(): Promise<void> {
    while (this.#hasChanges) {
      const writing = this.#storage.write(this.#takeBatch());
      if (!writing) continue;
      this.#isWriting = true;
      await writing;
      this.#isWriting = false;
    }
    this.#isScheduled = false;
  }

  get #hasChanges(): boolean {
    return this.#changed.size > 0 || this.#leftOut.size > 0;
  }

  get #isFull(): boolean {
    return this.#unwritten >= MAX_UNWRITTEN;
  }

  #takeBatch(): JournalBatch {
    const records: JournalRecord[] = [];
    let size = 0;
    for (const entry of this.#changed) {
      if (size >= MAX_BATCH) break;
      this.#changed.delete(entry);
      size += entry.size;
      records.push(entry.toRecord());
    }
    this.#unwritten -= size;
    const leftOut = Array.from(this.#leftOut, ([key, counted]) => ({ key, ...counted }));
    this.#leftOut.clear();
    return { records, leftOut };
  }
}
