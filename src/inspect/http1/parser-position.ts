import type { ParserError } from '../../net/inspector.ts';

/**
 * llhttp's reasons whose position is after the byte that it refuses: it had consumed that byte. The position
 * of all others is that of the byte. The last two are Node's own limits.
 */
const CONSUMED = new Set([
  'Data after `Connection: close`',
  'Missing expected CR after chunk data',
  'Missing expected CR after chunk size',
  'Chunk size overflow',
  'Invalid character in chunk extensions',
  'Invalid character in chunk extensions name',
  'Invalid character in chunk extensions value',
  'Invalid character in chunk extensions quoted value',
  'Invalid quoted-pair in chunk extensions quoted value',
  'Expected SOURCE method for ICE/x.x request',
  'Invalid method for HTTP/x.x request',
  'Invalid method for RTSP/x.x request',
  "Content-Length can't be present with Transfer-Encoding",
  'Content-Length overflow',
  'Invalid header field char',
  'Invalid `Transfer-Encoding` header value',
  'Request has invalid `Transfer-Encoding`',
  "Transfer-Encoding can't be present with Content-Length",
  'Invalid characters in url',
  'Invalid HTTP version',
  'Unexpected space after start line',
  'Pause on PRI/Upgrade',
  'Header overflow',
  'Chunk extensions overflow',
]);

const HTAB = 0x09;
const LF = 0x0a;
const SP = 0x20;

/** Knows how far Node's HTTP/1 parser has read, and which byte it refused. Offsets are from the first byte. */
export class ParserPosition {
  #parsed = 0;
  #last: number | undefined;

  /** Call after Node has parsed a piece without an error. */
  parsed(piece: Buffer): void {
    this.#parsed += piece.length;
    this.#last = piece.at(-1);
  }

  /** The offset of the byte at which the parser stopped; at the end of the connection, that after the last byte. */
  stoppedAt(error: ParserError): number {
    const { bytesParsed = 0 } = error;
    const isAfter = bytesParsed > 0 && this.#isConsumed(error, bytesParsed);
    return this.#parsed + bytesParsed - (isAfter ? 1 : 0);
  }

  #isConsumed({ reason = '', rawPacket }: ParserError, bytesParsed: number): boolean {
    const last = rawPacket?.[bytesParsed - 1];
    const isSpace = last === SP || last === HTAB;
    switch (reason) {
      // Three reasons have both kinds of positions.
      case 'Expected CRLF after version':
        return last === LF;
      case 'Invalid character in chunk size':
        return isSpace;
      case 'Invalid header value char': {
        // An empty value that is folded, or a bare LF. Other white space is part of the value.
        const before = bytesParsed > 1 ? rawPacket?.[bytesParsed - 2] : this.#last;
        return last === LF || (isSpace && before === LF);
      }
      default:
        return CONSUMED.has(reason);
    }
  }
}
