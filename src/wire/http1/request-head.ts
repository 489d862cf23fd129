import { Problem } from '../../http/problem.ts';
import { listMembers } from '../../http/syntax.ts';
import { byteClass, parseFieldLines, TOKEN_BYTES, Violation } from './field-lines.ts';
import { persists, type Framing } from './framing.ts';

/** The head of a valid request (RFC 9112 2.1). */
export interface RequestHead {
  /** The head as sent, in Latin-1, with the empty lines before it. */
  readonly text: string;
  readonly method: string;
  readonly target: string;
  readonly version: 'HTTP/1.0' | 'HTTP/1.1';
  /** Name, value, name, value… */
  readonly fields: readonly string[];
  readonly framing: Exclude<Framing, { readonly content: 'unknown' }>;
  /** Whether the client wants the connection to persist (RFC 9112 9.3). */
  readonly persists: boolean;
  /** Whether the client may wait for 100 (Continue) before it sends content (RFC 9110 10.1.1). */
  readonly expectsContinue: boolean;
}

/** Offsets in a request line; all are -1 if the line is incomplete. */
interface RequestLine {
  readonly methodEnd: number;
  readonly targetEnd: number;
  /** Offset after CRLF. */
  readonly end: number;
}

const SP = 0x20;
const CR = 0x0d;
const LF = 0x0a;
const DIGIT_1 = 0x31;
const LOWER_CASE = 0x20;
const VERSION = 'HTTP/1.1';
/** The beginning of the client connection preface (RFC 9113 3.4). */
const HTTP2_PREFACE = 'PRI * HTTP/2.0';
const ANY_VERSION = /^HTTP\/\d\.\d$/;

/** Bytes allowed in a target: those of a URI (RFC 3986), and a few more that clients send. */
const TARGET_BYTES = byteClass(/[\x21-\x7e]/);

/**
 * Parses a complete head.
 *
 * @param sent in Latin-1, with the empty lines before it and the one after it
 * @returns a violation at the first byte that is not valid; of framing, at the field that decides it
 */
export function parseRequest(sent: string): RequestHead | Violation {
  const start = emptyLinesEnd(sent);
  const line = requestLine(sent, start);
  if (line instanceof Violation) return line;
  if (line.end === -1) return new Violation(sent.length, invalid('there is no request line'));
  const fields: string[] = [];
  const end = parseFieldLines(sent, line.end, fields);
  if (end instanceof Violation) return end;
  const method = sent.slice(start, line.methodEnd);
  const version = sent.charCodeAt(line.end - 3) === DIGIT_1 ? 'HTTP/1.1' : 'HTTP/1.0';
  const deciding = decidingFields(fields);
  const problem = deciding && framingProblem(deciding, fields, version);
  if (problem) return new Violation(decidingOffset(sent, line.end), problem);
  return {
    text: sent,
    method,
    target: sent.slice(line.methodEnd + 1, line.targetEnd),
    version,
    fields,
    framing: framingOf(method, deciding),
    persists: persists(version === 'HTTP/1.1', deciding?.connection ?? ''),
    expectsContinue: version === 'HTTP/1.1' && CONTINUE.test(deciding?.expect ?? ''),
  };
}

/**
 * Checks the part of a head that has arrived, so that a client that sends something else learns it immediately.
 *
 * @param from 0, or what the previous call for the same head returned
 * @returns offset of the first incomplete line
 */
export function checkRequestStart(sent: string, from: number): number | Violation {
  let at = from;
  if (at === 0) {
    const line = requestLine(sent, emptyLinesEnd(sent));
    if (line instanceof Violation) return line;
    if (line.end === -1) return 0;
    at = line.end;
  }
  return parseFieldLines(sent, at, []);
}

/** Offset of the request line. Empty lines before it are ignored (RFC 9112 2.2). */
function emptyLinesEnd(text: string): number {
  let at = 0;
  while (text.startsWith('\r\n', at)) at += 2;
  return at === text.length - 1 && text.charCodeAt(at) === CR ? text.length : at;
}

/** Offset after the characters of a class that begin at `from`. */
function skip(text: string, from: number, allowed: Uint8Array): number {
  let at = from;
  while (at < text.length && allowed[text.charCodeAt(at)] === 1) at++;
  return at;
}

/** Parses the request line that begins at an offset (RFC 9112 3). */
function requestLine(text: string, start: number): RequestLine | Violation {
  const methodEnd = skip(text, start, TOKEN_BYTES);
  if (methodEnd === text.length) return INCOMPLETE;
  if (methodEnd === start || text.charCodeAt(methodEnd) !== SP) {
    return new Violation(methodEnd, invalid('the bytes do not begin with a method and a space'));
  }
  const targetEnd = skip(text, methodEnd + 1, TARGET_BYTES);
  if (targetEnd === text.length) return INCOMPLETE;
  const after = text.charCodeAt(targetEnd);
  if (after === CR && text[methodEnd + 1] === '/') {
    return new Violation(targetEnd, unsupported('the request line has no version'));
  }
  if (after !== SP || targetEnd === methodEnd + 1) {
    return new Violation(targetEnd, invalid('the request target is not valid'));
  }
  const versionEnd = targetEnd + 1 + VERSION.length;
  const isKnown =
    text.startsWith('HTTP/1.1\r\n', targetEnd + 1) ||
    text.startsWith('HTTP/1.0\r\n', targetEnd + 1);
  if (isKnown) return { methodEnd, targetEnd, end: versionEnd + 2 };
  return versionViolation(text, targetEnd + 1, versionEnd) ?? INCOMPLETE;
}

const INCOMPLETE: RequestLine = { methodEnd: -1, targetEnd: -1, end: -1 };

/** The violation in a version that is not HTTP/1.0 or HTTP/1.1 with CRLF; undefined if it is only incomplete. */
function versionViolation(text: string, start: number, end: number): Violation | undefined {
  const sent = text.slice(start, end);
  if (!ANY_VERSION.test(sent)) {
    let same = 0;
    while (same < sent.length && isVersionLike(sent, same)) same++;
    if (same === sent.length && sent.length < VERSION.length) return undefined;
    return new Violation(start + same, invalid('the request line does not end with a version'));
  }
  if (sent !== 'HTTP/1.1' && sent !== 'HTTP/1.0') {
    const detail = text.startsWith(HTTP2_PREFACE)
      ? 'HTTP/2 connection preface on HTTP/1.1'
      : `${sent} is neither HTTP/1.0 nor HTTP/1.1`;
    return new Violation(start + 'HTTP/'.length, unsupported(detail));
  }
  if (end < text.length && text.charCodeAt(end) !== CR) {
    return new Violation(end, invalid('no CRLF follows the version'));
  }
  if (end + 1 < text.length && text.charCodeAt(end + 1) !== LF) {
    return new Violation(end + 1, invalid('a CR without LF follows the version'));
  }
  return undefined;
}

function isVersionLike(sent: string, at: number): boolean {
  const expected = VERSION[at] ?? '';
  return expected === '1' ? /\d/.test(sent[at] ?? '') : sent[at] === expected;
}

function unsupported(detail: string): Problem {
  return new Problem('version-not-supported', detail);
}

function invalid(detail: string): Problem {
  return new Problem('invalid-message', detail);
}

/** Values of the fields that decide on framing, persistence and 100. `connection` and `expect` begin with a comma. */
interface Deciding {
  length: string | undefined;
  codings: string | undefined;
  connection: string;
  expect: string;
  hasUpgrade: boolean;
}

const CONNECTION = 'connection';
const CONTENT_LENGTH = 'content-length';
const TRANSFER_ENCODING = 'transfer-encoding';
const UPGRADE = 'upgrade';
const EXPECT = 'expect';
const UPGRADES = /,[ \t]*upgrade[ \t]*(?:,|$)/i;
const CONTINUE = /(?:^|,)[ \t]*100-continue[ \t]*(?:,|$)/i;

/** The framing of a valid request (RFC 9112 6.3). */
function framingOf(method: string, deciding: Deciding | undefined): RequestHead['framing'] {
  if (method === 'CONNECT') return TUNNEL;
  if (!deciding) return NONE;
  const { length, codings, connection, hasUpgrade } = deciding;
  const after = hasUpgrade && UPGRADES.test(connection) ? 'upgrade' : 'message';
  if (codings !== undefined) return { content: 'chunked', after };
  if (length !== undefined) return { content: 'length', length: Number(length), after };
  return after === 'message' ? NONE : UPGRADE_WITHOUT_CONTENT;
}

const NONE = { content: 'none', after: 'message' } as const;
const UPGRADE_WITHOUT_CONTENT = { content: 'none', after: 'upgrade' } as const;
const TUNNEL = { content: 'none', after: 'tunnel' } as const;

/** Collects the deciding fields; undefined if there are none, as in most requests. */
function decidingFields(fields: readonly string[]): Deciding | undefined {
  let found: Deciding | undefined;
  for (let at = 0; at < fields.length; at += 2) {
    const name = decidingName(fields[at] ?? '');
    if (name === undefined) continue;
    const value = fields[at + 1] ?? '';
    found ??= {
      length: undefined,
      codings: undefined,
      connection: '',
      expect: '',
      hasUpgrade: false,
    };
    switch (name) {
      case CONTENT_LENGTH:
        found.length = found.length === undefined ? value : `${found.length},${value}`;
        break;
      case TRANSFER_ENCODING:
        found.codings = found.codings === undefined ? value : `${found.codings},${value}`;
        break;
      case CONNECTION:
        found.connection += `,${value}`;
        break;
      case EXPECT:
        found.expect += `,${value}`;
        break;
      case UPGRADE:
        found.hasUpgrade = true;
    }
  }
  return found;
}

type DecidingName =
  | typeof CONNECTION
  | typeof CONTENT_LENGTH
  | typeof TRANSFER_ENCODING
  | typeof UPGRADE
  | typeof EXPECT;

/** Compares length and first letter first, because most fields are not deciding ones. */
function decidingName(name: string): DecidingName | undefined {
  let candidate: DecidingName;
  switch (name.length) {
    case EXPECT.length:
      candidate = EXPECT;
      break;
    case UPGRADE.length:
      candidate = UPGRADE;
      break;
    case CONNECTION.length:
      candidate = CONNECTION;
      break;
    case CONTENT_LENGTH.length:
      candidate = CONTENT_LENGTH;
      break;
    case TRANSFER_ENCODING.length:
      candidate = TRANSFER_ENCODING;
      break;
    default:
      return undefined;
  }
  const isLike = (name.charCodeAt(0) | LOWER_CASE) === candidate.charCodeAt(0);
  return isLike && name.toLowerCase() === candidate ? candidate : undefined;
}

const DIGITS = /^\d+$/;

/** Why the end of the message is unknown, or the coding unsupported (RFC 9112 6.1, 6.3; RFC 9110 8.6). */
function framingProblem(
  { length, codings }: Deciding,
  fields: readonly string[],
  version: RequestHead['version'],
): Problem | undefined {
  if (codings !== undefined) {
    if (length !== undefined)
      return invalid('both Transfer-Encoding and Content-Length are present');
    if (version === 'HTTP/1.0') return invalid('Transfer-Encoding is not allowed in HTTP/1.0');
    return codingProblem(codings);
  }
  if (length === undefined) return undefined;
  if (!DIGITS.test(length)) {
    const count = fields.filter(
      (name, at) => at % 2 === 0 && decidingName(name) === CONTENT_LENGTH,
    );
    return invalid(
      count.length > 1 ? 'Content-Length is repeated' : 'Content-Length is not a number of bytes',
    );
  }
  return Number.isSafeInteger(Number(length))
    ? undefined
    : invalid('Content-Length is too large to be counted');
}

function codingProblem(codings: string): Problem | undefined {
  const members = listMembers(codings.toLowerCase());
  if (members.at(-1) !== 'chunked') {
    return invalid('the last transfer coding is not chunked');
  }
  if (members.length === 1) return undefined;
  if (members.indexOf('chunked') < members.length - 1) {
    return invalid('the transfer coding chunked is there twice');
  }
  return new Problem('not-implemented', 'of the transfer codings, only chunked is supported');
}

const FRAMING_LINE = /^(?:content-length|transfer-encoding):/gim;

/** Offset of the field line that makes the framing invalid: the last Content-Length or Transfer-Encoding. */
function decidingOffset(sent: string, from: number): number {
  const lines = [...sent.slice(from).matchAll(FRAMING_LINE)];
  return from + (lines.at(-1)?.index ?? 0);
}
