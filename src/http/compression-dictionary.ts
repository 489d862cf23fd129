import { fieldValue, type FieldLines } from './fields.ts';
import {
  parseItem,
  serializeDictionary,
  type BareItem,
  type Item,
  type Member,
} from './structured-fields.ts';

/** A response as a compression dictionary (RFC 9842 2.1). */
export interface DictionaryUse {
  /** Pattern of the URLs whose responses may use it, relative to its own URL. */
  readonly match: string;
  /** Request destinations for which it may be used; empty for any. */
  readonly matchDestinations: readonly string[];
  /** At most 1,024 characters. */
  readonly id: string;
}

/** The value of Use-As-Dictionary. @throws RangeError if a text has other characters than visible ASCII and spaces */
export function useAsDictionary({ match, matchDestinations, id }: DictionaryUse): string {
  const members = new Map<string, Member>([['match', itemOf(match)]]);
  if (matchDestinations.length > 0) {
    members.set('match-dest', { items: matchDestinations.map(itemOf), parameters: NONE });
  }
  members.set('id', itemOf(id));
  return serializeDictionary(members);
}

const NONE = new Map<string, BareItem>();

function itemOf(value: string): Item {
  return { value: { type: 'string', value }, parameters: NONE };
}

/**
 * Whether the client has a dictionary: Available-Dictionary is its hash (RFC 9842 2.2), and Dictionary-ID, if there is one,
 * its id (2.3). False if one of them is malformed.
 *
 * @param hash SHA-256 of the dictionary
 */
export function hasDictionary(fields: FieldLines, hash: Buffer, id: string): boolean {
  const available = itemValue(fields, 'available-dictionary');
  if (available?.type !== 'bytes' || !hash.equals(available.value)) return false;
  if (fieldValue(fields, 'dictionary-id') === undefined) return true;
  const given = itemValue(fields, 'dictionary-id');
  return given?.type === 'string' && given.value === id;
}

function itemValue(fields: FieldLines, name: string): BareItem | undefined {
  return parseItem(fieldValue(fields, name) ?? '')?.value;
}
