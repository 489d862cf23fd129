const HTML = /[<>&]/g;
const LINES = /[\u2028\u2029]/g;

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/**
 * JSON in the form of Go's `encoding/json`, which always escapes U+2028 and U+2029.
 *
 * @param indent spaces per level; 0 for one line
 * @param html whether to escape `<`, `>` and `&` (`SetEscapeHTML`)
 */
export function goJson(value: unknown, indent: number, html: boolean): string {
  const text = JSON.stringify(value, null, indent).replace(LINES, unicodeEscape);
  return html ? text.replace(HTML, unicodeEscape) : text;
}

const BEYOND_ASCII = /[\u007f-\uffff]/g;

/** JSON in Flask's form: sorted keys, indentation of two spaces, ASCII, final newline. */
export function flaskJson(value: unknown): string {
  return `${asciiJson(withSortedKeys(value), 2)}\n`;
}

/** JSON in the form of Python's `json.dumps`, but without spaces after commas and colons. */
export function asciiJson(value: unknown, indent = 0): string {
  return JSON.stringify(value, null, indent).replace(BEYOND_ASCII, unicodeEscape);
}

function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedKeys);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, withSortedKeys(member)]));
}
