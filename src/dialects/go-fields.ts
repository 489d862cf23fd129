import { fieldPairs, decodeFieldText, fieldValue, type FieldLines } from '../http/fields.ts';
import { isToken } from '../http/syntax.ts';
import type { QueryPairs } from '../http/query.ts';

type Values = Record<string, string[]>;

/** The name in Go's canonical form: `X-Request-Id` for `x-request-id`. Invalid names are unchanged. */
export function goFieldName(name: string): string {
  if (!isToken(name)) return name;
  return name.toLowerCase().replace(/(?<![^-])[a-z]/g, (letter) => letter.toUpperCase());
}

/** Fields that Go removes from Header, because they are properties of the request. */
const NOT_IN_HEADER = new Set(['Host', 'Transfer-Encoding', 'Trailer']);

/** Go's `http.Header`: canonical names, sorted, each with an array of values. */
export function goHeader(fields: FieldLines): Values {
  const pairs: [string, string][] = [];
  for (const [line, value] of fieldPairs(fields)) {
    const name = goFieldName(line);
    // Cookie lines are joined below (RFC 9113 8.2.3). Go also has properties for pseudo-header fields.
    if (!NOT_IN_HEADER.has(name) && name !== 'Cookie' && !name.startsWith(':'))
      pairs.push([name, decodeFieldText(value)]);
  }
  const cookie = fieldValue(fields, 'cookie');
  if (cookie !== undefined) pairs.push(['Cookie', decodeFieldText(cookie)]);
  return valuesByName(pairs);
}

/** Go's `Request.Host`: the target's authority, or else `:authority` or Host. */
export function goHost(authority: string | undefined, fields: FieldLines): string {
  return authority ?? fieldValue(fields, ':authority') ?? fieldValue(fields, 'host') ?? '';
}

/** Groups values by name, in the order in which Go's encoding/json sorts the keys of a map. */
export function valuesByName(pairs: QueryPairs): Values {
  const values = new Map<string, string[]>();
  for (const [name, value] of pairs) {
    const group = values.get(name);
    if (group) group.push(value);
    else values.set(name, [value]);
  }
  return Object.fromEntries([...values].sort(([one], [other]) => (one < other ? -1 : 1)));
}
