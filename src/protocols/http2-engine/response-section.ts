import { currentDate } from '../../http/date.ts';
import type { FieldLines } from '../../http/fields.ts';
import { isFieldValue, isToken } from '../../http/syntax.ts';
import { CONNECTION_SPECIFIC } from '../../wire/http2/field-rules.ts';
import { Indexing, indexingOf } from '../../wire/http2/hpack-encoder.ts';

/** Fields whose values never repeat. In the dynamic table they would only evict useful entries (RFC 7541 6.2.3). */
const NEVER_REPEATED = new Set(['x-request-id', 'x-response-time', 'x-conn-request']);

/** How a field of a response is sent that is not in HPACK's table. */
export function responseIndexing(name: string, value: string): Indexing {
  return NEVER_REPEATED.has(name) ? Indexing.never : indexingOf(name, value);
}

/** Fields that HTTP/2 forbids (RFC 9113 8.2.2). */
const FORBIDDEN = new Set([...CONNECTION_SPECIFIC, 'http2-settings']);

/** Maximum number of names that are known to be valid. Clients choose some. */
const MAX_NAMES = 500;
/** Valid names in lower case (RFC 9113 8.2.1), by the name as given. */
const names = new Map<string, string>();

function validName(given: string): string {
  const known = names.get(given);
  if (known !== undefined) return known;
  const name = given.toLowerCase();
  if (!isToken(name) || FORBIDDEN.has(name)) throw unsendable(name);
  if (names.size < MAX_NAMES) names.set(given, name);
  return name;
}

const unsendable = (name: string): TypeError =>
  new TypeError(`the field ${JSON.stringify(name)} cannot be sent`);

/** Appends fields. @returns whether Date is one of them @throws TypeError if a field is invalid */
function append(section: string[], fields: readonly string[]): boolean {
  let hasDate = false;
  for (let at = 0; at < fields.length; at += 2) {
    const name = validName(fields[at] ?? '');
    const value = fields[at + 1] ?? '';
    if (!isFieldValue(value)) throw unsendable(name);
    if (name === 'date') hasDate = true;
    section.push(name, value);
  }
  return hasDate;
}

/**
 * A header section: `:status` and fields (RFC 9113 8.3.2). Adds Date unless present (RFC 9110 6.6.1).
 *
 * @throws TypeError if a field is invalid
 */
export function responseSection(status: number, fields: readonly string[]): string[] {
  const section = [':status', String(status)];
  if (!append(section, fields)) section.push('date', currentDate());
  return section;
}

/** The section of an interim response (RFC 9110 15.2). @throws TypeError if a field is invalid */
export function interimSection(status: number, fields: readonly string[]): string[] {
  const section = [':status', String(status)];
  append(section, fields);
  return section;
}

/** A trailer section. @throws TypeError if a field is invalid */
export function trailerSection(fields: FieldLines): string[] {
  const section: string[] = [];
  append(section, fields);
  return section;
}
