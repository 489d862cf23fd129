import { isUtf8 } from 'node:buffer';

/**
 * Field lines as the wire had them: name, value, name, value… in order, with case and repetition.
 * Both protocols of Node hand them over in this shape.
 */
export type FieldLines = readonly string[];

/** The lines' name and value pairs, in order. */
export function* fieldPairs(lines: FieldLines): Generator<readonly [string, string]> {
  for (let at = 0; at < lines.length; at += 2) yield [lines[at] ?? '', lines[at + 1] ?? ''];
}

/**
 * How many lines a field has.
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
 * A field's value, its lines joined as RFC 9110 5.2 has it; undefined without any.
 *
 * @param name in lower case
 */
export function fieldValue(lines: FieldLines, name: string): string | undefined {
  let joined: string | undefined;
  for (let at = 0; at < lines.length; at += 2) {
    const line = lines[at];
    if (line?.length !== name.length || line.toLowerCase() !== name) continue;
    const value = lines[at + 1] ?? '';
    joined = joined === undefined ? value : joined + separator(name) + value;
  }
  return joined;
}

/**
 * Takes any names, `constructor` and `__proto__` among them. An object that `Object.create(null)`
 * makes does too, but is slower to fill, and to write as JSON.
 */
class FieldRecord {
  [name: string]: string;
}
Reflect.deleteProperty(FieldRecord.prototype, 'constructor');
Object.setPrototypeOf(FieldRecord.prototype, null);

/** Every field under its lower-case name, lines joined; pseudo-header fields are left out. */
export function combinedFields(lines: FieldLines): Record<string, string> {
  const joined = new FieldRecord();
  for (let at = 0; at < lines.length; at += 2) {
    const name = (lines[at] ?? '').toLowerCase();
    if (name.startsWith(':')) continue;
    const value = lines[at + 1] ?? '';
    const before = joined[name];
    joined[name] = before === undefined ? value : before + separator(name) + value;
  }
  return joined;
}

/** Cookie is the one field whose lines are joined by a semicolon (RFC 9113 8.2.3). */
function separator(name: string): string {
  return name === 'cookie' ? '; ' : ', ';
}

/**
 * Bytes that the fields a client asks for may have, counted by `fieldSize`: HTTP/2 in Node fails to
 * send a header section of 64 KiB.
 */
export const MAX_REQUESTED_FIELDS = 32 * 1024;

/** What a field line counts for (RFC 9113 6.5.2). */
export function fieldSize(name: string, value: string): number {
  return name.length + value.length + 32;
}

/** A token (RFC 9110 5.6.2). */
export const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Whether the text is a token (RFC 9110 5.6.2), as field names, methods and cookie names are. */
export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

// field-vchar, SP and HTAB, obs-text included; Node sends each char as one byte (RFC 9110 5.5).
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Whether the text can be sent as a field value: no control characters, one byte a character. */
export function isFieldValue(text: string): boolean {
  return FIELD_VALUE.test(text);
}

/** The text without OWS around it (RFC 9110 5.6.3), and nothing else: other white space counts. */
export function trimOws(text: string): string {
  // Without looking back the end would be tried from every place in a long run of spaces.
  return text.replace(/^[ \t]+/, '').replace(/(?<![ \t])[ \t]+$/, '');
}

/** Text as the bytes of its UTF-8, one a character, as a field value has them (RFC 9110 5.5). */
export function encodeFieldText(text: string): string {
  return isAscii(text) ? text : Buffer.from(text).toString('latin1');
}

/** A value as the text that its bytes are in UTF-8; one that is none stays, a byte a character. */
export function decodeFieldText(value: string): string {
  if (isAscii(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
}

/** Whether the text is of US-ASCII alone. */
export function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text);
}
