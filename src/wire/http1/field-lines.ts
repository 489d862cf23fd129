import { Problem } from '../../http/problem.ts';
import { isOws } from './section.ts';

/** The first byte of a message that RFC 9112 does not allow in its place, and the problem to respond with. */
export class Violation {
  /** Offset from the beginning of the text. */
  readonly at: number;
  readonly problem: Problem;

  constructor(at: number, problem: Problem) {
    this.at = at;
    this.problem = problem;
  }
}

const LF = 0x0a;
const CR = 0x0d;
const COLON = 0x3a;

/** Bytes allowed in a token, such as a field name or a method (RFC 9110 5.6.2). */
export const TOKEN_BYTES = byteClass(/[!#$%&'*+.^_`|~0-9A-Za-z-]/);
/** Bytes allowed in a field value (RFC 9110 5.5). */
const VALUE_BYTES = byteClass(/[\t\x20-\x7e\x80-\xff]/);

/** For each byte, 1 if its character matches, otherwise 0. */
export function byteClass(allowed: RegExp): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, code) =>
    Number(allowed.test(String.fromCharCode(code))),
  );
}

/**
 * Parses field lines strictly (RFC 9112 5): no obs-fold, no white space around the name, only CRLF as line end.
 *
 * @param text in Latin-1
 * @param from offset of the first line
 * @param fields receives names and values, without the white space around values
 * @returns offset after the empty line, or of the first incomplete line
 */
export function parseFieldLines(text: string, from: number, fields: string[]): number | Violation {
  const { length } = text;
  let at = from;
  while (at < length) {
    if (text.charCodeAt(at) === CR) {
      if (at + 1 === length) return at;
      return text.charCodeAt(at + 1) === LF ? at + 2 : violation(at + 1, 'a CR has no LF after it');
    }
    let colon = at;
    while (colon < length && TOKEN_BYTES[text.charCodeAt(colon)] === 1) colon++;
    if (colon === length) return at;
    if (text.charCodeAt(colon) !== COLON || colon === at) return nameViolation(text, at, colon);
    let start = colon + 1;
    while (isOws(text.charCodeAt(start))) start++;
    let end = start;
    while (end < length && VALUE_BYTES[text.charCodeAt(end)] === 1) end++;
    if (end === length) return at;
    if (text.charCodeAt(end) !== CR)
      return violation(end, 'a field value has an invalid character');
    if (end + 1 === length) return at;
    if (text.charCodeAt(end + 1) !== LF) return violation(end + 1, 'a CR has no LF after it');
    let stop = end;
    while (stop > start && isOws(text.charCodeAt(stop - 1))) stop--;
    fields.push(text.slice(at, colon), text.slice(start, stop));
    at = end + 2;
  }
  return at;
}

function violation(at: number, detail: string): Violation {
  return new Violation(at, new Problem('invalid-message', detail));
}

function nameViolation(text: string, start: number, end: number): Violation {
  if (end > start) {
    const isSpace = isOws(text.charCodeAt(end));
    return violation(
      end,
      isSpace ? 'white space follows a field name' : 'a field name has an invalid character',
    );
  }
  return isOws(text.charCodeAt(start))
    ? violation(start, 'a field line begins with white space, such as obs-fold')
    : violation(start, 'a field line has no name');
}
