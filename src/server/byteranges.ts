import { pullBytes, type PullSource } from './payload.ts';
import { contentRange, type ByteRange } from '../http/range.ts';

// The same request gets the same bytes, so it is fixed; who uses it must not have it in the content.
const BOUNDARY = 'wirebin-byteranges';

/** The media type of what `byteranges` makes. */
export const BYTERANGES = `multipart/byteranges; boundary=${BOUNDARY}`;

/**
 * Several ranges of a representation as one content (RFC 9110 14.6).
 *
 * @param type the representation's media type
 * @param slice the bytes of a range
 */
export function byteranges(
  ranges: readonly ByteRange[],
  { type, length }: { readonly type: string; readonly length: number },
  slice: (range: ByteRange) => PullSource,
): PullSource {
  const parts = () => partsOf(ranges, { type, length }, slice);
  let total = 0;
  for (const part of parts()) total += part.length;
  return sequence(parts(), total);
}

/** Made when they are wanted: a hundred of them would take a hundred times what a range does. */
function* partsOf(
  ranges: readonly ByteRange[],
  { type, length }: { readonly type: string; readonly length: number },
  slice: (range: ByteRange) => PullSource,
): Generator<PullSource, undefined> {
  let delimiter = `--${BOUNDARY}`;
  for (const range of ranges) {
    const head = `Content-Type: ${type}\r\nContent-Range: ${contentRange(range, length)}`;
    yield delimiting(`${delimiter}\r\n${head}\r\n\r\n`);
    yield slice(range);
    delimiter = `\r\n--${BOUNDARY}`;
  }
  yield delimiting(`${delimiter}--\r\n`);
}

/**
 * One payload after the other.
 *
 * @param length of all of them
 */
function sequence(parts: Iterator<PullSource>, length: number): PullSource {
  let current = parts.next();
  return {
    kind: 'pulled',
    length,
    next(size) {
      for (; !current.done; current = parts.next()) {
        const chunk = current.value.next(size);
        if (chunk) return chunk;
      }
      return undefined;
    },
  };
}

function delimiting(text: string): PullSource {
  return pullBytes(Buffer.from(text, 'latin1'));
}
