import { listOf, valueOf } from '../../../src/check/message.ts';
import type { CacheRules } from '../_cache.ts';
import type { ClientResponse } from '../_gateway-messages.ts';
import { without, type WrongProxy } from '../_wrong.ts';
import { cached, has, isGet } from '../_wrong-cache.ts';

const directives = ({ fields }: Pick<ClientResponse, 'fields'>): readonly string[] =>
  listOf(fields, 'cache-control');

/** Freshness by the first directive alone. */
const byFirst: CacheRules['lifetime'] = (seconds, request, response) => {
  const [first = ''] = directives(response);
  return isGet(request) && first.startsWith('max-age=') ? Number(first.slice(8)) : seconds;
};

/** 0 as if there were no value. */
const withoutZero: CacheRules['lifetime'] = (seconds, request, { fields }) => {
  const isZero = /(?:s-maxage|max-age)=0/.test(directives({ fields }).join());
  const isNever = valueOf(fields, 'expires') === '0';
  return isGet(request) && (isZero || isNever) ? 60 : seconds;
};

const always: CacheRules['lifetime'] = (_seconds, request, { status }) =>
  isGet(request) && status !== 404 ? 60 : 0;

/** Requests what it may not reuse, and sends the client what it has stored. */
const discarding: CacheRules = { fetches: true, lifetime: always };

/** Reuses with Age in place of its own. */
const aged = (name: string, age: string): WrongProxy =>
  cached(name, 'cache/age', {
    reuses: (stored) => ({
      ...stored,
      fields: [...without(stored.fields, 'age'), ['Age', age]],
    }),
  });

const notModified = (
  name: string,
  change: (stored: Parameters<NonNullable<CacheRules['reuses']>>[0]) => typeof stored,
): WrongProxy =>
  cached(name, 'cache/not-modified', {
    reuses: (stored) => (stored.status === 304 ? change(stored) : stored),
  });

const freshness: readonly WrongProxy[] = [
  cached(
    'reads the first directive alone',
    ['cache/no-store', 'cache/private', 'cache/no-cache', 'cache/s-maxage', 'cache/age-received'],
    {
      lifetime: byFirst,
    },
  ),
  cached('takes 0 for no value', ['cache/s-maxage', 'cache/must-revalidate', 'cache/expires'], {
    lifetime: withoutZero,
  }),
  cached(
    'requests what it may not reuse, and discards it',
    [
      'cache/no-store',
      'cache/private',
      'cache/no-cache',
      'cache/s-maxage',
      'cache/must-revalidate',
      'cache/expires',
      'cache/authorization',
      'cache/vary-star',
      'cache/vary-list-star',
      'cache/age-received',
      'cache/error',
    ],
    discarding,
  ),
  cached('requests a stale response again, and discards it', 'cache/must-revalidate-stale', {
    fetches: true,
    grace: 10,
  }),
  cached('reuses what is stale for 10 seconds more', 'cache/must-revalidate-stale', { grace: 10 }),
  cached('reuses what is stale for a second more', 'cache/must-revalidate-stale', { grace: 1 }),
  cached('reuses 503 and 504, which have no freshness', 'cache/error', {
    lifetime: (seconds, _request, { status }) => ([503, 504].includes(status) ? 10 : seconds),
  }),
  cached('keeps a partial response, and sends it as partial', 'cache/partial', {
    lifetime: (seconds, _request, { status }) => (status === 206 ? 60 : seconds),
    reuses: (stored) => ({ ...stored, status: 206 }),
  }),
  cached('keeps a partial response for its lifetime, as if it were whole', 'cache/partial', {
    lifetime: (seconds, _request, { status, fields }) =>
      status === 206 && directives({ fields }).some((each) => each.startsWith('max-age='))
        ? 60
        : seconds,
  }),
  cached('answers another range with the part that it has stored', 'cache/partial', {
    lifetime: (seconds, _request, { status }) => (status === 206 ? 60 : seconds),
    looks: (request) => isGet(request) && has(request, 'range'),
    reuses: (stored) => ({ ...stored, status: 206 }),
  }),
  cached('keeps a partial response, requests the whole one, and discards it', 'cache/partial', {
    fetches: true,
    lifetime: (seconds, _request, { status }) => (status === 206 ? 60 : seconds),
  }),
];

export const caches: readonly WrongProxy[] = [
  ...freshness,
  aged('sends Age: -1', '-1'),
  aged('sends Age as a decimal', '0.25'),
  aged('sends Age without a value', ''),
  aged('sends Age with a unit', '0s'),
  aged('sends Age as a time', '1795662000000'),
  aged('sends Age as a list', '0, 60'),
  notModified('sends 304 without ETag', (stored) => ({
    ...stored,
    fields: without(stored.fields, 'etag'),
  })),
  notModified('sends 304 with another ETag', (stored) => ({
    ...stored,
    fields: [...without(stored.fields, 'etag'), ['ETag', '"check-gzip"']],
  })),
  notModified('sends 412 for 304', (stored) => ({ ...stored, status: 412 })),
];
