import { BOOLEAN, COUNT, shape, TEXT, type Infer } from '../../server/schema.ts';
import type { JournalBatch, JournalView } from './entry.ts';

/** When a wait for entries of a key is over. */
export const goalSchema = shape({
  key: TEXT,
  // The number of entries, including those left out.
  count: COUNT,
  // Whether only entries with an outcome count.
  ended: BOOLEAN,
});

export type JournalGoal = Infer<typeof goalSchema>;

/** Where entries are kept: in this process or, with workers, in the primary. */
export interface JournalStorage {
  /** @returns a promise that resolves when more can be written, if that takes time */
  write(batch: JournalBatch): Promise<void> | undefined;
  /**
   * Counts an attempt.
   *
   * @param client who gets the key, if it is new: see `clientNetwork`
   * @returns its number, from 1
   */
  nextAttempt(key: string, client: string): Promise<number> | number;
  /**
   * What is kept of a key, including what every process knows of it at the time of the call.
   *
   * @param after number of entries to skip, those left out included
   * @param limit maximum number of entries; there are fewer if they are large
   */
  read(key: string, after: number, limit: number): Promise<JournalView> | JournalView;
  /** Forgets all of a key, except entries that begin after the call. */
  forget(key: string): Promise<void> | void;
  /**
   * Waits until the goal is reached or the timeout expires.
   *
   * @param timeout in milliseconds
   * @returns whether the goal is reached
   */
  wait(goal: JournalGoal, timeout: number): Promise<boolean>;
}
