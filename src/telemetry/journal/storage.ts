import { BOOLEAN, COUNT, shape, TEXT, type Infer } from '../../server/schema.ts';
import type { JournalBatch, JournalView } from './entry.ts';

/** What a reader of a key waits for. */
export const goalSchema = shape({
  key: TEXT,
  // Number of entries, including those that were left out.
  count: COUNT,
  // Whether only entries with an outcome count.
  ended: BOOLEAN,
});

export type JournalGoal = Infer<typeof goalSchema>;

/** Where entries are kept: in this process or, with workers, in the primary. */
export interface JournalStorage {
  /** @returns a promise for when the next batch can be written; undefined if at once */
  write(batch: JournalBatch): Promise<void> | undefined;
  /**
   * Counts an attempt of /retry.
   *
   * @param client network to which a new key is counted: see `clientNetwork`
   * @returns its number, from 1
   */
  nextAttempt(key: string, client: string): Promise<number> | number;
  /**
   * Reads a key, with all entries that any process has at the time of the call.
   *
   * @param after number of entries to skip, including those that were left out
   * @param limit maximum number of entries; fewer are returned if they are large
   */
  read(key: string, after: number, limit: number): Promise<JournalView> | JournalView;
  /** Forgets a key. Entries that begin after the call are kept. */
  forget(key: string): Promise<void> | void;
  /**
   * Waits until the goal is reached or the timeout expires.
   *
   * @param timeout in milliseconds
   * @returns whether the goal is reached
   */
  wait(goal: JournalGoal, timeout: number): Promise<boolean>;
}
