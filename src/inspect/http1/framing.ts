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
 * The fields that decide where a message ends. Matched without parsing the others, because this runs for
 * every message. A value includes its folds (RFC 9112 5.2).
 */
const FRAMING_FIELD =
  /\n(content-length|transfer-encoding|upgrade)[ \t]*:([^\n]*(?:\n[ \t][^\n]*)*)/gi;
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
  const status = statusOf(text);
  if (status === 101) return { content: 'none', after: 'upgrade' };
  if (method === 'CONNECT' && status >= 200 && status < 300) {
    return { content: 'none', after: 'tunnel' };
  }
  const isEmpty = method === 'HEAD' || isInterim(status) || status === 204 || status === 304;
  if (isEmpty) return NONE;
  const fields = framingFields(text);
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

interface FramingFields {
  /** Values, in order. */
  readonly lengths: string[];
  readonly codings: string[];
  isUpgrade: boolean;
}

/** Undefined if there are none, as in most requests. */
function framingFields(text: string): FramingFields | undefined {
  let fields: FramingFields | undefined;
  FRAMING_FIELD.lastIndex = 0;
  for (let found = FRAMING_FIELD.exec(text); found; found = FRAMING_FIELD.exec(text)) {
    fields ??= { lengths: [], codings: [], isUpgrade: false };
    const [, name = ''] = found;
    const value = withoutOws(found[2] ?? '');
    // The three names differ in length.
    if (name.length === 'upgrade'.length) fields.isUpgrade = true;
    else if (name.length === 'content-length'.length) fields.lengths.push(value);
    // Node also ignores an empty list.
    else if (value !== '') fields.codings.push(value);
  }
  return fields;
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
  { lengths, codings }: FramingFields,
  otherCoding: 'unknown' | 'until-close',
): Framing | undefined {
  if (codings.length > 0) {
    if (/(?:^|[ \t,])chunked$/i.test(codings.join(','))) return CHUNKED;
    if (otherCoding === 'until-close') return UNTIL_CLOSE;
    return { content: 'unknown', reason: 'Transfer-Encoding does not end in chunked' };
  }
  const [first, ...others] = lengths;
  if (first === undefined) return undefined;
  if (!/^\d+$/.test(first) || !Number.isSafeInteger(Number(first))) {
    return { content: 'unknown', reason: 'Content-Length is not a number' };
  }
  if (others.some((other) => other !== first)) {
    return { content: 'unknown', reason: 'Content-Length has several values' };
  }
  return { content: 'length', length: Number(first), after: 'message' };
}
