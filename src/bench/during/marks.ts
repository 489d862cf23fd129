import { randomBytes } from 'node:crypto';
import type { FieldLine } from '../../check/message.ts';
import { JOURNAL_FIELD } from '../../server/observer.ts';
import type { JournalEntry } from '../../telemetry/journal/entry.ts';

/** Requests of a journal key: with each sent twice, they fit into its default of 100 entries. */
export const BATCH = 50;

const BATCH_DIGITS = 8;
/** Field with the number of a request among those of its key. */
const NUMBER_FIELD = 'x-wirebin-bench';

const digits = (number: number, length: number): string => String(number).padStart(length, '0');

export const batchOf = (number: number): number => Math.floor(number / BATCH);

/** Fields by which the journal of the origin tells the requests of a load apart. */
export class Marks {
  readonly #prefix = `bench-${randomBytes(4).toString('hex')}-`;

  /** A key for a request before the load. */
  readonly probeKey = `${this.#prefix}probe`;

  /** The journal's key of a batch of requests. */
  keyOf(batch: number): string {
    return this.#prefix + digits(batch, BATCH_DIGITS);
  }

  /** The fields of a request, of the same length for all. @param number from 0 */
  fieldsOf(number: number, key = this.keyOf(batchOf(number))): readonly FieldLine[] {
    return [
      [JOURNAL_FIELD, key],
      [NUMBER_FIELD, digits(number % BATCH, 2)],
    ];
  }
}

/** The number of an entry's request among those of its key; undefined if something has removed it. */
export function numberIn({ raw_headers: fields }: Pick<JournalEntry, 'raw_headers'>) {
  const value = fields.find(([name]) => name.toLowerCase() === NUMBER_FIELD)?.[1];
  return value !== undefined && /^\d\d$/.test(value) ? Number(value) : undefined;
}
