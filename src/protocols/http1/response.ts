import { currentDate } from '../../http/date.ts';
import { fieldPairs } from '../../http/fields.ts';
import type { TcpConnection } from '../../net/tcp-connection.ts';
import { shareOf, type Window } from '../../server/pump.ts';
import { isFieldValue, isToken } from '../../http/syntax.ts';
import type { ReasonPhrases } from '../../http/status.ts';

const KiB = 1024;
/** Window without TLS. It is large, because a write costs some 20 µs, and shared bytes are not copied. */
const CLEARTEXT: Window = { own: 64 * KiB, shared: 1024 * KiB };
/** Maximum bytes of shared pieces that all open requests together may queue over TLS, which copies them. */
const SHARED_TLS = 16 * 1024 * KiB;
/** Minimum bytes of shared pieces per request, even if the sum then exceeds `SHARED_TLS`. */
const MIN_SHARED_TLS = 64 * KiB;
/** Maximum bytes of shared pieces per request. */
const MAX_SHARED_TLS = 256 * KiB;

/** The window of a response. Over TLS, shared pieces get less if many requests are open when it begins. */
export function responseWindow({ tls }: TcpConnection): Window {
  if (!tls) return CLEARTEXT;
  return { own: 64 * KiB, shared: shareOf(SHARED_TLS, MIN_SHARED_TLS, MAX_SHARED_TLS) };
}

/** Frequent field names, which are known to be valid. */
const KNOWN_NAMES = new Set([
  'Content-Type',
  'Content-Length',
  'Location',
  'X-Request-Id',
  'X-Response-Time',
]);
export const CHUNKED = ['Transfer-Encoding', 'chunked'] as const;

/** The last chunk, with the trailer section (RFC 9112 7.1.2). @throws TypeError if a field is invalid */
export function lastChunk(trailers: readonly string[]): string {
  return `0\r\n${fieldLines(trailers)}\r\n`;
}

/** A status line (RFC 9112 4). */
function statusLine(status: number, phrases: ReasonPhrases): string {
  return `HTTP/1.1 ${status} ${phrases[status] ?? 'unknown'}\r\n`;
}

/**
 * A header section: status line and fields (RFC 9112 4, 5). Adds Date unless present (RFC 9110 6.6.1).
 *
 * @throws TypeError if a field is invalid
 */
export function headerSection(
  status: number,
  fields: readonly string[],
  phrases: ReasonPhrases,
): string {
  let section = statusLine(status, phrases);
  let hasDate = false;
  for (let at = 0; at < fields.length; at += 2) {
    const name = fields[at] ?? '';
    const value = fields[at + 1] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'date') hasDate = true;
    section += fieldLine(name, value);
  }
  return hasDate ? `${section}\r\n` : `${section}Date: ${currentDate()}\r\n\r\n`;
}

/**
 * An interim response (RFC 9110 15.2).
 *
 * @throws TypeError if a field is invalid
 */
export function interimResponse(
  status: number,
  fields: readonly string[],
  phrases: ReasonPhrases,
): string {
  return `${statusLine(status, phrases)}${fieldLines(fields)}\r\n`;
}

function fieldLines(fields: readonly string[]): string {
  return Array.from(fieldPairs(fields), ([name, value]) => fieldLine(name, value)).join('');
}

function fieldLine(name: string, value: string): string {
  if ((!KNOWN_NAMES.has(name) && !isToken(name)) || !isFieldValue(value)) {
    throw new TypeError(`the field ${JSON.stringify(name)} cannot be sent`);
  }
  return `${name}: ${value}\r\n`;
}

/** Removes Trailer: neither HTTP/1.0 nor content that the close ends has trailers (RFC 9110 6.6.2). */
export function removeTrailerField(fields: string[]): void {
  for (let at = fields.length - 2; at >= 0; at -= 2) {
    if (fields[at] === 'Trailer') fields.splice(at, 2);
  }
}

/** Bytes as text with one character per byte. */
export function latin1(content: string | Uint8Array): string {
  if (typeof content === 'string') return content;
  const { buffer, byteOffset, byteLength } = content;
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
}
