import {
  fieldPairs,
  decodeFieldText,
  fieldValue,
  isToken,
  type FieldLines,
} from '../http/fields.ts';
import type { QueryPairs } from '../http/query.ts';

type Values = Record<string, string[]>;

/** A field name as Go writes it: `x-request-id` is `X-Request-Id`; what is no token stays. */
export function goFieldName(name: string): string {
  return isToken(name) ? name.toLowerCase().replace(/(?<![^-])[a-z]/g, upper) : name;
}

function upper(letter: string): string {
  return letter.toUpperCase();
}

/** What Go keeps beside the fields, in a request's own properties. */
const ASIDE = new Set(['Host', 'Transfer-Encoding', 'Trailer']);

/** The fields as Go's `http.Header` has them: canonical names in order, an array of values each. */
export function goHeader(fields: FieldLines): Values {
  const pairs: [string, string][] = [];
  for (const [line, value] of fieldPairs(fields)) {
    const name = goFieldName(line);
    // The lines of Cookie are one (RFC 9113 8.2.3), and pseudo-header fields are properties too.
    if (!ASIDE.has(name) && name !== 'Cookie' && !name.startsWith(':'))
      pairs.push([name, decodeFieldText(value)]);
  }
  const cookie = fieldValue(fields, 'cookie');
  if (cookie !== undefined) pairs.push(['Cookie', decodeFieldText(cookie)]);
  return valuesByName(pairs);
}

/** What Go calls the host of a request: the target's authority before any field. */
export function goHost(authority: string | undefined, fields: FieldLines): string {
  return authority ?? fieldValue(fields, ':authority') ?? fieldValue(fields, 'host') ?? '';
}

/** Names, in the order that Go writes the keys of a map, to all their values. */
export function valuesByName(pairs: QueryPairs): Values {
  const values = new Map<string, string[]>();
  for (const [name, value] of pairs) {
    const before = values.get(name);
    if (before) before.push(value);
    else values.set(name, [value]);
  }
  return Object.fromEntries([...values].sort(([one], [other]) => (one < other ? -1 : 1)));
}
