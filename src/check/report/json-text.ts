/** A value as JSON, with characters escaped that a terminal could take for control characters. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value, undefined, 2);
  const escaped = text.replaceAll(/[^\P{C}\n]|[\u2028\u2029]/gu, (character) =>
    Array.from({ length: character.length }, (_, at) => unicodeEscape(character, at)).join(''),
  );
  return `${escaped}\n`;
}

/** A UTF-16 code unit as a JSON escape (RFC 8259 7). */
function unicodeEscape(text: string, at: number): string {
  return `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`;
}
