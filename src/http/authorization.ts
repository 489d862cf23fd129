import { decodeFieldText, fieldValue, type FieldLines } from './fields.ts';
import { Scanner, TOKEN } from './syntax.ts';

// Credentials with token68 (RFC 9110 11.4).
const WITH_TOKEN = new RegExp(`^(${TOKEN}) +([A-Za-z0-9._~+/-]+=*)$`);

/**
 * The token68 of a request's Authorization.
 *
 * @param scheme in lower case
 * @returns undefined if the field is missing, malformed, or has another scheme
 */
export function authorizationToken(fields: FieldLines, scheme: string): string | undefined {
  const value = fieldValue(fields, 'authorization') ?? '';
  const [, name, token] = WITH_TOKEN.exec(value) ?? [];
  return name?.toLowerCase() === scheme ? token : undefined;
}

/** Whether a request has these Basic credentials, decoded as UTF-8 (RFC 7617 2.1). */
export function hasBasicCredentials(fields: FieldLines, user: string, passwd: string): boolean {
  const token = authorizationToken(fields, 'basic');
  return token !== undefined && Buffer.from(token, 'base64').toString() === `${user}:${passwd}`;
}

/**
 * The parameters of a request's Authorization by lower-case name. Quoted strings are unquoted.
 *
 * @param scheme in lower case
 * @returns undefined if the field is missing, malformed, has another scheme, or repeats a parameter (RFC 9110 11.2)
 */
export function authorizationParameters(
  fields: FieldLines,
  scheme: string,
): ReadonlyMap<string, string> | undefined {
  const scanner = new Scanner(fieldValue(fields, 'authorization') ?? '');
  if (scanner.token()?.toLowerCase() !== scheme || !scanner.skip(' ')) return undefined;
  const parameters = new Map<string, string>();
  for (;;) {
    scanner.skipOws();
    const name = scanner.token()?.toLowerCase();
    // Ignore empty list elements (RFC 9110 5.6.1.2).
    if (name !== undefined) {
      scanner.skipOws();
      if (!scanner.skip('=') || parameters.has(name)) return undefined;
      scanner.skipOws();
      const value = scanner.value();
      if (value === undefined) return undefined;
      parameters.set(name, decodeFieldText(value));
      scanner.skipOws();
    }
    if (scanner.isAtEnd) return parameters.size > 0 ? parameters : undefined;
    if (!scanner.skip(',')) return undefined;
  }
}
