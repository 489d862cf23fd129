/**
 * Maximum bytes of indentation in a serialized value. Otherwise, 200 KB of nested brackets would make a response of 200
 * MB, and deeper nesting overflow the stack.
 */
const MAX_INDENTATION = 8 * 1024 ** 2;

/** Parses JSON; null if it is malformed or would need too much indentation. */
export function parseJson(text: string): unknown {
  const nests = /^\s*[[{]/.test(text);
  // Checked before parsing, because 16 MiB of `{},` become hundreds of MiB of objects.
  if (nests && indentation(text) > MAX_INDENTATION) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Bytes of indentation that JSON text would have with two spaces per level. */
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

/** Index of the closing quotation mark of the string at `start`; the end of the text without one. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}
