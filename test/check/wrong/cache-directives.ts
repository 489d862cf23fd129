import { listOf, valueOf } from '../../../src/check/message.ts';
import type { CacheRules } from '../_cache.ts';
import { cached } from '../_wrong-cache.ts';
import { differs, type WrongProxy } from '../_wrong.ts';

/** Takes no notice of a directive with a list. */
const withoutLists =
  (directive: string): NonNullable<CacheRules['lifetime']> =>
  (seconds, _request, { fields }) =>
    listOf(fields, 'cache-control').some((each) => each.startsWith(`${directive}="`))
      ? 60
      : seconds;

/** Gateways with a cache that does not do what a directive asks for. */
export const wrongCacheDirectives: readonly WrongProxy[] = [
  cached('ignores private with fields', 'cache/private-field', {
    lifetime: withoutLists('private'),
  }),
  cached('ignores no-cache with fields', 'cache/no-cache-field', {
    lifetime: withoutLists('no-cache'),
  }),
  cached('ignores min-fresh', differs('cache/min-fresh'), 'min-fresh'),
  cached('ignores only-if-cached', differs('cache/only-if-cached'), 'only-if-cached'),
  cached('obeys CDN-Cache-Control', differs('cache/cdn-cache-control'), {
    lifetime: (seconds, _request, { fields }) =>
      valueOf(fields, 'cdn-cache-control') === undefined ? seconds : 60,
  }),
  cached('stores any status', differs('cache/must-understand'), {
    lifetime: (seconds, _request, { status }) => (status === 299 ? 60 : seconds),
  }),
  cached(
    'invalidates what Location names at the same origin',
    differs('cache/invalidation-location'),
    { invalidates: (field, { host }, { authority }) => field === 'location' && host === authority },
  ),
  cached(
    'invalidates what Content-Location names at the same origin',
    differs('cache/invalidation-content-location'),
    {
      invalidates: (field, { host }, { authority }) =>
        field === 'content-location' && host === authority,
    },
  ),
  cached('invalidates what Location names at another origin', 'cache/invalidation-location-other', {
    invalidates: (field, { host }, { authority }) => field === 'location' && host !== authority,
  }),
  cached(
    'invalidates what Content-Location names at another origin',
    'cache/invalidation-content-location-other',
    {
      invalidates: (field, { host }, { authority }) =>
        field === 'content-location' && host !== authority,
    },
  ),
  cached(
    'reuses a stale response for stale-while-revalidate',
    differs('cache/stale-while-revalidate'),
    { grace: 60 },
  ),
  cached('keeps the fields of what it has validated', 'cache/freshened', 'freshened'),
];
