import type { FieldLines } from '../http/fields.ts';

/**
 * Inserts field lines into JSON text, one per line.
 *
 * @param text an object serialized by `prettyJson()`, whose member is an empty array
 * @param member name of a top-level member
 */
export function withFieldLines(text: string, member: string, lines: FieldLines): string {
  if (lines.length === 0) return text;
  // A unique match: JSON strings contain no line breaks, and members of nested objects are indented further.
  const opening = `\n  "${member}": [`;
  const end = text.indexOf(`${opening}]`) + opening.length;
  return `${text.slice(0, end)}\n    ${serializePairs(lines)}\n  ${text.slice(end)}`;
}

/** Characters that JSON escapes (RFC 8259 7). Field values are in Latin-1, so there are no surrogates. */
// oxlint-disable-next-line no-control-regex -- control characters are escaped too
const ESCAPED = /["\\\u0000-\u001f]/;

function serializePairs(lines: FieldLines): string {
  const isPlain = !ESCAPED.test(lines.join(''));
  let text = '';
  // A loop, because every echo has field lines, and arrays of pairs take twice as long.
  for (let at = 0; at < lines.length; at += 2) {
    const name = lines[at] ?? '';
    const value = lines[at + 1] ?? '';
    const pair = isPlain
      ? `"${name}", "${value}"`
      : `${JSON.stringify(name)}, ${JSON.stringify(value)}`;
    text += `${at === 0 ? '' : SEPARATOR}[${pair}]`;
  }
  return text;
}

const SEPARATOR = ',\n    ';
