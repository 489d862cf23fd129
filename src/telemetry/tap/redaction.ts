const HIDDEN = '[redacted]';

/** Names that say what their values are. */
const SECRET = /authorization|cookie|token|secret|password|api-?key/i;

const SECRET_OR_QUERY = new RegExp(`${SECRET.source}|\\?`, 'i');

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

/** A line that is no field: hidden from behind a word that tells of a secret, or of a query. */
export function withoutSecretWords(line: string): string {
  const word = SECRET_OR_QUERY.exec(line);
  if (!word) return line;
  const shown = word.index + word[0].length;
  return line.slice(0, shown) + hidden(line.slice(shown));
}
