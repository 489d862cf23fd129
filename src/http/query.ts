import { Problem } from './problem.ts';

/** Decoded names and values of a query, in order. */
export type QueryPairs = readonly (readonly [name: string, value: string])[];

/**
 * Percent-decodes a path segment or part of a query (RFC 3986 2.1).
 *
 * @param encoding latin1 decodes each escaped byte to one character
 * @returns undefined if an escape is malformed; invalid UTF-8 becomes U+FFFD
 */
export function percentDecode(
  text: string,
  encoding: 'utf8' | 'latin1' = 'utf8',
): string | undefined {
  if (!text.includes('%')) return text;
  return /%(?![0-9A-Fa-f]{2})/.test(text) ? undefined : decodeEscapes(text, encoding);
}

/**
 * Parses a query as application/x-www-form-urlencoded (`+` is a space). Never fails: malformed escapes are kept, like
 * in browsers and httpbin.
 *
 * @param encoding latin1 decodes each escaped byte to one character
 */
export function parseQuery(query: string, encoding: 'utf8' | 'latin1' = 'utf8'): QueryPairs {
  if (query === '') return [];
  const pairs: [string, string][] = [];
  for (const part of query.split('&')) {
    if (part === '') continue;
    const mark = part.indexOf('=');
    const name = mark < 0 ? part : part.slice(0, mark);
    const value = mark < 0 ? '' : part.slice(mark + 1);
    pairs.push([formDecode(name, encoding), formDecode(value, encoding)]);
  }
  return pairs;
}

function formDecode(text: string, encoding: 'utf8' | 'latin1'): string {
  const hasSpaces = text.includes('+');
  return hasSpaces || text.includes('%') ? decodeEscapes(text, encoding, hasSpaces) : text;
}

const [PERCENT, PLUS, SPACE] = [0x25, 0x2b, 0x20];

/**
 * Percent-decodes text, in one pass, since a client chooses how many escapes it has. Malformed ones are kept.
 *
 * @param hasSpaces whether `+` is a space
 */
export function decodeEscapes(
  text: string,
  encoding: 'utf8' | 'latin1' = 'utf8',
  hasSpaces = false,
): string {
  const first = text.indexOf('%');
  // Fast path for a single ASCII character, which is the same in both encodings.
  if (!hasSpaces && first === text.lastIndexOf('%')) {
    if (first < 0) return text;
    const byte = escapedByte(text.charCodeAt(first + 1), text.charCodeAt(first + 2));
    if (byte < 0x80) {
      return byte < 0
        ? text
        : text.slice(0, first) + String.fromCharCode(byte) + text.slice(first + 3);
    }
  }
  const bytes = Buffer.from(text);
  return bytes.toString('utf8', 0, decodeInPlace(bytes, encoding, hasSpaces));
}

/** Decodes escapes in UTF-8 text, which only becomes shorter. @returns its new length */
function decodeInPlace(bytes: Buffer, encoding: 'utf8' | 'latin1', hasSpaces: boolean): number {
  let end = 0;
  for (let at = 0; at < bytes.length; at++) {
    let byte = bytes[at] ?? 0;
    if (byte === PERCENT) {
      const escaped = escapedByte(bytes[at + 1], bytes[at + 2]);
      if (escaped >= 0) {
        at += 2;
        byte = escaped;
        if (escaped >= 0x80 && encoding === 'latin1') {
          bytes[end++] = 0xc0 | (escaped >> 6);
          byte = 0x80 | (escaped & 0x3f);
        }
      }
    } else if (byte === PLUS && hasSpaces) byte = SPACE;
    bytes[end++] = byte;
  }
  return end;
}

/** Values of hexadecimal digits by ASCII code; -1 for other characters. */
const DIGITS = Int8Array.from({ length: 128 }, (_, code) => {
  const digit = Number.parseInt(String.fromCharCode(code), 16);
  return Number.isNaN(digit) ? -1 : digit;
});

/** The byte of an escape; negative if one of these is no hexadecimal digit. */
function escapedByte(high = 0, low = 0): number {
  return ((DIGITS[high] ?? -1) << 4) | (DIGITS[low] ?? -1);
}

/** Values by name; an array for a repeated name. */
export function groupByName(pairs: QueryPairs): Record<string, string | string[]> {
  const groups: Record<string, string | string[]> = Object.create(null);
  for (const [name, value] of pairs) {
    const before = groups[name];
    if (before === undefined) groups[name] = value;
    else if (typeof before === 'string') groups[name] = [before, value];
    else before.push(value);
  }
  return groups;
}

/**
 * The value of a parameter that must not be repeated; undefined without one.
 *
 * @throws Problem invalid-parameter if it is repeated
 */
export function singleValue(pairs: QueryPairs, name: string): string | undefined {
  let found: string | undefined;
  for (const [key, value] of pairs) {
    if (key !== name) continue;
    if (found !== undefined) throw givenAgain(name);
    found = value;
  }
  return found;
}

/** The problem of a repeated parameter that must not be repeated. */
export function givenAgain(name: string): Problem {
  return new Problem('invalid-parameter', `${name} is given more than once`);
}
