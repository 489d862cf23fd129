import { pulledOctets, type Pulled } from './payload.ts';
import { contentRange, type ByteRange } from './range.ts';

// The same request gets the same octets, so it is fixed; who uses it must not have it in the content.
const BOUNDARY = 'wirebin-byteranges';

/** The media type of what `byteranges` makes. */
export const BYTERANGES = `multipart/byteranges; boundary=${BOUNDARY}`;

/**
 * Several ranges of a representation as one content (RFC 9110 14.6).
 *
 * @param type the representation's media type
 * @param slice the octets of a range
 */
export function byteranges(
  ranges: readonly ByteRange[],
  { type, length }: { readonly type: string; readonly length: number },
  slice: (range: ByteRange) => Pulled,
): Pulled {
  const parts: Pulled[] = [];
  let delimiter = `--${BOUNDARY}`;
  for (const range of ranges) {
    const head = `Content-Type: ${type}\r\nContent-Range: ${contentRange(range, length)}`;
    parts.push(delimiting(`${delimiter}\r\n${head}\r\n\r\n`), slice(range));
    delimiter = `\r\n--${BOUNDARY}`;
  }
  parts.push(delimiting(`${delimiter}--\r\n`));
  return sequence(parts);
}

/** One payload behind the other. */
function sequence(parts: readonly Pulled[]): Pulled {
  const left = parts[Symbol.iterator]();
  let current = left.next();
  return {
    kind: 'pulled',
    length: parts.reduce((sum, part) => sum + part.length, 0),
    next(size) {
      for (; !current.done; current = left.next()) {
        const chunk = current.value.next(size);
        if (chunk) return chunk;
      }
      return undefined;
    },
  };
}

function delimiting(text: string): Pulled {
  return pulledOctets(Buffer.from(text, 'latin1'));
}
