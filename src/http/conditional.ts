import { parseHttpDate } from './date.ts';
import { fieldValue, type FieldLines } from './fields.ts';

/** What a representation is told from its other versions by (RFC 9110 8.8). */
export interface Validators {
  /** An entity tag, with its quotes and, where it is weak, its `W/`. */
  readonly etag: string;
  /** An HTTP-date, long enough ago to be a strong validator (RFC 9110 8.8.2.2). */
  readonly lastModified?: string;
}

/** What a request's preconditions ask for: the method done, or answered with 304 or 412. */
export type PreconditionResult = 'perform' | 'not-modified' | 'failed';

/**
 * Evaluates a request's preconditions in the order of RFC 9110 13.2.2, but for If-Range.
 *
 * @param validators those of the representation that exists now
 */
export function evaluatePreconditions(
  method: string,
  fields: FieldLines,
  validators: Validators,
): PreconditionResult {
  const match = fieldValue(fields, 'if-match');
  if (match !== undefined) {
    if (!listContains(match, validators.etag, matchesStrongly)) return 'failed';
  } else if (isModifiedSince(fieldValue(fields, 'if-unmodified-since'), validators) === true) {
    return 'failed';
  }
  const safe = method === 'GET' || method === 'HEAD';
  const noneMatch = fieldValue(fields, 'if-none-match');
  if (noneMatch !== undefined) {
    if (!listContains(noneMatch, validators.etag, matchesWeakly)) return 'perform';
    return safe ? 'not-modified' : 'failed';
  }
  if (!safe) return 'perform';
  const modified = isModifiedSince(fieldValue(fields, 'if-modified-since'), validators);
  return modified === false ? 'not-modified' : 'perform';
}

/** Whether a Range may be applied (RFC 9110 13.1.5): there is no If-Range, or it holds. */
export function ifRangeHolds(fields: FieldLines, { etag, lastModified }: Validators): boolean {
  const value = fieldValue(fields, 'if-range');
  if (value === undefined) return true;
  if (value.endsWith('"')) return matchesStrongly(value, etag);
  const time = parseHttpDate(value);
  return time !== undefined && lastModified !== undefined && time === parseHttpDate(lastModified);
}

/**
 * undefined without a field, and where it is ignored (RFC 9110 13.1.3, 13.1.4): it is no HTTP-date,
 * or nobody knows when the representation was modified.
 */
function isModifiedSince(
  value: string | undefined,
  { lastModified }: Validators,
): boolean | undefined {
  const since = value === undefined ? undefined : parseHttpDate(value);
  if (since === undefined || lastModified === undefined) return undefined;
  return (parseHttpDate(lastModified) ?? 0) > since;
}

type Comparison = (one: string, other: string) => boolean;

/** Whether a field's list has the entity tag; `*` has any, a malformed list none. */
function listContains(value: string, etag: string, matches: Comparison): boolean {
  return value === '*' || parseEntityTags(value).some((tag) => matches(tag, etag));
}

const ENTITY_TAG = String.raw`(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"`;
// White space has one place before each comma and each tag: with two it would take quadratic time.
const ENTITY_TAGS = new RegExp(`^(?:${ENTITY_TAG})?(?:[ \\t]*,(?:[ \\t]*${ENTITY_TAG})?)*[ \\t]*$`);
const EACH_TAG = new RegExp(ENTITY_TAG, 'g');

/** The entity tags of a list (RFC 9110 5.6.1, 8.8.3), none where it is malformed. */
export function parseEntityTags(value: string): string[] {
  return ENTITY_TAGS.test(value) ? [...(value.match(EACH_TAG) ?? [])] : [];
}

/** RFC 9110 8.8.3.2: both strong, and equal. */
export function matchesStrongly(one: string, other: string): boolean {
  return one === other && !one.startsWith('W/');
}

/** RFC 9110 8.8.3.2: equal, weak or not. */
export function matchesWeakly(one: string, other: string): boolean {
  return one.replace(/^W\//, '') === other.replace(/^W\//, '');
}
