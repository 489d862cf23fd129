import { ServerResponse, STATUS_CODES } from '../../net/node-http.ts';
import { currentDate } from '../../http/date.ts';
import { fieldPairs } from '../../http/fields.ts';
import { isFieldValue, isToken } from '../../http/syntax.ts';
import type { ReasonPhrases } from '../../http/status.ts';
import { setEnded, setHeaderSection, writeBeforeHeaderSection } from '../../net/node-internals.ts';

/** Frequent field names, which are not validated again. */
const KNOWN_NAMES = new Set([
  'Content-Type',
  'Content-Length',
  'Location',
  'X-Request-Id',
  'X-Response-Time',
]);
/** Bytes of content up to which copying it behind the header section is faster than writev. */
const MAX_COPIED = 16 * 1024;

/**
 * Node's response with fast paths. Node sends even two bytes of content as a writev of header section, content and an
 * empty end, and examines each field several times. That is the largest cost of a small response; see bench/NOTES.md.
 */
export class Http1Response extends ServerResponse {
  reasonPhrases: ReasonPhrases = STATUS_CODES;

  /**
   * Sends a complete HTTP/1.1 response in one write. Only for connections that stay open.
   *
   * @param content a string must be ASCII
   * @returns false if it is not possible; then nothing was sent
   * @throws TypeError if a field is invalid (RFC 9110 5.5, 5.6.2)
   */
  sendWhole(status: number, fields: readonly string[], content: string | Uint8Array): boolean {
    const { socket } = this;
    // Node assigns the socket when the previous response is complete.
    if (!socket || content.length > MAX_COPIED) return false;
    const section = this.begin(status, fields);
    setEnded(this);
    const sent = (error?: Error | null): void => {
      if (!error) this.emit('finish');
    };
    if (typeof content === 'string') socket.write(section + content, 'latin1', sent);
    else socket.write(concatenate(section, content), sent);
    return true;
  }

  /**
   * Sets the header section, which Node sends with the first bytes of content. For HTTP/1.1 responses with
   * Content-Length on connections that stay open.
   *
   * @returns the section
   * @throws as `sendWhole`
   */
  begin(status: number, fields: readonly string[]): string {
    const section = headerSection(status, fields, this.reasonPhrases);
    setHeaderSection(this, section);
    return section;
  }

  /**
   * As `begin()`, for a chunked response.
   *
   * @throws as `sendWhole`
   */
  beginChunked(status: number, fields: readonly string[]): void {
    this.begin(status, [...fields, ...CHUNKED]);
    this.chunkedEncoding = true;
  }

  /**
   * Sends an interim response (RFC 9110 15.2) after the responses to earlier requests.
   *
   * @throws as `sendWhole`
   */
  sendInterim(status: number, fields: readonly string[]): void {
    writeBeforeHeaderSection(
      this,
      `${statusLine(status, this.reasonPhrases)}${fieldLines(fields)}\r\n`,
    );
  }

  /** Makes Node wait for `complete()`, while the response is written to the socket directly. */
  takeOver(): void {
    setHeaderSection(this, 'written to the socket');
  }

  /** Call after all was sent. Node continues with the next response. */
  complete(): void {
    setEnded(this);
    this.emit('finish');
  }

  /** Writes an ASCII chunk as one string. Node would write size, content and two line ends separately. */
  override write(
    piece: unknown,
    encoding?: BufferEncoding | WriteCallback,
    sent?: WriteCallback,
  ): boolean {
    if (typeof encoding !== 'string') return super.write(piece, encoding);
    const isAscii = typeof piece === 'string' && encoding === 'latin1';
    if (!this.chunkedEncoding || !isAscii || piece === '') {
      return super.write(piece, encoding, sent);
    }
    this.chunkedEncoding = false;
    const hasRoom = super.write(chunk(piece), encoding, sent);
    this.chunkedEncoding = true;
    return hasRoom;
  }

  /**
   * Corks the socket until the next tick, and not the response. Node 26 calls it at the first write of a tick, and would
   * send all pieces of the tick as one chunk (`write_`, lib/_http_outgoing.js); earlier versions cork the socket.
   */
  override cork(): void {
    const { socket } = this;
    if (!socket) return;
    socket.cork();
    process.nextTick(() => socket.uncork());
  }
}

type WriteCallback = ((error: Error | null | undefined) => void) | undefined;

export const CHUNKED = ['Transfer-Encoding', 'chunked'] as const;

/** A chunk (RFC 9112 7.1); empty without content, because a chunk of size 0 would be the last. */
function chunk(content: string): string {
  return content === '' ? '' : `${content.length.toString(16)}\r\n${content}\r\n`;
}

/** The last chunk, with the trailer section (RFC 9112 7.1.2). @throws TypeError if a field is invalid */
export function lastChunk(trailers: readonly string[]): string {
  return `0\r\n${fieldLines(trailers)}\r\n`;
}

function concatenate(section: string, content: Uint8Array): Buffer {
  const message = Buffer.allocUnsafe(section.length + content.length);
  message.write(section, 0, 'latin1');
  message.set(content, section.length);
  return message;
}

/** A status line (RFC 9112 4). */
function statusLine(status: number, phrases: ReasonPhrases): string {
  return `HTTP/1.1 ${status} ${reasonPhrase(status, phrases)}\r\n`;
}

export function reasonPhrase(status: number, phrases: ReasonPhrases): string {
  return phrases[status] ?? 'unknown';
}

/**
 * Status line and fields (RFC 9112 4, 5); adds Date unless present (RFC 9110 6.6.1).
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

function fieldLines(fields: readonly string[]): string {
  return Array.from(fieldPairs(fields), ([name, value]) => fieldLine(name, value)).join('');
}

function fieldLine(name: string, value: string): string {
  if ((!KNOWN_NAMES.has(name) && !isToken(name)) || !isFieldValue(value)) {
    throw new TypeError(`the field ${JSON.stringify(name)} cannot be sent`);
  }
  return `${name}: ${value}\r\n`;
}
