import { QUOTED_STRING, TOKEN } from '../../http/syntax.ts';

const DIGITS = /[0-9A-Fa-f]*/y;
const BWS = /[ \t]*/y;
const NAME = new RegExp(TOKEN, 'y');
const VALUE = new RegExp(`${TOKEN}|${QUOTED_STRING}`, 'y');
/** The beginning of a quoted string, up to the first byte that is not allowed in it. */
const OPEN_QUOTE = /"(?:[\t !#-[\]-~\x80-\xff]|\\[\t -~\x80-\xff])*\\?/y;
const CRLF = '\r\n';
const PLAIN = /^[0-9A-Fa-f]{1,8}\r\n$/;

/**
 * The offset of the first byte that is not allowed in a chunk line (RFC 9112 7.1, 7.1.1), or of the digit that makes
 * the size too large to count; undefined if there is none.
 *
 * @param text the line with its line end, as far as it has arrived
 */
export function chunkLineViolation(text: string): number | undefined {
  if (PLAIN.test(text)) return undefined;
  const digits = match(DIGITS, text, 0);
  if (digits === 0) return text === '' ? undefined : 0;
  const overflow = overflowIn(text, digits);
  if (overflow !== undefined) return overflow;
  for (let at = digits; at < text.length;) {
    const next = match(BWS, text, at);
    if (next === text.length) return undefined;
    if (text[next] !== ';') return next === at ? lineEndViolation(text, at) : next;
    const name = match(BWS, text, next + 1);
    at = match(NAME, text, name);
    if (at === text.length) return undefined;
    if (at === name) return at;
    const equals = match(BWS, text, at);
    if (text[equals] !== '=') continue;
    const value = match(BWS, text, equals + 1);
    at = match(VALUE, text, value);
    if (at === value) at = match(OPEN_QUOTE, text, value);
    else if (at < text.length || text.endsWith('"')) continue;
    return at === text.length ? undefined : at;
  }
  return undefined;
}

/** Offset after what the pattern matches at `at`. */
function match(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return at + (pattern.exec(text)?.[0].length ?? 0);
}

/** The offset of the digit that makes a size too large to count; undefined if there is none. */
function overflowIn(text: string, digits: number): number | undefined {
  let size = 0;
  for (let at = 0; at < digits; at++) {
    size = size * 16 + Number.parseInt(text[at] ?? '', 16);
    if (size > Number.MAX_SAFE_INTEGER) return at;
  }
  return undefined;
}

function lineEndViolation(text: string, at: number): number | undefined {
  if (text[at] !== CRLF[0]) return at;
  return at + 1 === text.length || text[at + 1] === CRLF[1] ? undefined : at + 1;
}
