import { fieldPairs, type FieldLines } from '../http/fields.ts';

/**
 * Puts field lines into a JSON text, each name and value on a line of its own.
 *
 * @param text an object as `prettyJson` has it, with an empty array as the member
 * @param member its name
 */
export function withFieldLines(text: string, member: string, lines: FieldLines): string {
  if (lines.length === 0) return text;
  // No string of JSON has a line break, and members of nested objects have more spaces before them.
  const opening = `\n  "${member}": [`;
  const end = text.indexOf(`${opening}]`) + opening.length;
  return `${text.slice(0, end)}\n    ${pairs(lines)}\n  ${text.slice(end)}`;
}

/** What JSON escapes; a field's characters are those of Latin-1, so no surrogates (RFC 8259 7). */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const ESCAPED = /["\\\u0000-\u001f]/;

function pairs(lines: FieldLines): string {
  const all = Array.from(fieldPairs(lines));
  if (!ESCAPED.test(lines.join(''))) {
    return all.map(([name, value]) => `["${name}", "${value}"]`).join(SEPARATOR);
  }
  const quoted = all.map(([name, value]) => `[${JSON.stringify(name)}, ${JSON.stringify(value)}]`);
  return quoted.join(SEPARATOR);
}

const SEPARATOR = ',\n    ';
