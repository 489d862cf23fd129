const REDACTED = '[redacted]';

/** Field names whose values are secret. */
const SECRET = /authorization|cookie|token|secret|password|api-?key/i;

const SECRET_OR_QUERY = new RegExp(`${SECRET.source}|\\?`, 'i');

const ORIGIN = /^[a-z]+:\/\/[^/?#]*/i;

/** Redacts the value of a field whose name indicates a secret. */
export function redactField(name: string, value: string): string {
  if (SECRET.test(name)) return redact(value);
  const lowerName = name.toLowerCase();
  // A redirect often repeats the query of its request.
  if (lowerName === 'location') return redactLine(value);
  if (lowerName !== 'referer') return value;
  // The path and query of a Referer can contain secrets.
  const [origin = ''] = ORIGIN.exec(value) ?? [];
  return origin === value ? value : `${origin}/${REDACTED}`;
}

/** Replaces a value with `[redacted]`, unless it is empty. */
export function redact(secret: string): string {
  return secret === '' ? '' : REDACTED;
}

/** Redacts a line that is not a field line: all text after a query mark or a word like "cookie". */
export function redactLine(line: string): string {
  const match = SECRET_OR_QUERY.exec(line);
  if (!match) return line;
  const end = match.index + match[0].length;
  return line.slice(0, end) + redact(line.slice(end));
}
