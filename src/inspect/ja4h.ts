import { fieldPairs, type FieldLines } from '../http/fields.ts';
import { trimOws } from '../http/syntax.ts';
import { countCode, hashedParts, rawParts } from '../net/fingerprints.ts';

interface Cookie {
  readonly name: string;
  /** Name and value of the cookie, as sent. */
  readonly pair: string;
}

/**
 * JA4H of a request (FoxIO, technical_details/JA4H.png): method, version, whether it has cookies and a referrer, number
 * of other fields, language; names of those fields; names of cookies; cookies. FoxIO licenses it, unlike JA4, under the
 * FoxIO License 1.1. In four forms: hashed or raw (`r`), cookies sorted or in the client's order (`o`).
 *
 * @param version as in `HTTP/1.1`: `1.1`, `2.0` or `2`
 * @param lines field lines as sent; pseudo-header fields are ignored
 */
export function ja4h(method: string, version: string, lines: FieldLines) {
  const fields = [...fieldPairs(lines)].filter(([name]) => !name.startsWith(':'));
  const valuesOf = (wanted: string): string[] =>
    fields.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value);
  const names = fields.map(([name]) => name).filter((name) => !/^(?:cookie|referer)$/i.test(name));
  const cookies = cookiesOf(valuesOf('cookie'));
  const start = [
    method.slice(0, 2).toLowerCase(),
    versionCode(version),
    valuesOf('cookie').length > 0 ? 'c' : 'n',
    valuesOf('referer').length > 0 ? 'r' : 'n',
    countCode(names),
    languageCode(valuesOf('accept-language')[0]),
  ].join('');
  // By name, and then by name and value.
  const sorted = cookies.toSorted((a, b) => compare(a.name, b.name) || compare(a.pair, b.pair));
  return {
    ja4h: hashedParts(start, listsOf(names, sorted)),
    ja4h_r: rawParts(start, listsOf(names, sorted)),
    ja4h_o: hashedParts(start, listsOf(names, cookies)),
    ja4h_ro: rawParts(start, listsOf(names, cookies)),
  };
}

function listsOf(names: readonly string[], cookies: readonly Cookie[]): string[] {
  const parts = [names, cookies.map(({ name }) => name), cookies.map(({ pair }) => pair)];
  return parts.map((part) => part.join(','));
}

/** HTTP version: `10`, `11`, `20` or `30`. */
function versionCode(version: string): string {
  const [major = '', minor = '0'] = version.split('.');
  return `${major}${minor}`;
}

/** First four characters of the first language, without hyphens, padded with `0`. */
function languageCode(value = ''): string {
  const [language = ''] = trimOws(value).replaceAll('-', '').split(/[,;]/);
  return language.slice(0, 4).toLowerCase().padEnd(4, '0');
}

/** Cookies of all Cookie lines: HTTP/2 clients may split the field (RFC 9113 8.2.3). */
function cookiesOf(values: readonly string[]): Cookie[] {
  return values
    .flatMap((value) => value.split(';'))
    .map(trimOws)
    .filter((pair) => pair !== '')
    .map((pair) => ({ name: pair.split('=', 1)[0] ?? '', pair }));
}

/** Compares by code unit, regardless of the locale. */
function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
