import { KEY_BOUNDS } from '../../http/message-signatures/verification-key.ts';

/**
 * Bounds of an explanation, since clients choose what is explained. The JSON form of a value has some twenty characters
 * for each of its values.
 */
export const EXPLAIN_BOUNDS = {
  /** Maximum characters of all values that are explained. */
  characters: 16 * 1024,
  /** Maximum commas, semicolons and spaces of one, which separate its members, items and parameters. */
  separators: 512,
  /** Maximum number of signatures that are verified. */
  signatures: 8,
  /** Maximum number of components that a signature covers. */
  components: 64,
  /** Maximum characters of all signature bases. */
  bases: 64 * 1024,
  /** Of a key in the query. */
  key: KEY_BOUNDS,
} as const;
