import { quoted, trustFlags } from '../pages/curl.ts';

/** Name and value of an input. */
export type Pairs = readonly (readonly [name: string, value: string])[];

/** A field of requests that the page itself sends, not a form of it. */
export const OWN_FIELD = 'x-wirebin-page';

/** A request as described by a form. */
export interface Request {
  readonly method: string;
  /** Path and query, relative to the page. */
  readonly target: string;
  readonly fields: Pairs;
  /** Content; empty for none. */
  readonly content: string;
}

/** Name of the input for further query parameters, as rendered by the server. */
export const MORE = 'more';

/**
 * Path and query for an endpoint, without the leading slash.
 *
 * @param path pattern with parameters, such as `/bytes/{n}` or `/anything/*path`
 * @param pairs values of path and query parameters; empty ones are omitted from the query
 */
export function filledTarget(path: string, pairs: Pairs): string {
  const values = new Map(pairs);
  const filled = path.replace(/\{(\w+)\}|\*(\w+)/g, (_, name?: string, wildcard = '') => {
    const key = name ?? wildcard;
    const value = values.get(key) ?? '';
    values.delete(key);
    if (name !== undefined) return encodeURIComponent(value);
    return encodeURI(value).replaceAll('?', '%3F').replaceAll('#', '%23');
  });
  const more = values.get(MORE) ?? '';
  values.delete(MORE);
  const query = [...values]
    // Each line of a repeated parameter is a value.
    .flatMap(([name, value]) => value.split('\n').map((line) => [name, line] as const))
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  // The user may have percent-encoded some of the further parameters already.
  if (more !== '') query.push(encodeURI(more).replaceAll('%25', '%').replaceAll('#', '%23'));
  return filled.slice(1) + (query.length === 0 ? '' : `?${query.join('&')}`);
}

/** Parses lines of `name: value`. Others are ignored. */
export function parseFields(text: string): Pairs {
  return text.split('\n').flatMap((line) => {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon)).trim();
    return name === '' || /\s/.test(name) ? [] : [[name, line.slice(colon + 1).trim()] as const];
  });
}

/** Whether browsers send content with a method. */
export const sendsContent = (method: string): boolean => method !== 'GET' && method !== 'HEAD';

/** The content to send; empty with a method that has none. */
export function sentContent({ method, content }: Request): string {
  return sendsContent(method) ? content : '';
}

/** Content-Type that browsers send for text. */
const TEXT = 'text/plain;charset=UTF-8';

/** A curl command that sends the same request. @param base URL of the page, ending with a slash */
export function curlLine(request: Request, base: string): string {
  const { method, target, fields } = request;
  const content = sentContent(request);
  const url = `${base}${target}`;
  const words = ['curl', '-i', ...trustFlags(base)];
  if (/[[\]{}]/.test(target)) words.push('-g');
  if (method === 'HEAD') words.push('-I');
  else if (method !== 'GET') words.push('-X', method);
  for (const [name, value] of fields)
    words.push('-H', quoted(value === '' ? `${name};` : `${name}: ${value}`));
  if (content !== '') {
    if (!fields.some(([name]) => name.toLowerCase() === 'content-type')) {
      words.push('-H', quoted(`Content-Type: ${TEXT}`));
    }
    words.push('--data-raw', quoted(content));
  }
  return [...words, quoted(url)].join(' ');
}
