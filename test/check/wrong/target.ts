import {
  differs,
  readingHeads,
  wrong,
  type WrongProxy,
  changesPaths,
  readsHeads,
} from '../_wrong.ts';
import { fails, head, path, query } from '../_wrong-target.ts';

/** Gateways that change the targets of requests. */
export const wrongTargets: readonly WrongProxy[] = [
  path('decodes %0d%0a', '%0d%0a', '\r\n', 'encoded-crlf'),
  path('decodes %2F', /%2F/g, '/', 'encoded-slash'),
  path('decodes %2f in lower case only', /%2f/g, '/', 'encoded-slash-case'),
  path('decodes paths twice', /%25/g, '%', 'encoded-percent'),
  path('decodes %3F', /%3F/g, '?', 'encoded-question'),
  path('removes parameters of segments', /;[^/]*/g, '', 'semicolon'),
  changesPaths('encodes reserved characters', fails('sub-delims'), (text) =>
    text.replaceAll("'", '%27').replaceAll('(', '%28'),
  ),
  path('removes the slash at the end', /(.)\/$/, '$1', 'trailing-slash'),
  path('encodes paths again', /%C3/g, '%25C3', 'encoded-utf8'),
  path('merges slashes', /\/{2,}/g, '/', 'double-slash'),
  path('encodes ~', /~/g, '%7E', 'plain'),
  changesPaths(
    'removes dot segments',
    { 'target/dot-segments': 'differs', 'target/dot-segments-above-root': 'pass' },
    (text) =>
      text === '*'
        ? text
        : new URL(text.replaceAll(/%2e/gi, '%252e'), 'http://h').pathname.replaceAll(
            '%252e',
            '%2e',
          ),
  ),
  changesPaths('decodes and removes dot segments', fails('encoded-dot-segments'), (text) =>
    text.includes('%2e') ? new URL(text, 'http://h').pathname : text,
  ),
  changesPaths('decodes unreserved characters', fails('encoded-unreserved'), (text) =>
    text.replaceAll('%41', 'A').replaceAll('%7E', '~').replaceAll('%2D', '-'),
  ),
  changesPaths('writes hexadecimal digits in upper case', differs('target/hex-case'), (text) =>
    text.replaceAll(/%c3%a9/g, (digits) => digits.toUpperCase()),
  ),
  wrong('refuses targets of 4 KiB with 414', fails('long'), {
    refuses: ({ target }) =>
      target.startsWith('/anything') && target.length > 4096 ? 414 : undefined,
  }),
  path('cuts %00 and what follows', /%00.*/, '', 'encoded-nul'),
  path('mends malformed encodings', /%zz/g, '%25zz', 'malformed-percent'),
  readsHeads('makes a backslash a slash', 'http/1.1 target/backslash', /\\(?=.* HTTP)/, '/'),
  query('decodes queries', /%2F/g, '/', 'query'),
  query('writes + in queries as %20', /\+/g, '%20', 'query', 'query-encoded'),
  query('takes queries for UTF-8', /%FF/g, '%EF%BF%BD', 'query-encoded'),
  query('removes empty parts of queries', /&&/g, '&', 'query'),
  query('ends queries at a second question mark', /\?.*/, '', 'query-question'),
  query('drops parameters with a semicolon', /[^&]*;[^&]*&/g, '', 'query-question'),
  query('encodes brackets in queries', /\[/g, '%5B', 'query-brackets'),
  head('drops fragments', /^(\S+ [^\s#]*)#\S*/, '$1', 'fragment'),
  head('accepts a space in a target', /^(GET \S+) (a HTTP)/, '$1%20$2', 'space'),
  head('encodes control characters in a target', '\u0001', '%01', 'control'),
  path('ends paths at a brace or the like', /[{}|^`].*/, '', 'braces'),
  path('replaces delimiters of URLs in text', /["<>]/g, '_', 'delimiters'),
  wrong(
    'replaces bytes beyond ASCII in targets',
    'http/1.1 target/non-ascii',
    readingHeads(/^(\S+ \S*?)[\x80-\xff]+/, '$1-'),
  ),
];
