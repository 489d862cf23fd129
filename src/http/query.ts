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
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  return spaced.includes('%') ? decodeEscapes(spaced, encoding) : spaced;
}

/** Percent-decodes text. Malformed escapes are kept. */
export function decodeEscapes(text: string, encoding: 'utf8' | 'latin1' = 'utf8'): string {
  return text.replace(/(?:%[0-9A-Fa-f]{2})+/g, (escapes) => {
    const first = escapedByte(escapes, 0);
    // Fast path for a single ASCII character, which is the same in both encodings.
    if (escapes.length === 3 && first < 0x80) return String.fromCharCode(first);
    const bytes = Buffer.allocUnsafe(escapes.length / 3);
    for (let at = 0; at < bytes.length; at++) bytes[at] = escapedByte(escapes, 3 * at);
    return bytes.toString(encoding);
  });
}

/** The byte of an escape such as `%2F`. */
function escapedByte(text: string, at: number): number {
  return 16 * hexDigit(text.charCodeAt(at + 1)) + hexDigit(text.charCodeAt(at + 2));
}

/** The value of a hexadecimal digit. In ASCII, letters follow 0x40 or 0x60, digits 0x30. */
function hexDigit(code: number): number {
  return (code & 0xf) + (code >= 0x40 ? 9 : 0);
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
