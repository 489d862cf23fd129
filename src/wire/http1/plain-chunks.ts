const CR = 0x0d;
const LF = 0x0a;
const CRLF_LENGTH = 2;
/** Maximum number of digits in a chunk size, so that it fits in 32 bits. */
const MAX_DIGITS = 8;

/** Successive complete chunks without extensions (RFC 9112 7.1). */
export interface PlainChunks {
  readonly piece: Buffer;
  /** Offset of the first chunk line. */
  readonly start: number;
  /** Offset after the last one of these chunks. */
  readonly end: number;
  readonly count: number;
  /** Total bytes of their data. */
  readonly length: number;
}

/**
 * Counts the complete chunks in a piece. Stops at the last chunk (of size 0), and at a chunk line that contains more
 * than a size and CRLF. Optimized for floods: a read may contain ten thousand chunks of one byte.
 */
export function plainChunks(piece: Buffer, from: number): PlainChunks {
  let count = 0;
  let length = 0;
  let start = from;
  for (;;) {
    let at = start;
    let size = 0;
    for (
      let digit = hexDigit(piece[at]);
      digit >= 0 && at - start < MAX_DIGITS;
      digit = hexDigit(piece[at])
    ) {
      size = size * 16 + digit;
      at++;
    }
    const dataEnd = at + CRLF_LENGTH + size;
    const end = dataEnd + CRLF_LENGTH;
    const isPlain = size > 0 && end <= piece.length && isCrlf(piece, at) && isCrlf(piece, dataEnd);
    if (!isPlain) return { piece, start: from, end: start, count, length };
    count++;
    length += size;
    start = end;
  }
}

/** The data of plain chunks as one buffer, copied unless there is only one: a buffer for each would cost far more. */
export function plainContent({ piece, start, end, count, length }: PlainChunks): Buffer {
  if (count === 1) {
    const dataEnd = end - CRLF_LENGTH;
    return piece.subarray(dataEnd - length, dataEnd);
  }
  const content = Buffer.allocUnsafeSlow(length);
  let written = 0;
  for (let at = start; at < end;) {
    let size = 0;
    for (let digit = hexDigit(piece[at]); digit >= 0; digit = hexDigit(piece[at])) {
      size = size * 16 + digit;
      at++;
    }
    at += CRLF_LENGTH;
    written += piece.copy(content, written, at, at + size);
    at += size + CRLF_LENGTH;
  }
  return content;
}

/** The value of a hexadecimal digit; -1 if the byte is not one. */
function hexDigit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

function isCrlf(piece: Buffer, at: number): boolean {
  return piece[at] === CR && piece[at + 1] === LF;
}
