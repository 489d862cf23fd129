/** Characters that JSON.stringify escapes (RFC 8259 7). It leaves surrogates that are pairs as they are. */
// oxlint-disable-next-line no-control-regex -- control characters are escaped too
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/;

/** Text as in a JSON string, without its quotation marks. */
export function jsonText(text: string): string {
  return ESCAPED.test(text) ? JSON.stringify(text).slice(1, -1) : text;
}

/** A value as that of a top-level member in `prettyJson()`. */
export function jsonMember(value: unknown): string {
  // JSON strings contain no line breaks.
  return JSON.stringify(value, null, 2).replaceAll('\n', '\n  ');
}

/** The members of an object as in `prettyJson()`; the object must have some. */
export function jsonMembers(value: object): string {
  return JSON.stringify(value, null, 2).slice('{\n'.length, -'\n}'.length);
}

/** Thousandths as decimals, without zeros at the end. */
const DECIMALS = Array.from({ length: 1000 }, (_, n) => String(n / 1000).slice(1));

/** The value of `toMicrosecond()` as JSON. @param milliseconds 0 or more */
export function jsonMilliseconds(milliseconds: number): string {
  const micros = Math.round(milliseconds * 1000);
  return `${Math.trunc(micros / 1000)}${DECIMALS[micros % 1000] ?? ''}`;
}
