import type { CacheFault } from '../_cache.ts';
import { breaking, differs, wrong, type Turns, type WrongProxy } from '../_wrong.ts';

const setup = { scheme: 'http', hasCache: true } as const;

const caching = (name: string, turns: Turns, cache: CacheFault): WrongProxy => ({
  ...wrong(name, turns, { cache }),
  setup,
});

/** Gateways with a cache that breaks a rule of RFC 9111. */
export const wrongCaches: readonly WrongProxy[] = [
  caching('stores what must not be stored', 'cache/no-store', 'no-store'),
  caching('stores private responses', 'cache/private', 'private'),
  caching('ignores no-cache', 'cache/no-cache', 'no-cache'),
  caching('ignores s-maxage', 'cache/s-maxage', 's-maxage'),
  caching('ignores must-revalidate', 'cache/must-revalidate', 'must-revalidate'),
  caching('ignores Expires', 'cache/expires', 'expires'),
  caching('stores responses to Authorization', 'cache/authorization', 'authorization'),
  caching('ignores Vary', 'cache/vary', 'vary'),
  caching('ignores Vary: *', 'cache/vary-star', 'vary-star'),
  caching('answers unsafe methods', ['cache/unsafe-method', 'cache/invalidation'], 'method'),
  caching('ignores hosts', 'cache/key-host', 'host'),
  caching('ignores a part of queries', 'cache/key-query', 'query'),
  caching('stores a part as the whole', 'cache/partial', 'partial'),
  caching('stores errors', 'cache/error', 'error'),
  caching('sends no Age', 'cache/age', 'age'),
  caching('keeps what an unsafe method has changed', 'cache/invalidation', 'invalidation'),
  caching('stores Set-Cookie', differs('cache/set-cookie'), 'set-cookie'),
  caching('does not validate for clients', differs('cache/no-cache-request'), 'request-no-cache'),
  caching('ignores If-None-Match for what it has stored', 'cache/not-modified', 'etag'),
  caching('reuses stale responses', differs('cache/stale'), 'stale'),
  caching(
    'reuses stale responses while it fetches others',
    differs('cache/stale'),
    'stale-fetched',
  ),
  caching(
    'reuses stale responses in spite of must-revalidate',
    'cache/must-revalidate-stale',
    'must-revalidate-stale',
  ),
  caching(
    'reuses nothing',
    {
      'cache/reuse': 'fail',
      'cache/age': 'not-applicable',
      'cache/invalidation': 'not-applicable',
      'cache/not-modified': 'not-applicable',
    },
    'reuse',
  ),
  {
    ...breaking(
      'answers requests that wait for each other by one response',
      ['cache/collapsed-authorization', 'cache/collapsed-cookie'],
      {
        cache: { lifetime: (seconds, { target }) => (target.startsWith('/delay') ? 60 : seconds) },
        workers: 1,
      },
    ),
    setup,
  },
];
