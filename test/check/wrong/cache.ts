import { valueOf } from '../../../src/check/message.ts';
import { cached } from '../_wrong-cache.ts';
import { differs, type WrongProxy } from '../_wrong.ts';

/** Seconds. */
const LONG = 60;

/** Gateways with a cache that breaks a rule of RFC 9111. */
export const wrongCaches: readonly WrongProxy[] = [
  cached('stores what must not be stored', 'cache/no-store', 'no-store'),
  cached('stores private responses', ['cache/private', 'cache/private-field'], 'private'),
  cached('ignores no-cache', ['cache/no-cache', 'cache/no-cache-field'], 'no-cache'),
  cached('ignores s-maxage', 'cache/s-maxage', 's-maxage'),
  cached('ignores must-revalidate', 'cache/must-revalidate', 'must-revalidate'),
  cached('ignores Expires', 'cache/expires', 'expires'),
  cached('stores responses to Authorization', 'cache/authorization', 'authorization'),
  cached('ignores Vary', 'cache/vary', 'vary'),
  cached('ignores Vary: *', ['cache/vary-star', 'cache/vary-list-star'], 'vary-star'),
  cached('looks for * alone in Vary', 'cache/vary-list-star', {
    lifetime: (seconds, _request, { fields }) =>
      valueOf(fields, 'vary')?.endsWith(', *') === true ? LONG : seconds,
  }),
  cached('ignores the Age of a response', 'cache/age-received', {
    lifetime: (seconds, _request, { fields }) =>
      valueOf(fields, 'age') === '120' ? LONG : seconds,
  }),
  cached(
    'answers unsafe methods',
    ['cache/unsafe-method', 'cache/invalidation', 'cache/key-method'],
    'method',
  ),
  cached('ignores hosts', 'cache/key-host', 'host'),
  cached('serves one site for all hosts', differs('cache/key-host'), 'host', {
    request: (request) => void (request.host = 'localhost'),
  }),
  cached('ignores a part of queries', 'cache/key-query', 'query'),
  cached('takes // for /', 'cache/key-path', { key: (key) => key.replaceAll('//', '/') }),
  cached('decodes paths', 'cache/key-path', { key: (key) => key.replaceAll('%2F', '/') }),
  cached('ignores the case of paths', ['cache/key-path', 'cache/key-query'], {
    key: (key) => key.toLowerCase(),
  }),
  cached('answers OPTIONS by what it has stored for GET', 'cache/key-method', {
    looks: ({ method }) => method === 'GET' || method === 'OPTIONS',
  }),
  cached('ignores the content of QUERY', 'cache/key-content', {
    looks: ({ method }) => method === 'GET' || method === 'QUERY',
    lifetime: (seconds, { method }) => (method === 'QUERY' ? LONG : seconds),
    key: (key, { method }) => (method === 'QUERY' ? `QUERY ${key}` : key),
  }),
  cached('ignores the Content-Type of QUERY', 'cache/key-content', {
    looks: ({ method, framing }) => method === 'GET' || (method === 'QUERY' && framing !== 'none'),
    lifetime: (seconds, { method }) => (method === 'QUERY' ? LONG : seconds),
    key: (key, { method, framing }) =>
      method === 'QUERY' ? `${key} ${JSON.stringify(framing)}` : key,
  }),
  cached('reads the first line of Vary', 'cache/vary', {
    matches: (value, stored) => value.split('\n', 1)[0] === stored.split('\n', 1)[0],
  }),
  cached('stores responses to HEAD', 'cache/head', {
    lifetime: (seconds, { method }) => (method === 'HEAD' ? LONG : seconds),
  }),
  cached('stores a part as the whole', 'cache/partial', 'partial'),
  cached('stores errors', 'cache/error', 'error'),
  cached('sends no Age', 'cache/age', 'age'),
  cached('keeps what an unsafe method has changed', 'cache/invalidation', 'invalidation'),
  cached('stores Set-Cookie', differs('cache/set-cookie'), 'set-cookie'),
  cached('does not validate for clients', differs('cache/no-cache-request'), 'request-no-cache'),
  cached('ignores If-None-Match for what it has stored', 'cache/not-modified', 'etag'),
  cached('reuses stale responses', differs('cache/stale'), 'stale'),
  cached(
    'reuses stale responses while it fetches others',
    { 'cache/stale': 'differs', 'cache/not-modified': 'not-applicable' },
    'stale-fetched',
  ),
  cached(
    'reuses stale responses in spite of must-revalidate',
    'cache/must-revalidate-stale',
    'must-revalidate-stale',
  ),
  cached(
    'reuses nothing',
    {
      'cache/reuse': 'fail',
      'cache/age': 'not-applicable',
      'cache/invalidation': 'not-applicable',
      'cache/invalidation-location': 'not-applicable',
      'cache/invalidation-location-other': 'not-applicable',
      'cache/invalidation-content-location': 'not-applicable',
      'cache/invalidation-content-location-other': 'not-applicable',
      'cache/not-modified': 'not-applicable',
    },
    'reuse',
  ),
  {
    ...cached(
      'answers requests that wait for each other by one response',
      ['cache/collapsed-authorization', 'cache/collapsed-cookie'],
      { lifetime: (seconds, { target }) => (target.startsWith('/delay') ? 60 : seconds) },
      { workers: 1 },
    ),
    breaksOthers: true,
  },
];
