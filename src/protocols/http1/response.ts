import { ServerResponse, STATUS_CODES } from 'node:http';
import { fieldPairs } from '../../http/fields.ts';
import type { WithTrailers } from '../../server/payload.ts';

declare module 'node:http' {
  interface ServerResponse {
    /** Not in Node's types: the header section as sent; `headersSent` is whether there is one. */
    _header: string | null;
  }
}

/** Names in use everywhere, which need no look at each of their characters. */
const KNOWN_NAMES = new Set([
  'Content-Type',
  'Content-Length',
  'Location',
  'X-Request-Id',
  'X-Response-Time',
]);
const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/;
/** What no field value may have (RFC 9110 5.5). */
const FORBIDDEN = /[^\t\x20-\x7e\x80-\xff]/;
/** Bytes of content up to which copying it behind the header section beats a gathering write. */
const COPIED = 16 * 1024;

/**
 * Node's response, with shorter ways. Node hands even two bytes of content to the system as a
 * gathering write of header section, content and an empty end, and looks at each field several
 * times. That is the greatest single cost of a small answer; see bench/NOTES.md.
 */
export class Http1Response extends ServerResponse {
  /**
   * Sends a whole HTTP/1.1 answer, on a connection that stays open, as one write.
   *
   * @param content a string is ASCII
   * @returns false where that cannot be done, and nothing has been
   * @throws TypeError where a field has what RFC 9110 5.5 and 5.6.2 forbid
   */
  sendWhole(status: number, fields: readonly string[], content: string | Uint8Array): boolean {
    const { socket } = this;
    // Behind an answer that is not through yet, Node has not given it the socket.
    if (!socket || content.length > COPIED) return false;
    const section = this.begin(status, fields);
    // Node takes it for ended.
    this.finished = true;
    const sent = (error?: Error | null): void => {
      if (!error) this.emit('finish');
    };
    if (typeof content === 'string') socket.write(section + content, 'latin1', sent);
    else socket.write(joined(section, content), sent);
    return true;
  }

  /**
   * The same for content in ASCII with trailer fields, as one chunk (RFC 9112 7.1).
   *
   * @returns false as sendWhole does
   * @throws as sendWhole does
   */
  sendWithTrailers(
    status: number,
    fields: readonly string[],
    { content, trailers }: WithTrailers,
  ): boolean {
    if (typeof content !== 'string') return false;
    const trailerSection = Array.from(fieldPairs(trailers), ([name, value]) =>
      fieldLine(name, value),
    );
    const chunks = `${chunk(content)}0\r\n${trailerSection.join('')}\r\n`;
    return this.sendWhole(status, [...fields, ...CHUNKED], chunks);
  }

  /**
   * Sets the header section, which Node sends with the first bytes of content. For a HTTP/1.1
   * answer that has a Content-Length, on a connection that stays open.
   *
   * @returns the section
   * @throws TypeError as sendWhole does
   */
  begin(status: number, fields: readonly string[]): string {
    const section = headerSection(status, fields);
    // oxlint-disable-next-line no-underscore-dangle -- the name is Node's
    this._header = section;
    return section;
  }

  /**
   * The same for an answer that comes in chunks.
   *
   * @throws TypeError as sendWhole does
   */
  beginChunked(status: number, fields: readonly string[]): void {
    this.begin(status, [...fields, ...CHUNKED]);
    this.chunkedEncoding = true;
  }

  /** A chunk of ASCII as one string, where Node would write size, content and two line ends. */
  override write(piece: unknown, encoding?: BufferEncoding | Sent, sent?: Sent): boolean {
    if (typeof encoding !== 'string') return super.write(piece, encoding);
    const isAscii = typeof piece === 'string' && encoding === 'latin1';
    if (!this.chunkedEncoding || !isAscii || piece === '') {
      return super.write(piece, encoding, sent);
    }
    this.chunkedEncoding = false;
    const isTaken = super.write(chunk(piece), encoding, sent);
    this.chunkedEncoding = true;
    return isTaken;
  }
}

type Sent = ((error: Error | null | undefined) => void) | undefined;

const CHUNKED = ['Transfer-Encoding', 'chunked'] as const;

/** RFC 9112 7.1. */
function chunk(content: string): string {
  return content === '' ? '' : `${content.length.toString(16)}\r\n${content}\r\n`;
}

function joined(section: string, content: Uint8Array): Buffer {
  const message = Buffer.allocUnsafe(section.length + content.length);
  message.write(section, 0, 'latin1');
  message.set(content, section.length);
  return message;
}

/** Status line and fields (RFC 9112 4, 5), with the Date that an origin server owes (RFC 9110 6.6.1) unless they have one. */
function headerSection(status: number, fields: readonly string[]): string {
  let section = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n`;
  let dated = false;
  for (let at = 0; at < fields.length; at += 2) {
    const name = fields[at] ?? '';
    const value = fields[at + 1] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'date') dated = true;
    section += fieldLine(name, value);
  }
  return dated ? `${section}\r\n` : `${section}Date: ${date()}\r\n\r\n`;
}

function fieldLine(name: string, value: string): string {
  if ((!KNOWN_NAMES.has(name) && !TOKEN.test(name)) || FORBIDDEN.test(value)) {
    throw new TypeError(`the field ${JSON.stringify(name)} cannot be sent`);
  }
  return `${name}: ${value}\r\n`;
}

let second = 0;
let text = '';

/** Now, as IMF-fixdate (RFC 9110 5.6.7); made anew once a second. */
function date(): string {
  const now = Date.now();
  if (now < second || now >= second + 1000) {
    second = now - (now % 1000);
    text = new Date(second).toUTCString();
  }
  return text;
}
