const CR = 0x0d;
const LF = 0x0a;
const CRLF_LENGTH = 2;
/** Of a chunk size that fits in 32 bits. */
const MAX_DIGITS = 8;

/** Chunks (RFC 9112 7.1), one after another. */
interface PlainChunks {
  readonly chunks: number;
  /** Bytes of their data. */
  readonly content: number;
  /** Where the chunk line after them begins. */
  readonly end: number;
}

/**
 * Counts the chunks that are complete in a piece, up to the first one that is the last chunk, or whose lines
 * have more than a size and CRLF. A flood of chunks of one byte has ten thousand of them in a read.
 */
export function plainChunks(piece: Buffer, from: number): PlainChunks {
  let chunks = 0;
  let content = 0;
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
    if (!isPlain) return { chunks, content, end: start };
    chunks++;
    content += size;
    start = end;
  }
}

/** The value of a hexadecimal digit; -1 if it is none. */
function hexDigit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

function isCrlf(piece: Buffer, at: number): boolean {
  return piece[at] === CR && piece[at + 1] === LF;
}
