/** How a line ends: RFC 9112 2.2 wants CRLF. `none` is a line of which the end has not arrived. */
export type LineEnd = 'crlf' | 'lf' | 'none';

/** What RFC 9112 5 does not allow in a field line, or no longer. */
export type FieldNote =
  | 'bare-cr'
  | 'invalid-name'
  | 'invalid-value'
  | 'leading-space'
  | 'no-colon'
  | 'obs-fold'
  | 'space-before-colon';

/** A field line as sent, in latin1. Offsets are in bytes from the first byte of the message. */
export interface RawField {
  readonly offset: number;
  readonly name: string;
  /** Without the white space around it. Where it is folded, the line ends are part of it. */
  readonly value: string;
  /** Of the last line, if the field is folded. */
  readonly end: LineEnd;
  readonly notes: readonly FieldNote[];
  /** The first byte that RFC 9110 5.1 and 5.5 do not allow in a name or value. */
  readonly invalidAt: number | undefined;
}

/** A header or trailer section. */
export interface Section {
  readonly fields: readonly RawField[];
  /** Of the empty line after the fields. */
  readonly end: LineEnd;
}

/** One line: where it begins and ends without its line end, and where the next one begins. */
export interface Line {
  readonly start: number;
  readonly stop: number;
  readonly next: number;
  readonly end: LineEnd;
}

/** The line at an offset. Only LF ends a line; other CRs are part of it. */
export function lineAt(text: string, start: number): Line {
  const lf = text.indexOf('\n', start);
  if (lf === -1) return { start, stop: text.length, next: text.length, end: 'none' };
  return lf > start && text.charCodeAt(lf - 1) === 0x0d
    ? { start, stop: lf - 1, next: lf + 1, end: 'crlf' }
    : { start, stop: lf, next: lf + 1, end: 'lf' };
}

/**
 * Parses the fields of a section, whatever they look like.
 *
 * @param text latin1; may be incomplete
 * @param start offset in the text of the first field line
 * @param offset offset in the message of the first character of the text
 */
export function parseSection(text: string, start: number, offset: number): Section {
  const fields: RawField[] = [];
  let at = start;
  while (at < text.length) {
    const first = lineAt(text, at);
    if (first.stop === first.start && first.end !== 'none') return { fields, end: first.end };
    const last = lastFold(text, first);
    fields.push(fieldOf(text, first, last, offset));
    at = last.next;
  }
  return { fields, end: 'none' };
}

/** The last line of a field: lines that begin with white space continue it (RFC 9112 5.2). */
function lastFold(text: string, first: Line): Line {
  let last = first;
  while (last.end !== 'none' && isOws(text.charCodeAt(last.next))) last = lineAt(text, last.next);
  return last;
}

/** RFC 9110 5.6.3. */
export function isOws(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

// A token (RFC 9110 5.6.2), and field-vchar with obs-text, SP and HTAB (RFC 9110 5.5).
const NOT_NAME = /[^!#$%&'*+.^_`|~0-9A-Za-z-]/;
const NOT_VALUE = /[^\t\x20-\x7e\x80-\xff]/;
const NOT_FOLDED = /(?!\r?\n[ \t])[^\t\x20-\x7e\x80-\xff\n]/;

function fieldOf(text: string, first: Line, last: Line, offset: number): RawField {
  const line = text.slice(first.start, last.stop);
  const notes: FieldNote[] = [];
  const isFolded = last !== first;
  const colon = line.indexOf(':');
  if (colon === -1) notes.push('no-colon');
  if (isOws(line.charCodeAt(0))) notes.push('leading-space');
  const name = line.slice(0, trimmedEnd(line, 0, colon === -1 ? line.length : colon));
  if (name.length < colon) notes.push('space-before-colon');
  const valueStart = colon === -1 ? line.length : trimmedStart(line, colon + 1, line.length);
  const value = line.slice(valueStart, trimmedEnd(line, valueStart, line.length));
  const badName = name === '' ? 0 : name.search(NOT_NAME);
  const badValue = value.search(isFolded ? NOT_FOLDED : NOT_VALUE);
  if (badName !== -1) notes.push('invalid-name');
  if (badValue !== -1) notes.push('invalid-value');
  if (isFolded) notes.push('obs-fold');
  if (/\r(?!\n)/.test(line)) notes.push('bare-cr');
  const start = offset + first.start;
  return {
    offset: start,
    name,
    value,
    end: last.end,
    notes,
    invalidAt: invalidAt(start, badName, badValue === -1 ? -1 : valueStart + badValue),
  };
}

function invalidAt(start: number, name: number, value: number): number | undefined {
  if (name !== -1) return start + name;
  return value === -1 ? undefined : start + value;
}

/** Where white space at the start ends. */
export function trimmedStart(line: string, start: number, end: number): number {
  let first = start;
  while (first < end && isOws(line.charCodeAt(first))) first++;
  return first;
}

/** Where white space at the end begins. A loop: a regular expression would be quadratic. */
export function trimmedEnd(line: string, start: number, end: number): number {
  let stop = end;
  while (stop > start && isOws(line.charCodeAt(stop - 1))) stop--;
  return stop;
}
