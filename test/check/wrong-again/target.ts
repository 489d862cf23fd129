import { changesRequest, relaying, wrong, type WrongProxy, changesPaths } from '../_wrong.ts';
import { fails, head, path, query } from '../_wrong-target.ts';

const accepted = (text: string): string => text.replace(/^HTTP\/1\.1 400[^\r]*/, 'HTTP/1.1 200 OK');

/** Redirects such targets. */
const redirect = (
  name: string,
  isRedirected: (target: string) => boolean,
  id: string,
): WrongProxy =>
  wrong(name, fails(id), {
    refuses: (request) => (isRedirected(request.target) ? 308 : undefined),
  });

export const target: readonly WrongProxy[] = [
  path('a path with a dot loses it', 'b.c', 'bc', 'plain'),
  path('an encoded slash is encoded twice', /%2f/i, '%252F', 'encoded-slash', 'encoded-slash-case'),
  path('an encoded slash becomes an encoded backslash', '%2F', '%5C', 'encoded-slash'),
  path('an encoded slash in lower case loses its percent sign', '%2f', '2f', 'encoded-slash-case'),
  path('a percent sign is encoded again', '%25', '%2525', 'encoded-percent'),
  path('an encoded question mark is encoded twice', '%3F', '%253F', 'encoded-question'),
  path('an encoded question mark ends the path', /%3F.*/, '', 'encoded-question'),
  path('a semicolon is percent-encoded', ';', '%3B', 'semicolon'),
  path('an empty path parameter is dropped', /;b=c/, ';b', 'semicolon'),
  path('an apostrophe is percent-encoded', "'", '%27', 'sub-delims'),
  path('a plus is a space', '+', '%20', 'sub-delims'),
  path('a trailing slash is doubled', /\/$/, '//', 'trailing-slash'),
  redirect('a trailing slash is redirected', (text) => /\/\?/.test(text), 'trailing-slash'),
  path('UTF-8 is decomposed', '%C3%A9', 'e%CC%81', 'encoded-utf8'),
  path('UTF-8 in lower case becomes Latin-1', '%c3%a9', '%E9', 'hex-case'),
  path('UTF-8 in lower case is encoded twice', '%c3%a9', '%25c3%25a9', 'hex-case'),
  changesPaths('a long path loses its last byte', fails('long'), (text) =>
    text.length > 4000 ? text.slice(0, -1) : text,
  ),
  changesRequest('a long target loses its last 20 bytes', fails('long'), (request) => {
    if (request.target.length > 4000) request.target = request.target.slice(0, -20);
  }),
  redirect('a long target is redirected', (text) => text.length > 4000, 'long'),
  query('a parameter without a value gets an empty one', /&f$/, '&f=', 'query'),
  query('the second question mark is a separator', '?', '&', 'query-question'),
  query('a slash in a query is encoded', 'c/d', 'c%2Fd', 'query-question'),
  query('an encoded space becomes a plus', '%20', '+', 'query-encoded'),
  query('an encoded plus gets lower case', '%2B', '%2b', 'query-encoded'),
  query('brackets with a key are encoded', '[b]', '%5Bb%5D', 'query-brackets'),
  query('empty brackets get an index', '[]', '[0]', 'query-brackets'),
  head('a fragment is encoded into the path', /#fragment/, '%23fragment', 'fragment'),
  head('a fragment becomes a query', /#fragment/, '?fragment', 'fragment'),
  wrong(
    'a fragment is forwarded, and the refusal shown as 200',
    fails('fragment'),
    relaying(/(#fragment)/, '$1', accepted),
  ),
  head('a space in a target is encoded', /^(GET \S+) a /, '$1%20a ', 'space'),
  head('a target ends at a space', /^(GET \S+) a /, '$1 ', 'space'),
  head('a control character is encoded', /[^!-~ ] HTTP/, '%01 HTTP', 'control'),
  head('a control character is removed', /[^!-~ ] HTTP/, ' HTTP', 'control'),
  path('a malformed encoding is dropped', '%zz', '', 'malformed-percent'),
  head('a backslash is an encoded slash', /^(GET \S*)\\/, '$1%2F', 'backslash'),
  head('a backslash is dropped', /^(GET \S*)\\/, '$1', 'backslash'),
  head('a backslash escapes the next character', /^(GET \S*)\\b/, '$1%08', 'backslash'),
  changesRequest('* becomes a path on HTTP/2', 'h2 target/asterisk', (request, client) => {
    if (client.target === '*' && client.version === '2.0') request.target = '/*';
  }),
  changesRequest('* becomes a path with a slash and itself', fails('asterisk'), (request) => {
    if (request.target === '*') request.target = '/%2A';
  }),
  changesRequest('* is forwarded as GET /', fails('asterisk'), (request) => {
    if (request.target === '*') Object.assign(request, { method: 'GET', target: '/' });
  }),
  changesRequest(
    'the URL of a target is forwarded in place of its path',
    fails('plain'),
    (request) => {
      if (request.target.startsWith('/anything/a/b.c'))
        request.target = `http://${request.host}${request.target}`;
    },
  ),
  changesRequest(
    'an encoded slash is decoded in requests with content',
    fails('encoded-slash'),
    (request, client) => {
      if (client.framing !== 'none') request.target = request.target.replace('%2F', '/');
    },
  ),
  path('%00 is encoded again', '%00', '%2500', 'encoded-nul'),
  path(
    'only the first dot segments above the root are removed',
    '/..',
    '',
    'dot-segments-above-root',
  ),
  path('dot segments lead to a path without them', '/./b/../c', '/b/c', 'dot-segments'),
  path('encoded dots are encoded again', '%2e%2e', '%252e%252e', 'encoded-dot-segments'),
  path('encoded dots are in upper case', '%2e%2e', '%2E%2E', 'encoded-dot-segments'),
  path('only letters are decoded', '%41', 'A', 'encoded-unreserved'),
  path('an empty segment is a dot', '//', '/./', 'double-slash'),
];
