import { listOf, valueOf } from '../../../src/check/message.ts';
import type { CacheFault, CacheRules } from '../_cache.ts';
import { wrong, type WrongProxy } from '../_wrong.ts';

const setup = { scheme: 'http', hasCache: true } as const;

const caching = (
  name: string,
  cache: CacheFault | CacheRules,
  turns: WrongProxy['turns'],
): WrongProxy => ({ ...wrong(name, { cache }, turns), setup });

/** Takes no notice of a directive with a list. */
const withoutLists =
  (directive: string): NonNullable<CacheRules['lifetime']> =>
  (seconds, _request, { fields }) =>
    listOf(fields, 'cache-control').some((each) => each.startsWith(`${directive}="`))
      ? 60
      : seconds;

/** Gateways with a cache that does not do what a directive asks for. */
export const wrongCacheDirectives: readonly WrongProxy[] = [
  caching(
    'ignores private with fields',
    { lifetime: withoutLists('private') },
    { 'cache/private-field': 'fail' },
  ),
  caching(
    'ignores no-cache with fields',
    { lifetime: withoutLists('no-cache') },
    { 'cache/no-cache-field': 'fail' },
  ),
  caching('ignores min-fresh', 'min-fresh', { 'cache/min-fresh': 'differs' }),
  caching('ignores only-if-cached', 'only-if-cached', { 'cache/only-if-cached': 'differs' }),
  caching(
    'obeys CDN-Cache-Control',
    {
      lifetime: (seconds, _request, { fields }) =>
        valueOf(fields, 'cdn-cache-control') === undefined ? seconds : 60,
    },
    { 'cache/cdn-cache-control': 'differs' },
  ),
  caching(
    'stores any status',
    { lifetime: (seconds, _request, { status }) => (status === 299 ? 60 : seconds) },
    { 'cache/must-understand': 'differs' },
  ),
  caching(
    'invalidates what Location names at the same origin',
    { invalidates: (field, { host }, { authority }) => field === 'location' && host === authority },
    { 'cache/invalidation-location': 'differs' },
  ),
  caching(
    'invalidates what Content-Location names at the same origin',
    {
      invalidates: (field, { host }, { authority }) =>
        field === 'content-location' && host === authority,
    },
    { 'cache/invalidation-content-location': 'differs' },
  ),
  caching(
    'invalidates what Location names at another origin',
    { invalidates: (field, { host }, { authority }) => field === 'location' && host !== authority },
    { 'cache/invalidation-location-other': 'fail' },
  ),
  caching(
    'invalidates what Content-Location names at another origin',
    {
      invalidates: (field, { host }, { authority }) =>
        field === 'content-location' && host !== authority,
    },
    { 'cache/invalidation-content-location-other': 'fail' },
  ),
  caching(
    'reuses a stale response for stale-while-revalidate',
    { grace: 60 },
    { 'cache/stale-while-revalidate': 'differs' },
  ),
  caching('keeps the fields of what it has validated', 'freshened', { 'cache/freshened': 'fail' }),
];
