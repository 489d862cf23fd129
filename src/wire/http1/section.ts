/** How a line ends: `none` if its end has not arrived. RFC 9112 2.2 requires CRLF. */
export type LineEnd = 'crlf' | 'lf' | 'none';

/** What is wrong, or deprecated, in a field line (RFC 9112 5). */
export type FieldNote =
  | 'bare-cr'
  | 'invalid-name'
  | 'invalid-value'
  | 'leading-space'
  | 'no-colon'
  | 'obs-fold'
  | 'space-before-colon';

/** A field line as sent, in Latin-1. Offsets are in bytes from the beginning of the message. */
export interface RawField {
  readonly offset: number;
  readonly name: string;
  /** Value without surrounding white space. A folded value contains its line ends. */
  readonly value: string;
  /** The line end; for a folded field, that of its last line. */
  readonly end: LineEnd;
  readonly notes: readonly FieldNote[];
  /** Offset of the first byte that RFC 9110 5.1 and 5.5 do not allow in a name or value; undefined without one. */
  readonly invalidAt: number | undefined;
}

/** A header or trailer section. */
export interface Section {
  readonly fields: readonly RawField[];
  /** Line end of the empty line after the fields. */
  readonly end: LineEnd;
}

/** Offsets of a line: `start`, `stop` before its line end, and `next`, where the next line begins. */
export interface Line {
  readonly start: number;
  readonly stop: number;
  readonly next: number;
  readonly end: LineEnd;
}

/** The line that begins at an offset. Only LF ends a line; any other CR is part of it. */
export function lineAt(text: string, start: number): Line {
  const lf = text.indexOf('\n', start);
  if (lf === -1) return { start, stop: text.length, next: text.length, end: 'none' };
  return lf > start && text.charCodeAt(lf - 1) === 0x0d
    ? { start, stop: lf - 1, next: lf + 1, end: 'crlf' }
    : { start, stop: lf, next: lf + 1, end: 'lf' };
}

/**
 * Parses the fields of a section, including malformed ones.
 *
 * @param text in Latin-1; may be incomplete
 * @param start offset of the first field line in the text
 * @param offset offset of the text in the message
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

/** Whether a character code is OWS (RFC 9110 5.6.3). */
export function isOws(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

// Characters not allowed in a field name, which is a token (RFC 9110 5.6.2).
const NOT_NAME = /[^!#$%&'*+.^_`|~0-9A-Za-z-]/;
// Characters not allowed in a field value: all but field-vchar, obs-text, SP and HTAB (RFC 9110 5.5).
const NOT_VALUE = /[^\t\x20-\x7e\x80-\xff]/;
// The same for a folded value, which contains line ends.
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

/** Offset after the leading white space. */
export function trimmedStart(line: string, start: number, end: number): number {
  let first = start;
  while (first < end && isOws(line.charCodeAt(first))) first++;
  return first;
}

/** Offset of the trailing white space. A regular expression would take quadratic time. */
export function trimmedEnd(line: string, start: number, end: number): number {
  let stop = end;
  while (stop > start && isOws(line.charCodeAt(stop - 1))) stop--;
  return stop;
}
