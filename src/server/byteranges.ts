import { pullBytes, repeatable, sequence, type PullSource, type Repeatable } from './payload.ts';
import { contentRange, type ByteRange } from '../http/range.ts';

// A fixed boundary, so that equal requests get equal bytes. The content must not contain it.
const BOUNDARY = 'wirebin-byteranges';

/** Media type of the content that `byteranges` makes. */
export const BYTERANGES = `multipart/byteranges; boundary=${BOUNDARY}`;

/**
 * Several ranges of a representation as multipart content (RFC 9110 14.6).
 *
 * @param type media type of the representation
 * @param slice returns the bytes of a range
 */
export function byteranges(
  ranges: readonly ByteRange[],
  { type, length }: { readonly type: string; readonly length: number },
  slice: (range: ByteRange) => PullSource,
): Repeatable {
  const parts = () => bodyParts(ranges, { type, length }, slice);
  let total = 0;
  for (const part of parts()) total += part.length;
  return repeatable(() => sequence(parts(), total));
}

/** Makes the parts one by one: a hundred of them together would take a hundred times the memory. */
function* bodyParts(
  ranges: readonly ByteRange[],
  { type, length }: { readonly type: string; readonly length: number },
  slice: (range: ByteRange) => PullSource,
): Generator<PullSource, undefined> {
  let delimiter = `--${BOUNDARY}`;
  for (const range of ranges) {
    const head = `Content-Type: ${type}\r\nContent-Range: ${contentRange(range, length)}`;
    yield pullText(`${delimiter}\r\n${head}\r\n\r\n`);
    yield slice(range);
    delimiter = `\r\n--${BOUNDARY}`;
  }
  yield pullText(`${delimiter}--\r\n`);
}

function pullText(text: string): PullSource {
  return pullBytes(Buffer.from(text, 'latin1'));
}
