import { parseQuery, singleValue } from './query.ts';

/** A parsed request target (RFC 9112 3.2), neither decoded nor normalized. */
export interface Target {
  readonly form: 'origin' | 'absolute' | 'authority' | 'asterisk';
  /** The target as sent. */
  readonly raw: string;
  /** Scheme as sent; only in absolute form. */
  readonly scheme: string | undefined;
  /** Authority as sent; only in absolute and authority form. */
  readonly authority: string | undefined;
  /** The path as sent; `*` in asterisk form, empty in authority form. */
  readonly path: string;
  /** The query after the first `?`; empty without one. */
  readonly query: string;
  /** The path for endpoints, without --path-prefix. */
  readonly endpointPath?: string;
  /** The part of the query for endpoints, if others were taken out. */
  readonly endpointQuery?: string;
}

// The path group begins with a slash, so that no text matches two groups, which would cause backtracking.
const ABSOLUTE = /^(https?):\/\/([^/?#]*)((?:\/[^?#]*)?)(?:\?([^#]*))?$/i;

/**
 * Parses a request target.
 *
 * @returns undefined if the target has none of the four forms, a scheme other than http and https, or a
 * fragment, which must not be sent (RFC 9110 7.1)
 */
export function parseTarget(method: string, raw: string): Target | undefined {
  if (method === 'CONNECT') {
    return { form: 'authority', raw, scheme: undefined, authority: raw, path: '', query: '' };
  }
  if (raw.startsWith('/')) {
    if (raw.includes('#')) return undefined;
    const mark = raw.indexOf('?');
    const path = mark < 0 ? raw : raw.slice(0, mark);
    const query = mark < 0 ? '' : raw.slice(mark + 1);
    return { form: 'origin', raw, scheme: undefined, authority: undefined, path, query };
  }
  if (raw === '*') {
    if (method !== 'OPTIONS') return undefined;
    return {
      form: 'asterisk',
      raw,
      scheme: undefined,
      authority: undefined,
      path: '*',
      query: '',
    };
  }
  const [, scheme, authority, path, query] = ABSOLUTE.exec(raw) ?? [];
  if (scheme === undefined || authority === undefined || !isAuthority(authority)) return undefined;
  return { form: 'absolute', raw, scheme, authority, path: path || '/', query: query ?? '' };
}

// uri-host [ ":" port ] (RFC 9110 7.2, RFC 3986 3.2.2). User information is an error (RFC 9110 4.2.4).
const AUTHORITY =
  /^(?:\[[0-9A-Fa-f:.]+\]|\[v[0-9A-Fa-f]+\.[\w.~!$&'()*+,;=:-]+\]|(?:[\w.~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+)(?::\d*)?$/;

/** Whether text is `uri-host [ ":" port ]`, like Host and `:authority` must be. */
export function isAuthority(text: string): boolean {
  return AUTHORITY.test(text);
}

/**
 * Removes a parameter from the query that endpoints see.
 *
 * @param isIts matches parts of the query that are this parameter
 * @returns its value; undefined without one
 * @throws Problem invalid-parameter if it is repeated
 */
export function takeParameter(
  exchange: { target: Target | undefined },
  name: string,
  isIts: RegExp,
): string | undefined {
  const { target } = exchange;
  if (!target?.query.includes(name)) return undefined;
  const parts = (target.endpointQuery ?? target.query).split('&');
  const its = parts.filter((part) => isIts.test(part));
  if (its.length === 0) return undefined;
  const others = parts.filter((part) => !isIts.test(part));
  exchange.target = { ...target, endpointQuery: others.join('&') };
  return singleValue(parseQuery(its.join('&')), name);
}
