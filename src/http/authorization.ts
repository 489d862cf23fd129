import { decodeFieldText, fieldValue, type FieldLines } from './fields.ts';

// Credentials with a token68 (RFC 9110 11.4).
const WITH_TOKEN = /^([!#$%&'*+.^_`|~\w-]+) +([A-Za-z0-9._~+/-]+=*)$/;

/**
 * The token68 in a request's Authorization field.
 *
 * @param scheme in lower case
 * @returns undefined if the field is missing, malformed or has another scheme
 */
export function authorizationToken(fields: FieldLines, scheme: string): string | undefined {
  const value = fieldValue(fields, 'authorization') ?? '';
  const [, name, token] = WITH_TOKEN.exec(value) ?? [];
  return name?.toLowerCase() === scheme ? token : undefined;
}

const SCHEME = /^([!#$%&'*+.^_`|~\w-]+) +/;
// auth-param, after optional empty list elements (RFC 9110 5.6.1.2, 11.2).
const PARAMETER =
  /(?:[ \t]*,)*[ \t]*([!#$%&'*+.^_`|~\w-]+)[ \t]*=[ \t]*(?:([!#$%&'*+.^_`|~\w-]+)|"((?:[^"\\]|\\.)*)")[ \t]*(?=,|$)/y;
const EMPTY_END = /^[ \t,]*$/;

/**
 * The parameters in a request's Authorization field by lower-case name, with quoted strings unquoted.
 *
 * @param scheme in lower case
 * @returns undefined if the field is missing, malformed, has another scheme or repeats a parameter
 * (RFC 9110 11.2)
 */
export function authorizationParameters(
  fields: FieldLines,
  scheme: string,
): ReadonlyMap<string, string> | undefined {
  const value = decodeFieldText(fieldValue(fields, 'authorization') ?? '');
  const [start, name] = SCHEME.exec(value) ?? [];
  if (start === undefined || name?.toLowerCase() !== scheme) return undefined;
  const parameters = new Map<string, string>();
  let end = start.length;
  PARAMETER.lastIndex = end;
  for (let found = PARAMETER.exec(value); found; found = PARAMETER.exec(value)) {
    const [, parameter = '', token, quoted = ''] = found;
    const key = parameter.toLowerCase();
    if (parameters.has(key)) return undefined;
    parameters.set(key, token ?? quoted.replace(/\\(.)/g, '$1'));
    end = PARAMETER.lastIndex;
  }
  return parameters.size > 0 && EMPTY_END.test(value.slice(end)) ? parameters : undefined;
}
