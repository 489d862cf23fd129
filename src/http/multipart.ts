/** One part of multipart/form-data content (RFC 7578 4). */
export interface FormPart {
  readonly name: string;
  /** undefined if the part is no file; may be empty. */
  readonly filename: string | undefined;
  /** The part's own Content-Type, as sent. */
  readonly type: string | undefined;
  readonly content: Buffer;
}

// bchars, not ending in a space (RFC 2046 5.1.1). The limited length keeps every search linear.
const BOUNDARY = /^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/;

/** The boundary of a multipart Content-Type; undefined if it is missing or invalid. */
export function multipartBoundary(type: string): string | undefined {
  const boundary = valueParameters(type)?.get('boundary');
  return boundary !== undefined && BOUNDARY.test(boundary) ? boundary : undefined;
}

const LINE_BREAK = Buffer.from('\r\n');

/** Maximum parts of a form, which take up to 8 µs each, with what is made of them: 10,000 files took 80 ms. */
const MAX_PARTS = 5000;

/** Maximum parameters of a value: 300,000, which a form has room for, would take 45 ms. */
const MAX_PARAMETERS = 10;

/** Maximum field lines of a part: the 500,000 that a form has room for took 100 ms. */
const MAX_PART_FIELDS = 20;

/** Maximum bytes of the fields of a part: 2 MiB of parameters would block the event loop for 140 ms. */
const MAX_PART_HEAD = 16 * 1024;

/**
 * Parses multipart/form-data (RFC 7578, RFC 2046 5.1) in linear time.
 *
 * @param boundary 1 to 70 characters
 * @returns undefined if malformed: no closing delimiter, or a part without name, or without an empty line after its
 * fields; also if there are too many parts, fields or parameters
 */
export function parseMultipart(content: Buffer, boundary: string): FormPart[] | undefined {
  const parts: FormPart[] = [];
  const dashBoundary = Buffer.from(`\r\n--${boundary}`, 'latin1');
  // A line break is added, because the first delimiter may have none before it. Preamble and epilogue are ignored.
  const lines = Buffer.concat([LINE_BREAK, content]);
  let delimiter = nextDelimiter(lines, dashBoundary, 0);
  while (delimiter) {
    if (delimiter.closes) return parts;
    const start = delimiter.end;
    delimiter = nextDelimiter(lines, dashBoundary, start);
    const part = delimiter && parsePart(lines.subarray(start, delimiter.start));
    if (!part || parts.length === MAX_PARTS) return undefined;
    parts.push(part);
  }
  return undefined;
}

/** A delimiter line, with the line breaks before and after it. */
interface Delimiter {
  readonly start: number;
  readonly end: number;
  readonly closes: boolean;
}

const [TAB, LF, CR, SPACE, HYPHEN] = [0x09, 0x0a, 0x0d, 0x20, 0x2d];

/** Finds the next complete delimiter line. A line that only begins like one is content. */
function nextDelimiter(lines: Buffer, mark: Buffer, from: number): Delimiter | undefined {
  for (let start = lines.indexOf(mark, from); start >= 0;) {
    let at = start + mark.length;
    const closes = lines[at] === HYPHEN && lines[at + 1] === HYPHEN;
    if (closes) at += 2;
    // Skip transport padding (RFC 2046 5.1.1).
    while (lines[at] === SPACE || lines[at] === TAB) at++;
    const ended = lines[at] === CR && lines[at + 1] === LF;
    if (ended || (closes && at === lines.length)) return { start, end: at + 2, closes };
    start = lines.indexOf(mark, at);
  }
  return undefined;
}

function parsePart(part: Buffer): FormPart | undefined {
  const end = part.indexOf('\r\n\r\n');
  if (end < 0 || end > MAX_PART_HEAD) return undefined;
  const lines = part.toString('utf8', 0, end).split('\r\n', MAX_PART_FIELDS + 1);
  if (lines.length > MAX_PART_FIELDS) return undefined;
  let disposition: string | undefined;
  let type: string | undefined;
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon < 1) return undefined;
    const name = line.slice(0, colon).trim().toLowerCase();
    if (name === 'content-disposition') disposition ??= line.slice(colon + 1).trim();
    else if (name === 'content-type') type ??= line.slice(colon + 1).trim();
  }
  if (disposition === undefined || !/^form-data[ \t]*(?:;|$)/i.test(disposition)) return undefined;
  const names = valueParameters(disposition);
  const name = names?.get('name');
  // filename* is ignored, because it must not be used here (RFC 7578 4.2).
  const filename = names?.get('filename');
  return name === undefined ? undefined : { name, filename, type, content: part.subarray(end + 4) };
}

// A `"` ends a value only before `;` or the end. Browsers escape it in values as %22, older browsers and curl as `\"`.
const PARAMETER = /[ \t]*;[ \t]*(?:([\w*-]+)=(?:"(.*?)"(?=[ \t]*(?:;|$))|([^\s;"]*))[ \t]*)?/y;

/** The parameters after the first semicolon of a value, by lower-case name; undefined if malformed or too many. */
function valueParameters(value: string): Map<string, string> | undefined {
  const found = new Map<string, string>();
  const semicolon = value.indexOf(';');
  PARAMETER.lastIndex = semicolon < 0 ? value.length : semicolon;
  for (let count = 0; PARAMETER.lastIndex < value.length; count++) {
    const match = PARAMETER.exec(value);
    if (!match || count === MAX_PARAMETERS) return undefined;
    const [, key = '', quoted, token = ''] = match;
    const name = key.toLowerCase();
    if (!found.has(name)) found.set(name, quoted === undefined ? token : unescape(quoted));
  }
  return found;
}

const [PERCENT, QUOTE, BACKSLASH] = [0x25, 0x22, 0x5c];

/** Decodes the escapes that browsers use in names, in one pass, since a client chooses how many there are. */
function unescape(quoted: string): string {
  if (!/[%\\]/.test(quoted)) return quoted;
  const bytes = Buffer.from(quoted);
  let end = 0;
  for (let at = 0; at < bytes.length; at++) {
    let byte = bytes[at] ?? 0;
    if (byte === BACKSLASH && bytes[at + 1] === QUOTE) {
      byte = QUOTE;
      at++;
    } else if (byte === PERCENT) {
      const escaped = escapedByte(bytes[at + 1], bytes[at + 2]);
      if (escaped !== undefined) {
        byte = escaped;
        at += 2;
      }
    }
    bytes[end++] = byte;
  }
  return bytes.toString('utf8', 0, end);
}

/** What `%0A`, `%0D` and `%22` stand for (HTML, multipart/form-data encoding algorithm); undefined for others. */
function escapedByte(first = 0, second = 0): number | undefined {
  if (first === 0x32 && second === 0x32) return QUOTE;
  if (first !== 0x30) return undefined;
  // In lower case.
  switch (second | 0x20) {
    case 0x61:
      return LF;
    case 0x64:
      return CR;
    default:
      return undefined;
  }
}
