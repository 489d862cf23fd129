import { parseHttpDate } from './date.ts';
import { fieldValue, type FieldLines } from './fields.ts';
import { Problem } from './problem.ts';

/** Validators of a representation (RFC 9110 8.8). */
export interface Validators {
  /** An entity tag, including quotes and, if it is weak, `W/`. */
  readonly etag: string;
  /** An HTTP-date, old enough to be a strong validator (RFC 9110 8.8.2.2). */
  readonly lastModified?: string;
}

/** The result of evaluating preconditions: perform the method, or respond with 304 or 412. */
export type PreconditionResult = 'perform' | 'not-modified' | 'failed';

/** Methods whose response may be 304: GET and HEAD (RFC 9110 15.4.5), and QUERY (RFC 10008 2.6). */
const RETRIEVALS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'QUERY']);

/**
 * Evaluates the preconditions of a request, except If-Range, in the order of RFC 9110 13.2.2.
 *
 * @param validators of the current representation
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
  const isRetrieval = RETRIEVALS.has(method);
  const noneMatch = fieldValue(fields, 'if-none-match');
  if (noneMatch !== undefined) {
    if (!listContains(noneMatch, validators.etag, matchesWeakly)) return 'perform';
    return isRetrieval ? 'not-modified' : 'failed';
  }
  if (!isRetrieval) return 'perform';
  const modified = isModifiedSince(fieldValue(fields, 'if-modified-since'), validators);
  return modified === false ? 'not-modified' : 'perform';
}

/**
 * The problem of a failed precondition.
 *
 * @param etag of the selected representation
 * @param fields of a response with this representation
 */
export function preconditionFailed(etag: string, fields: FieldLines = []): Problem {
  return new Problem('precondition-failed', `the current entity tag is ${etag}`, varyLines(fields));
}

/** The Vary line of a response, which also applies to a problem with its representation (RFC 9110 12.5.5). */
export function varyLines(fields: FieldLines): FieldLines {
  const vary = fieldValue(fields, 'vary');
  return vary === undefined ? [] : ['Vary', vary];
}

/** Whether Range applies (RFC 9110 13.1.5): If-Range is absent, or its condition is true. */
export function ifRangeHolds(fields: FieldLines, { etag, lastModified }: Validators): boolean {
  const value = fieldValue(fields, 'if-range');
  if (value === undefined) return true;
  if (value.endsWith('"')) return matchesStrongly(value, etag);
  const time = parseHttpDate(value);
  return time !== undefined && lastModified !== undefined && time === parseHttpDate(lastModified);
}

/**
 * Whether the representation was modified since a date; undefined if the field is absent or ignored (RFC 9110 13.1.3,
 * 13.1.4), because it is no HTTP-date, or the modification date is not known.
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

/** Whether a field value matches an entity tag. `*` matches any, a malformed list none. */
function listContains(value: string, etag: string, matches: Comparison): boolean {
  return value === '*' || parseEntityTags(value).some((tag) => matches(tag, etag));
}

const ENTITY_TAG = String.raw`(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"`;
// White space is matched only before a comma or tag: matching it after them, too, would take quadratic time.
const ENTITY_TAGS = new RegExp(`^(?:${ENTITY_TAG})?(?:[ \\t]*,(?:[ \\t]*${ENTITY_TAG})?)*[ \\t]*$`);
const EACH_TAG = new RegExp(ENTITY_TAG, 'g');

/** Parses a list of entity tags (RFC 9110 5.6.1, 8.8.3); empty if malformed. */
export function parseEntityTags(value: string): string[] {
  return ENTITY_TAGS.test(value) ? [...(value.match(EACH_TAG) ?? [])] : [];
}

/** Strong comparison of entity tags (RFC 9110 8.8.3.2): both are strong and equal. */
export function matchesStrongly(one: string, other: string): boolean {
  return one === other && !one.startsWith('W/');
}

/** Weak comparison of entity tags (RFC 9110 8.8.3.2): equal, whether weak or not. */
export function matchesWeakly(one: string, other: string): boolean {
  return one.replace(/^W\//, '') === other.replace(/^W\//, '');
}
