import { listMembers } from '../../http/syntax.ts';
import { isOws } from './section.ts';
import { startLineOffset } from './start-line.ts';

/** How the content of a message is delimited (RFC 9112 6), and what follows after it. */
export type Framing =
  | { readonly content: 'none' | 'chunked' | 'until-close'; readonly after: AfterMessage }
  | { readonly content: 'length'; readonly length: number; readonly after: AfterMessage }
  | { readonly content: 'unknown'; readonly reason: string };

/** Another protocol may follow after CONNECT (RFC 9110 9.3.6) or Upgrade (RFC 9110 7.8). */
export type AfterMessage = 'message' | 'tunnel' | 'upgrade';

const NONE: Framing = { content: 'none', after: 'message' };
const CHUNKED: Framing = { content: 'chunked', after: 'message' };
const UNTIL_CLOSE: Framing = { content: 'until-close', after: 'message' };

/**
 * The fields that decide where a message ends, and whether the connection does. A value includes its folds (RFC 9112
 * 5.2).
 */
const FRAMING_FIELD =
  /\n(content-length|transfer-encoding|upgrade|connection)[ \t]*:([^\n]*(?:\n[ \t][^\n]*)*)/iy;
/** Their first letters, in lower case. */
const C = 0x63;
const T = 0x74;
const U = 0x75;
const UPGRADE_OPTION = /\n(?:proxy-)?connection[ \t]*:(?:[^\n]*,)?[ \t]*upgrade[ \t]*[,\r\n]/i;

/** The framing of a request. @param text its complete head */
export function requestFraming(text: string): Framing {
  const isConnect = text.startsWith('CONNECT ', startLineOffset(text));
  if (isConnect) return { content: 'none', after: 'tunnel' };
  const fields = framingFields(text);
  if (!fields) return NONE;
  const framing = fieldFraming(fields, 'unknown') ?? NONE;
  const isUpgrade = fields.isUpgrade && UPGRADE_OPTION.test(text);
  return isUpgrade && framing.content !== 'unknown' ? { ...framing, after: 'upgrade' } : framing;
}

/**
 * The framing of a response.
 *
 * @param text its complete head
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
  return (fields && fieldFraming(fields, 'until-close')) ?? UNTIL_CLOSE;
}

/** The status code of a response; NaN if there is none. */
export function statusOf(text: string): number {
  const space = text.indexOf(' ');
  return space === -1 ? Number.NaN : Number(text.slice(space + 1, space + 4));
}

/** Whether another response follows for the same request (RFC 9110 15.2). */
export function isInterim(status: number): boolean {
  return status >= 100 && status < 200 && status !== 101;
}

const STATUS_LINE = /^HTTP\/1\.[01] \d{3}[ \r\n]/;

/** What a client needs to know of a response. */
export interface ResponseOutline {
  readonly status: number;
  readonly framing: Framing;
  /** Whether the connection persists after it (RFC 9112 9.3). */
  readonly persists: boolean;
}

/**
 * The outline of a response of HTTP/1.0 or HTTP/1.1; undefined if its status line is malformed. It is the first line:
 * only servers ignore empty lines before a message (RFC 9112 2.2).
 *
 * @param text its complete head
 * @param method of the request
 */
export function outlineOf(text: string, method: string): ResponseOutline | undefined {
  if (!STATUS_LINE.test(text)) return undefined;
  const status = statusOf(text);
  const fields = framingFields(text);
  const framing = framingAfter(status, method, fields);
  const { connection = '' } = fields ?? {};
  const options = connection === '' ? [] : listMembers(connection.toLowerCase());
  const wants = text.startsWith('HTTP/1.1') || options.includes('keep-alive');
  const persists = wants && !options.includes('close') && isFollowed(framing);
  return { status, framing, persists };
}

/** Whether a message can follow; not after an upgrade or a tunnel, and not if the connection ends the content. */
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
  /** The first Content-Length. */
  length: string | undefined;
  /** Whether a further one differs. */
  hasOtherLength: boolean;
  /** The list of all fields of the name; empty if there is none. */
  codings: string;
  connection: string;
  isUpgrade: boolean;
}

/**
 * Finds the fields without parsing the others, because this runs for every message. Undefined if there are none, as
 * in most requests.
 */
function framingFields(text: string): FramingFields | undefined {
  let fields: FramingFields | undefined;
  for (let lf = text.indexOf('\n'); lf !== -1; lf = text.indexOf('\n', lf + 1)) {
    const letter = text.charCodeAt(lf + 1) | 0x20;
    if (letter !== C && letter !== T && letter !== U) continue;
    FRAMING_FIELD.lastIndex = lf;
    const found = FRAMING_FIELD.exec(text);
    if (!found) continue;
    fields ??= {
      length: undefined,
      hasOtherLength: false,
      codings: '',
      connection: '',
      isUpgrade: false,
    };
    addField(fields, found[1] ?? '', withoutOws(found[2] ?? ''));
  }
  return fields;
}

/** The four names differ in length. */
function addField(fields: FramingFields, name: string, value: string): void {
  switch (name.length) {
    case 'upgrade'.length:
      fields.isUpgrade = true;
      break;
    case 'connection'.length:
      fields.connection += `,${value}`;
      break;
    case 'content-length'.length:
      fields.length ??= value;
      fields.hasOtherLength ||= value !== fields.length;
      break;
    default:
      // Node also ignores an empty list.
      if (value !== '') fields.codings += `,${value}`;
  }
}

/** Unfolds and trims a value (RFC 9112 5.2). @param value up to the LF of its last line */
function withoutOws(value: string): string {
  const line = value.includes('\n') ? value.replaceAll(/\r?\n/g, ' ') : value;
  let start = 0;
  let end = line.endsWith('\r') ? line.length - 1 : line.length;
  while (start < end && isOws(line.charCodeAt(start))) start++;
  while (end > start && isOws(line.charCodeAt(end - 1))) end--;
  return line.slice(start, end);
}

/** RFC 9112 6.3; undefined if neither field is there. */
function fieldFraming(
  { length, hasOtherLength, codings }: FramingFields,
  otherCoding: 'unknown' | 'until-close',
): Framing | undefined {
  if (codings !== '') {
    if (/[ \t,]chunked$/i.test(codings)) return CHUNKED;
    if (otherCoding === 'until-close') return UNTIL_CLOSE;
    return { content: 'unknown', reason: 'Transfer-Encoding does not end in chunked' };
  }
  if (length === undefined) return undefined;
  if (!/^\d+$/.test(length) || !Number.isSafeInteger(Number(length))) {
    return { content: 'unknown', reason: 'Content-Length is not a number' };
  }
  if (hasOtherLength) return { content: 'unknown', reason: 'Content-Length has several values' };
  return { content: 'length', length: Number(length), after: 'message' };
}
