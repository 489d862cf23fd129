const HIDDEN = '[redacted]';

/** Names that say what their values are. */
const SECRET = /authorization|cookie|token|secret|password|api-?key/i;

const ORIGIN = /^[a-z]+:\/\/[^/?#]*/i;

/** A field's value, hidden where its name tells of a secret. */
export function withoutSecrets(name: string, value: string): string {
  if (SECRET.test(name)) return hidden(value);
  if (name.toLowerCase() !== 'referer') return value;
  // Queries and paths may be made of secrets.
  const [origin = ''] = ORIGIN.exec(value) ?? [];
  return origin === value ? value : `${origin}/${HIDDEN}`;
}

/** What stands for a secret; that there is none is no secret. */
export function hidden(secret: string): string {
  return secret === '' ? '' : HIDDEN;
}
