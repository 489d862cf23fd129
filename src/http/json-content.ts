/**
 * The most bytes of indentation that a value may need when it is shown. Without a bound 200 KB of
 * deeply nested brackets make an answer of 200 MB, and deeper ones overflow the stack.
 */
const MAX_INDENTATION = 8 * 1024 ** 2;

/** The value of a JSON text; null where it is none, or would take too much to show indented. */
export function parseJsonOrNull(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    const nests = typeof value === 'object' && value !== null;
    return nests && indentation(text) > MAX_INDENTATION ? null : value;
  } catch {
    return null;
  }
}

/** Bytes of indentation, two spaces a level, that the JSON text would have if it were indented. */
function indentation(text: string): number {
  let total = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case '"':
        at = endOfString(text, at);
        break;
      case '[':
      case '{':
        depth++;
        total += 2 * depth;
        break;
      case ']':
      case '}':
        depth--;
        total += 2 * depth;
        break;
      case ',':
        total += 2 * depth;
        break;
      default:
    }
  }
  return total;
}

/** Where the string that begins at `start` ends: its closing quotation mark, or the text's end. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}
