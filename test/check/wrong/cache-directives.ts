import { listOf, valueOf } from '../../../src/check/message.ts';
import type { CacheFault, CacheRules } from '../_cache.ts';
import { differs, wrong, type Turns, type WrongProxy } from '../_wrong.ts';

const setup = { scheme: 'http', hasCache: true } as const;

const caching = (name: string, turns: Turns, cache: CacheFault | CacheRules): WrongProxy => ({
  ...wrong(name, turns, { cache }),
  setup,
});

/** Takes no notice of a directive with a list. */
const withoutLists =
  (directive: string): NonNullable<CacheRules['lifetime']> =>
  (seconds, _request, { fields }) =>
    listOf(fields, 'cache-control').some((each) => each.startsWith(`${directive}="`))
      ? 60
      : seconds;

/** Gateways with a cache that does not do what a directive asks for. */
export const wrongCacheDirectives: readonly WrongProxy[] = [
  caching('ignores private with fields', 'cache/private-field', {
    lifetime: withoutLists('private'),
  }),
  caching('ignores no-cache with fields', 'cache/no-cache-field', {
    lifetime: withoutLists('no-cache'),
  }),
  caching('ignores min-fresh', differs('cache/min-fresh'), 'min-fresh'),
  caching('ignores only-if-cached', differs('cache/only-if-cached'), 'only-if-cached'),
  caching('obeys CDN-Cache-Control', differs('cache/cdn-cache-control'), {
    lifetime: (seconds, _request, { fields }) =>
      valueOf(fields, 'cdn-cache-control') === undefined ? seconds : 60,
  }),
  caching('stores any status', differs('cache/must-understand'), {
    lifetime: (seconds, _request, { status }) => (status === 299 ? 60 : seconds),
  }),
  caching(
    'invalidates what Location names at the same origin',
    differs('cache/invalidation-location'),
    { invalidates: (field, { host }, { authority }) => field === 'location' && host === authority },
  ),
  caching(
    'invalidates what Content-Location names at the same origin',
    differs('cache/invalidation-content-location'),
    {
      invalidates: (field, { host }, { authority }) =>
        field === 'content-location' && host === authority,
    },
  ),
  caching(
    'invalidates what Location names at another origin',
    'cache/invalidation-location-other',
    { invalidates: (field, { host }, { authority }) => field === 'location' && host !== authority },
  ),
  caching(
    'invalidates what Content-Location names at another origin',
    'cache/invalidation-content-location-other',
    {
      invalidates: (field, { host }, { authority }) =>
        field === 'content-location' && host !== authority,
    },
  ),
  caching(
    'reuses a stale response for stale-while-revalidate',
    differs('cache/stale-while-revalidate'),
    { grace: 60 },
  ),
  caching('keeps the fields of what it has validated', 'cache/freshened', 'freshened'),
];
