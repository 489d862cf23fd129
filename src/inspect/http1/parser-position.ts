import type { ParserError } from '../../net/inspector.ts';

/**
 * Reasons of llhttp whose position is one too high, because it had consumed the byte that it refuses. The position of
 * all other reasons is that of the byte. The last two reasons are limits of Node.
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

/** Tracks how far Node's HTTP/1 parser has read, and which byte it refused. Offsets are from the first byte. */
export class ParserPosition {
  #parsed = 0;
  #last: number | undefined;

  /** Call after Node has parsed a piece without error. */
  parsed(piece: Buffer): void {
    this.#parsed += piece.length;
    this.#last = piece.at(-1);
  }

  /** Offset of the byte that the parser refused. If it failed at the end of the connection, that of the end. */
  stoppedAt(error: ParserError): number {
    const { bytesParsed = 0 } = error;
    const isAfter = bytesParsed > 0 && this.#isConsumed(error, bytesParsed);
    return this.#parsed + bytesParsed - (isAfter ? 1 : 0);
  }

  #isConsumed({ reason = '', rawPacket }: ParserError, bytesParsed: number): boolean {
    const last = rawPacket?.[bytesParsed - 1];
    const isSpace = last === SP || last === HTAB;
    switch (reason) {
      // For three reasons, the byte decides whether it was consumed.
      case 'Expected CRLF after version':
        return last === LF;
      case 'Invalid character in chunk size':
        return isSpace;
      case 'Invalid header value char': {
        // Consumed if the value is empty and folded, or has a bare LF. Other white space belongs to the value.
        const before = bytesParsed > 1 ? rawPacket?.[bytesParsed - 2] : this.#last;
        return last === LF || (isSpace && before === LF);
      }
      default:
        return CONSUMED.has(reason);
    }
  }
}
