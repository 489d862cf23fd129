import { valueOf } from '../../../src/check/message.ts';
import type { WrongProxy } from '../_wrong.ts';
import { changingRequestContent } from '../_wrong-content.ts';
import { cached, fails, has, isGet } from './_caches.ts';

const keys: readonly WrongProxy[] = [
  cached(
    'reuses a response to Authorization for requests without',
    {
      looks: (request) =>
        isGet(request) && !has(request, 'authorization') && !has(request, 'range'),
      lifetime: (seconds, request) =>
        has(request, 'authorization') && isGet(request) ? 60 : seconds,
    },
    fails('authorization'),
  ),
  cached(
    'reuses a response to Authorization for the same value',
    {
      key: (key, { fields }) => `${key} ${valueOf(fields, 'authorization') ?? ''}`,
      lifetime: (seconds, request) =>
        has(request, 'authorization') && isGet(request) ? 60 : seconds,
    },
    fails('authorization'),
  ),
  cached(
    'reuses a response to Authorization for the same scheme',
    {
      key: (key, { fields }) => `${key} ${valueOf(fields, 'authorization')?.split(' ')[0] ?? ''}`,
      lifetime: (seconds, request) =>
        has(request, 'authorization') && isGet(request) ? 60 : seconds,
    },
    fails('authorization'),
  ),
  cached(
    'takes a field of Vary that is missing for the same',
    { matches: (value, stored) => value === stored || value === '' || stored === '' },
    fails('vary'),
  ),
  cached(
    'requests what Vary forbids to reuse, and discards it',
    { fetches: true, matches: () => true },
    fails('vary'),
  ),
  cached(
    'takes Accept-Language of one length for the same',
    { matches: (value, stored) => value.length === stored.length },
    fails('vary'),
  ),
  cached(
    'ignores the port of Host',
    { key: (key) => key.replace(/:\d+ /, ' ') },
    fails('key-host'),
  ),
  cached(
    'ignores Host on HTTP/2',
    { key: (key, { version }) => (version === '2.0' ? key.replace(/^\S+/, '') : key) },
    { 'h2 cache/key-host': 'fail' },
  ),
  cached(
    'requests for another host, and discards it',
    { fetches: true, key: (key) => key.replace(/^\S+/, '') },
    fails('key-host'),
  ),
  cached('ignores the case of the query', { key: (key) => key.toLowerCase() }, fails('key-query')),
  cached(
    'ignores the values of a query',
    {
      key: (key) =>
        key.replace(/X-Check-Key=[^&]*?(-other)?$/, (value) => value.replace('-other', '')),
    },
    fails('key-query'),
  ),
  cached(
    'requests for another query, and discards it',
    { fetches: true, key: (key) => key.replace(/-other$/, '') },
    fails('key-query'),
  ),
];

const unsafe: readonly WrongProxy[] = [
  cached(
    'answers DELETE from the cache',
    { looks: ({ method }) => ['GET', 'DELETE'].includes(method) },
    fails('unsafe-method'),
  ),
  cached('forwards POST without content', {}, fails('unsafe-method'), {
    ...changingRequestContent(() => Buffer.alloc(0)),
  }),
  cached('forwards POST as GET', {}, fails('unsafe-method'), {
    waitsForRequest: ({ method }) => method === 'POST',
    request: (request) => {
      if (request.method !== 'POST') return;
      request.method = 'GET';
      request.content = Buffer.alloc(0);
      request.framing = 'none';
    },
  }),
  cached(
    'answers a second POST with the response to the first',
    {
      key: (key, { method }) => `${method} ${key}`,
      looks: ({ method }) => ['GET', 'POST'].includes(method),
      lifetime: (seconds, { method }) => (method === 'POST' ? 60 : seconds),
    },
    fails('unsafe-method'),
  ),
  cached(
    'invalidates for PUT, DELETE and POST, not for PATCH',
    { keeps: ({ method }) => method === 'PATCH' },
    fails('invalidation'),
  ),
  cached(
    'invalidates for POST, not for PUT and DELETE',
    { keeps: ({ method }) => method !== 'POST' },
    fails('invalidation'),
  ),
  cached(
    'invalidates for PUT and DELETE, not for POST',
    { keeps: ({ method }) => method === 'POST' },
    fails('invalidation'),
  ),
  cached(
    'invalidates after 200 alone',
    { keeps: (_request, status) => status !== 200 },
    fails('invalidation'),
  ),
  cached(
    'requests what is invalid, and discards it',
    { fetches: true, keeps: () => true },
    fails('invalidation'),
  ),
];

/** What a cache does wrong with requests. */
export const cacheRequests: readonly WrongProxy[] = [...keys, ...unsafe];
