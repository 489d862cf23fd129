const HTML = /[<>&]/;
const LINES = /[\u2028\u2029]/;
const BEYOND_ASCII = /[\u007f-\uffff]/;

const DIGITS = Buffer.from('0123456789abcdef');

/** Writes characters as `\uXXXX`. Without a callback for each, which would take a quarter of a second for 2 MiB. */
function unicodeEscaped(text: string, isEscaped: (code: number) => boolean): string {
  let length = text.length;
  for (let at = 0; at < text.length; at++) if (isEscaped(text.charCodeAt(at))) length += 5;
  const units = new Uint16Array(length);
  let end = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (!isEscaped(code)) units[end++] = code;
    else {
      units[end++] = 0x5c; // \
      units[end++] = 0x75; // u
      for (let shift = 12; shift >= 0; shift -= 4)
        units[end++] = DIGITS[(code >> shift) & 0xf] ?? 0;
    }
  }
  return Buffer.from(units.buffer).toString('utf16le');
}

const isHtml = (code: number): boolean => code === 0x3c || code === 0x3e || code === 0x26;
const isLine = (code: number): boolean => code === 0x2028 || code === 0x2029;
const isBeyondAscii = (code: number): boolean => code >= 0x7f;

/**
 * JSON in the form of Go's `encoding/json`, which always escapes U+2028 and U+2029.
 *
 * @param indent spaces per level; 0 for one line
 * @param html whether to escape `<`, `>` and `&` (`SetEscapeHTML`)
 */
export function goJson(value: unknown, indent: number, html: boolean): string {
  const text = JSON.stringify(value, null, indent);
  const shown = LINES.test(text) ? unicodeEscaped(text, isLine) : text;
  return html && HTML.test(shown) ? unicodeEscaped(shown, isHtml) : shown;
}

/** JSON in Flask's form: sorted keys, indentation of two spaces, ASCII, final newline. */
export function flaskJson(value: unknown): string {
  return `${asciiJson(withSortedKeys(value), 2)}\n`;
}

/** JSON in the form of Python's `json.dumps`, but without spaces after commas and colons. */
export function asciiJson(value: unknown, indent = 0): string {
  const text = JSON.stringify(value, null, indent);
  return BEYOND_ASCII.test(text) ? unicodeEscaped(text, isBeyondAscii) : text;
}

function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedKeys);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, withSortedKeys(member)]));
}
