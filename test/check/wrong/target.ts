import { wrong, changingPaths, changingQueries, readingHeads, type WrongProxy } from '../_wrong.ts';

/** Gateways that change the targets of requests. */
export const wrongTargets: readonly WrongProxy[] = [
  wrong(
    'decodes %0d%0a',
    changingPaths((path) => path.replace('%0d%0a', '\r\n')),
    { 'target/encoded-crlf': 'fail' },
  ),
  wrong(
    'decodes %2F',
    changingPaths((path) => path.replaceAll('%2F', '/')),
    {
      'target/encoded-slash': 'fail',
    },
  ),
  wrong(
    'decodes %2f in lower case only',
    changingPaths((path) => path.replaceAll('%2f', '/')),
    {
      'target/encoded-slash-case': 'fail',
    },
  ),
  wrong(
    'decodes paths twice',
    changingPaths((path) => path.replaceAll('%25', '%')),
    {
      'target/encoded-percent': 'fail',
    },
  ),
  wrong(
    'decodes %3F',
    changingPaths((path) => path.replaceAll('%3F', '?')),
    {
      'target/encoded-question': 'fail',
    },
  ),
  wrong(
    'removes parameters of segments',
    changingPaths((path) => path.replaceAll(/;[^/]*/g, '')),
    {
      'target/semicolon': 'fail',
    },
  ),
  wrong(
    'encodes reserved characters',
    changingPaths((path) => path.replaceAll("'", '%27').replaceAll('(', '%28')),
    { 'target/sub-delims': 'fail' },
  ),
  wrong(
    'removes the slash at the end',
    changingPaths((path) => path.replace(/(.)\/$/, '$1')),
    {
      'target/trailing-slash': 'fail',
    },
  ),
  wrong(
    'encodes paths again',
    changingPaths((path) => path.replaceAll('%C3', '%25C3')),
    { 'target/encoded-utf8': 'fail' },
  ),
  wrong(
    'merges slashes',
    changingPaths((path) => path.replaceAll(/\/{2,}/g, '/')),
    {
      'target/double-slash': 'differs',
    },
  ),
  wrong(
    'encodes ~',
    changingPaths((path) => path.replaceAll('~', '%7E')),
    { 'target/plain': 'fail' },
  ),
  wrong(
    'removes dot segments',
    changingPaths((path) =>
      path === '*'
        ? path
        : new URL(path.replaceAll(/%2e/gi, '%252e'), 'http://h').pathname.replaceAll(
            '%252e',
            '%2e',
          ),
    ),
    { 'target/dot-segments': 'differs', 'target/dot-segments-above-root': 'pass' },
  ),
  wrong(
    'decodes and removes dot segments',
    changingPaths((path) => (path.includes('%2e') ? new URL(path, 'http://h').pathname : path)),
    { 'target/encoded-dot-segments': 'differs' },
  ),
  wrong(
    'decodes unreserved characters',
    changingPaths((path) =>
      path.replaceAll('%41', 'A').replaceAll('%7E', '~').replaceAll('%2D', '-'),
    ),
    { 'target/encoded-unreserved': 'differs' },
  ),
  wrong(
    'writes hexadecimal digits in upper case',
    changingPaths((path) => path.replaceAll(/%c3%a9/g, (text) => text.toUpperCase())),
    { 'target/hex-case': 'differs' },
  ),
  wrong(
    'refuses targets of 4 KiB with 414',
    {
      refuses: ({ target }) =>
        target.startsWith('/anything') && target.length > 4096 ? 414 : undefined,
    },
    { 'target/long': 'fail' },
  ),
  wrong(
    'cuts %00 and what follows',
    changingPaths((path) => path.replace(/%00.*/, '')),
    {
      'target/encoded-nul': 'differs',
    },
  ),
  wrong(
    'mends malformed encodings',
    changingPaths((path) => path.replaceAll('%zz', '%25zz')),
    {
      'target/malformed-percent': 'fail',
    },
  ),
  wrong(
    'makes a backslash a slash',
    { ...readingHeads(/\\(?=.* HTTP)/, '/') },
    {
      'http/1.1 target/backslash': 'fail',
    },
  ),
  wrong(
    'decodes queries',
    changingQueries((query) => query.replaceAll('%2F', '/')),
    {
      'target/query': 'fail',
    },
  ),
  wrong(
    'writes + in queries as %20',
    changingQueries((query) => query.replaceAll('+', '%20')),
    {
      'target/query': 'fail',
      'target/query-encoded': 'fail',
    },
  ),
  wrong(
    'removes empty parts of queries',
    changingQueries((query) => query.replaceAll('&&', '&')),
    {
      'target/query': 'fail',
    },
  ),
  wrong(
    'ends queries at a second question mark',
    changingQueries((query) => query.replace(/\?.*/, '')),
    {
      'target/query-question': 'fail',
    },
  ),
  wrong(
    'drops parameters with a semicolon',
    changingQueries((query) => query.replaceAll(/[^&]*;[^&]*&/g, '')),
    {
      'target/query-question': 'fail',
    },
  ),
  wrong(
    'encodes brackets in queries',
    changingQueries((query) => query.replaceAll('[', '%5B')),
    {
      'target/query-brackets': 'fail',
    },
  ),
  wrong('drops fragments', readingHeads(/^(\S+ [^\s#]*)#\S*/, '$1'), { 'target/fragment': 'fail' }),
  wrong('accepts a space in a target', readingHeads(/^(GET \S+) (a HTTP)/, '$1%20$2'), {
    'target/space': 'fail',
  }),
  wrong('encodes control characters in a target', readingHeads('\u0001', '%01'), {
    'target/control': 'fail',
  }),
  wrong(
    'ends paths at a brace or the like',
    changingPaths((path) => path.replace(/[{}|^`].*/, '')),
    { 'target/braces': 'fail' },
  ),
  wrong(
    'replaces delimiters of URLs in text',
    changingPaths((path) => path.replaceAll(/["<>]/g, '_')),
    { 'target/delimiters': 'fail' },
  ),
  wrong('replaces bytes beyond ASCII in targets', readingHeads(/^(\S+ \S*?)[\x80-\xff]+/, '$1-'), {
    'http/1.1 target/non-ascii': 'fail',
  }),
];
