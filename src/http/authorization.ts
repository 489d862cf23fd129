import { decodeFieldText, fieldValue, type FieldLines } from './fields.ts';

// credentials with a token68 (RFC 9110 11.4).
const WITH_TOKEN = /^([!#$%&'*+.^_`|~\w-]+) +([A-Za-z0-9._~+/-]+=*)$/;

/**
 * The token68 that a request's Authorization field has for a scheme.
 *
 * @param scheme in lower case
 * @returns undefined where the field is not there, malformed, or of another scheme
 */
export function authorizationToken(fields: FieldLines, scheme: string): string | undefined {
  const value = fieldValue(fields, 'authorization') ?? '';
  const [, name, token] = WITH_TOKEN.exec(value) ?? [];
  return name?.toLowerCase() === scheme ? token : undefined;
}

const SCHEME = /^([!#$%&'*+.^_`|~\w-]+) +/;
// auth-param, and what may stand before it in a list (RFC 9110 5.6.1.2, 11.2).
const PARAMETER =
  /(?:[ \t]*,)*[ \t]*([!#$%&'*+.^_`|~\w-]+)[ \t]*=[ \t]*(?:([!#$%&'*+.^_`|~\w-]+)|"((?:[^"\\]|\\.)*)")[ \t]*(?=,|$)/y;
const EMPTY_END = /^[ \t,]*$/;

/**
 * The parameters that a request's Authorization field has for a scheme, by their lower-case names:
 * tokens as sent, quoted strings without quotation marks and escapes.
 *
 * @param scheme in lower case
 * @returns undefined where the field is not there, malformed, of another scheme, or has a parameter
 * twice (RFC 9110 11.2)
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
