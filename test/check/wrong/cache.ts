import type { CacheFault } from '../_cache.ts';
import { breaking, wrong, type WrongProxy } from '../_wrong.ts';

const setup = { scheme: 'http', hasCache: true } as const;

const caching = (name: string, cache: CacheFault, turns: WrongProxy['turns']): WrongProxy => ({
  ...wrong(name, { cache }, turns),
  setup,
});

/** Gateways with a cache that breaks a rule of RFC 9111. */
export const wrongCaches: readonly WrongProxy[] = [
  caching('stores what must not be stored', 'no-store', { 'cache/no-store': 'fail' }),
  caching('stores private responses', 'private', { 'cache/private': 'fail' }),
  caching('ignores no-cache', 'no-cache', { 'cache/no-cache': 'fail' }),
  caching('ignores s-maxage', 's-maxage', { 'cache/s-maxage': 'fail' }),
  caching('ignores must-revalidate', 'must-revalidate', { 'cache/must-revalidate': 'fail' }),
  caching('ignores Expires', 'expires', { 'cache/expires': 'fail' }),
  caching('stores responses to Authorization', 'authorization', { 'cache/authorization': 'fail' }),
  caching('ignores Vary', 'vary', { 'cache/vary': 'fail' }),
  caching('ignores Vary: *', 'vary-star', { 'cache/vary-star': 'fail' }),
  caching('answers unsafe methods', 'method', {
    'cache/unsafe-method': 'fail',
    'cache/invalidation': 'fail',
  }),
  caching('ignores hosts', 'host', { 'cache/key-host': 'fail' }),
  caching('ignores a part of queries', 'query', { 'cache/key-query': 'fail' }),
  caching('stores a part as the whole', 'partial', { 'cache/partial': 'fail' }),
  caching('stores errors', 'error', { 'cache/error': 'fail' }),
  caching('sends no Age', 'age', { 'cache/age': 'fail' }),
  caching('keeps what an unsafe method has changed', 'invalidation', {
    'cache/invalidation': 'fail',
  }),
  caching('stores Set-Cookie', 'set-cookie', { 'cache/set-cookie': 'differs' }),
  caching('does not validate for clients', 'request-no-cache', {
    'cache/no-cache-request': 'differs',
  }),
  caching('ignores If-None-Match for what it has stored', 'etag', { 'cache/not-modified': 'fail' }),
  caching('reuses stale responses', 'stale', { 'cache/stale': 'differs' }),
  caching('reuses stale responses while it fetches others', 'stale-fetched', {
    'cache/stale': 'differs',
  }),
  caching('reuses stale responses in spite of must-revalidate', 'must-revalidate-stale', {
    'cache/must-revalidate-stale': 'fail',
  }),
  caching('reuses nothing', 'reuse', {
    'cache/reuse': 'fail',
    'cache/age': 'not-applicable',
    'cache/invalidation': 'not-applicable',
    'cache/not-modified': 'not-applicable',
  }),
  {
    ...breaking(
      'answers requests that wait for each other by one response',
      {
        cache: { lifetime: (seconds, { target }) => (target.startsWith('/delay') ? 60 : seconds) },
        workers: 1,
      },
      { 'cache/collapsed-authorization': 'fail', 'cache/collapsed-cookie': 'fail' },
    ),
    setup,
  },
];
