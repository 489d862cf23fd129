import { trimOws } from '../../http/syntax.ts';
import { isOws, lineAt, trimmedEnd, trimmedStart } from './section.ts';

/** How the content of a message is delimited (RFC 9112 6), and what follows the message. */
export type Framing =
  | { readonly content: 'none' | 'chunked' | 'until-close'; readonly after: AfterMessage }
  | { readonly content: 'length'; readonly length: number; readonly after: AfterMessage }
  | { readonly content: 'unknown'; readonly reason: string };

/** What may follow a message: another protocol after CONNECT (RFC 9110 9.3.6) or Upgrade (RFC 9110 7.8). */
export type AfterMessage = 'message' | 'tunnel' | 'upgrade';

const NONE: Framing = { content: 'none', after: 'message' };
const CHUNKED: Framing = { content: 'chunked', after: 'message' };
const UNTIL_CLOSE: Framing = { content: 'until-close', after: 'message' };

// Fields that decide where a message ends and whether the connection persists.
const CONNECTION = /connection[ \t]*:/iy;
const CONTENT_LENGTH = /content-length[ \t]*:/iy;
const TRANSFER_ENCODING = /transfer-encoding[ \t]*:/iy;

const LOWER_CASE = 0x20;
const C = 0x63;
const T = 0x74;

/**
 * The framing of a response.
 *
 * @param text complete head of the response
 * @param method of the request
 */
export function responseFraming(text: string, method: string): Framing {
  return framingAfter(statusOf(text), method, framingFields(text));
}

function framingAfter(status: number, method: string, fields: FramingFields | undefined): Framing {
  if (status === 101) return { content: 'none', after: 'upgrade' };
  if (method === 'CONNECT' && status >= 200 && status < 300) {
    return { content: 'none', after: 'tunnel' };
  }
  const isEmpty = method === 'HEAD' || isInterim(status) || status === 204 || status === 304;
  if (isEmpty) return NONE;
  return (fields && fieldFraming(fields)) ?? UNTIL_CLOSE;
}

/** The status code of a response head; NaN if it has none. */
export function statusOf(text: string): number {
  const space = text.indexOf(' ');
  return space === -1 ? Number.NaN : Number(text.slice(space + 1, space + 4));
}

/** Whether another response follows for the same request (RFC 9110 15.2). */
export function isInterim(status: number): boolean {
  return status >= 100 && status < 200 && status !== 101;
}

const CLOSE = /,[ \t]*close[ \t]*(?:,|$)/i;
const KEEP_ALIVE = /,[ \t]*keep-alive[ \t]*(?:,|$)/i;

/**
 * Whether a connection persists after a message, as far as its fields say (RFC 9112 9.3).
 *
 * @param connection the members of all Connection fields, each after a comma
 */
export function persists(isHttp11: boolean, connection: string): boolean {
  if (connection === '') return isHttp11;
  return (isHttp11 || KEEP_ALIVE.test(connection)) && !CLOSE.test(connection);
}

const MINOR_VERSION_AT = 'HTTP/1.'.length;
const STATUS_AT = 'HTTP/1.1 '.length;
const STATUS_LINE = /^HTTP\/1\.[01] \d{3}[ \r\n]/;

/** The parts of a response head that a client needs. */
export interface ResponseOutline {
  readonly status: number;
  readonly framing: Framing;
  /** Whether the connection persists after the response (RFC 9112 9.3). */
  readonly persists: boolean;
}

/**
 * The outline of an HTTP/1.0 or HTTP/1.1 response; undefined if its status line is malformed. The status line must be
 * the first line: only servers ignore empty lines before a message (RFC 9112 2.2).
 *
 * @param text complete head of the response
 * @param method of the request
 */
export function outlineOf(text: string, method: string): ResponseOutline | undefined {
  if (!STATUS_LINE.test(text)) return undefined;
  const status = decimal(text, STATUS_AT, STATUS_AT + 3);
  const fields = framingFields(text);
  const framing = framingAfter(status, method, fields);
  const isKept = persists(text[MINOR_VERSION_AT] === '1', fields?.connection ?? '');
  return { status, framing, persists: isKept && isFollowed(framing) };
}

/** Whether another message can follow: not after an upgrade, in a tunnel, or if the close ends the content. */
function isFollowed(framing: Framing): boolean {
  switch (framing.content) {
    case 'until-close':
      return false;
    case 'unknown':
      return true;
    default:
      return framing.after === 'message';
  }
}

interface FramingFields {
  /** The first Content-Length; undefined without one. */
  length: string | undefined;
  /** Whether another Content-Length differs from the first. */
  hasOtherLength: boolean;
  /** Combined values of Transfer-Encoding; empty without any. */
  codings: string;
  /** Combined values of Connection; empty without any. */
  connection: string;
}

/**
 * Finds the fields that decide on framing; undefined if there are none. Does not parse other fields, because this runs
 * for every response.
 */
function framingFields(text: string): FramingFields | undefined {
  let fields: FramingFields | undefined;
  for (let lf = text.indexOf('\n'); lf !== -1; lf = text.indexOf('\n', lf + 1)) {
    const name = nameLike(text, lf + 1);
    if (!name) continue;
    name.lastIndex = lf + 1;
    if (!name.test(text)) continue;
    fields ??= {
      length: undefined,
      hasOtherLength: false,
      codings: '',
      connection: '',
    };
    addField(fields, name, fieldValue(text, name.lastIndex));
  }
  return fields;
}

/** The only one of these names that a line can begin with, judging by a few letters; undefined if there is none. */
function nameLike(text: string, at: number): RegExp | undefined {
  switch (text.charCodeAt(at) | LOWER_CASE) {
    case C:
      return (text.charCodeAt(at + 3) | LOWER_CASE) === T ? CONTENT_LENGTH : CONNECTION;
    case T:
      return TRANSFER_ENCODING;
    default:
      return undefined;
  }
}

function addField(fields: FramingFields, name: RegExp, value: string): void {
  switch (name) {
    case CONNECTION:
      fields.connection += `,${value}`;
      break;
    case CONTENT_LENGTH:
      fields.length ??= value;
      fields.hasOtherLength ||= value !== fields.length;
      break;
    case TRANSFER_ENCODING:
      // Ignores an empty list, as Node does.
      if (value !== '') fields.codings += `,${value}`;
  }
}

/** The field value that begins at `from`, unfolded (RFC 9112 5.2) and without surrounding white space. */
function fieldValue(text: string, from: number): string {
  let { stop, next } = lineAt(text, from);
  if (isOws(text.charCodeAt(next))) {
    while (isOws(text.charCodeAt(next))) ({ stop, next } = lineAt(text, next));
    return trimOws(text.slice(from, stop).replaceAll(/\r?\n/g, ' '));
  }
  const start = trimmedStart(text, from, stop);
  return text.slice(start, trimmedEnd(text, start, stop));
}

/** The framing according to Transfer-Encoding and Content-Length (RFC 9112 6.3); undefined if both are absent. */
function fieldFraming({ length, hasOtherLength, codings }: FramingFields): Framing | undefined {
  if (codings !== '') {
    return /[ \t,]chunked$/i.test(codings) ? CHUNKED : UNTIL_CLOSE;
  }
  if (length === undefined) return undefined;
  const bytes = decimal(length, 0, length.length);
  if (!Number.isSafeInteger(bytes)) {
    return { content: 'unknown', reason: 'Content-Length is not a number' };
  }
  if (hasOtherLength) return { content: 'unknown', reason: 'Content-Length has several values' };
  return { content: 'length', length: bytes, after: 'message' };
}

/** The number in a text of digits; NaN for any other text. Faster than a regular expression and `Number`. */
function decimal(text: string, start: number, end: number): number {
  let number = start === end ? Number.NaN : 0;
  for (let at = start; at < end; at++) {
    const digit = text.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 9) return Number.NaN;
    number = number * 10 + digit;
  }
  return number;
}
