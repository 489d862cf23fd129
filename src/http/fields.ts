import { isUtf8 } from 'node:buffer';

/**
 * Field lines as received: name, value, name, value… in order and case, with repetitions. Same form as Node's
 * `rawHeaders`.
 */
export type FieldLines = readonly string[];

/** Pairs of name and value, in order. */
export function* fieldPairs(lines: FieldLines): Generator<readonly [string, string]> {
  for (let at = 0; at < lines.length; at += 2) yield [lines[at] ?? '', lines[at + 1] ?? ''];
}

/**
 * Number of field lines with this name.
 *
 * @param name in lower case
 */
export function fieldCount(lines: FieldLines, name: string): number {
  let count = 0;
  for (let at = 0; at < lines.length; at += 2) {
    const line = lines[at];
    if (line?.length === name.length && line.toLowerCase() === name) count++;
  }
  return count;
}

/**
 * The combined value of a field (RFC 9110 5.2); undefined if it is absent.
 *
 * @param name in lower case
 */
export function fieldValue(lines: FieldLines, name: string): string | undefined {
  let joined: string | undefined;
  for (let at = 0; at < lines.length; at += 2) {
    const line = lines[at];
    if (line?.length !== name.length || line.toLowerCase() !== name) continue;
    const value = lines[at + 1] ?? '';
    joined = joined === undefined ? value : joined + fieldSeparator(name) + value;
  }
  return joined;
}

/**
 * An object without prototype that accepts any name, including `constructor` and `__proto__`. It is filled and
 * serialized faster than `Object.create(null)`.
 */
class FieldRecord {
  [name: string]: string;
}
Reflect.deleteProperty(FieldRecord.prototype, 'constructor');
Object.setPrototypeOf(FieldRecord.prototype, null);

/**
 * Combined field values by lower-case name, without pseudo-header fields.
 *
 * @param comma between lines of other fields than Cookie
 */
export function combinedFields(lines: FieldLines, comma = ', '): Record<string, string> {
  const joined = new FieldRecord();
  for (let at = 0; at < lines.length; at += 2) {
    const name = (lines[at] ?? '').toLowerCase();
    if (name.startsWith(':')) continue;
    const value = lines[at + 1] ?? '';
    const before = joined[name];
    joined[name] = before === undefined ? value : before + fieldSeparator(name, comma) + value;
  }
  return joined;
}

/** Separator of combined lines: a semicolon for Cookie (RFC 9113 8.2.3), otherwise a comma. */
function fieldSeparator(name: string, comma = ', '): string {
  return name === 'cookie' ? '; ' : comma;
}

/**
 * Maximum bytes of response fields that a client can request, counted by `fieldSize`: Node's HTTP/2 fails to send a
 * header section of 64 KiB.
 */
export const MAX_REQUESTED_FIELDS = 32 * 1024;

/** The size of a field line in bytes (RFC 9113 6.5.2). */
export function fieldSize(name: string, value: string): number {
  return name.length + value.length + 32;
}

/** The size of field lines in bytes (RFC 9113 6.5.2). Names and values alternate. */
export function sectionSize(fields: readonly string[]): number {
  let size = 16 * fields.length;
  for (const text of fields) size += text.length;
  return size;
}

/** Encodes text as UTF-8 with one character per byte, for a field value (RFC 9110 5.5). */
export function encodeFieldText(text: string): string {
  return isAscii(text) ? text : Buffer.from(text).toString('latin1');
}

/** Decodes a field value as UTF-8. It is unchanged if it is not valid UTF-8. */
export function decodeFieldText(value: string): string {
  if (isAscii(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
}

export function isAscii(text: string): boolean {
  // A search for what is not allowed does not go back over 2 MiB that it has matched.
  return !/[^\0-\x7f]/.test(text);
}

/** Number of characters, which are bytes, of all names and values. */
export function textLength(fields: FieldLines): number {
  let length = 0;
  for (const text of fields) length += text.length;
  return length;
}
