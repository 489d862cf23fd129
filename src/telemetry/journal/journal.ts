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
  /** Whether requests are recorded; attempts are counted anyway. */
  readonly keepsEntries: boolean;
  /** Resolves once all messages that were rejected so far are reported. Undefined in workers: the primary asks all. */
  readonly settleRejections?: (() => Promise<void>) | undefined;
}

/** Bytes of entries that wait to be written; as many leave out further ones. */
const MAX_UNWRITTEN = 512 * 1024;
/** Bytes of entries in a batch: another process, in which all connections arrive, takes a millisecond for it. */
const MAX_BATCH = 64 * 1024;
/** Keys whose entries left out are counted, per batch. */
const MAX_COUNTED_KEYS = 1000;
/** Waits of all clients. One that has at least two more than another gives way. */
const MAX_WAITS = 64;
/** Milliseconds after which a wait checks whether the client has disconnected. */
const WAIT_STEP = 1000;

/** A reader that waits. */
interface Wait {
  readonly id: string;
  readonly client: string;
  /** Whether it is over because another client waits as well. */
  isDisplaced: boolean;
}

function tooManyWaits(): Problem {
  return new Problem('too-many-readers', `/journal already has ${MAX_WAITS} waiting readers`);
}

/** Observes the requests that ask to be journalled and rejected messages, and reports each change to the storage. */
export class Journal implements ExchangeObserver {
  readonly #storage: JournalStorage;
  readonly #options: JournalOptions;
  /** Makes ids unique across processes. */
  readonly #idPrefix: string;
  #lastId = 0;
  readonly #open = new Map<Request, OpenEntry[]>();
  /** Observes those that are journalled. */
  readonly #requests: RequestObserver = {
    responded: (request, status) => {
      for (const entry of this.#open.get(request) ?? []) entry.responded(request, status);
    },
    finished: (request, isComplete) => {
      for (const entry of this.#open.get(request) ?? []) entry.finished(request, isComplete);
    },
  };
  readonly #changed = new Set<OpenEntry | RejectedEntry>();
  /** Bytes of them. */
  #unwritten = 0;
  readonly #leftOut = new Map<string, { client: string; count: number }>();
  /** Whether the storage takes time to write a batch. */
  #isWriting = false;
  #isScheduled = false;
  readonly #waits = new ClientShares<Wait>();
  #waitCount = 0;
  #lastWait = 0;
  /** Number of times that all waits have been ended. */
  #ends = 0;

  /** @param idPrefix of the ids of entries: unique among the processes that share the storage */
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
    this.#report(new RejectedEntry(this.#newId(), connection, error, message, this.#options));
  }

  /** Counts an attempt, and journals it. @returns its number, from 1 */
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

  /** Parameters as in `JournalStorage`. */
  async read(key: string, after: number, limit: number): Promise<JournalView> {
    // HTTP/2 learns only from its client that a stream was refused.
    if (key === REJECTED_KEY) await this.#options.settleRejections?.();
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
   * @param client who waits: see `clientNetwork`
   * @throws Problem too-many-readers, at once or within a second, AbortError when `signal` aborts
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

  /** Ends all waits so far, within a second. */
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
    this.#report(entry);
  }

  #report(entry: OpenEntry | RejectedEntry): void {
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
