import { valueOf } from '../../../src/check/message.ts';
import type { WrongProxy } from '../_wrong.ts';
import { changingRequestContent } from '../_wrong-content.ts';
import { cached, has, isGet } from '../_wrong-cache.ts';

/** Whether each field that Vary lists matches: their values are joined by newlines. */
const eachMatches =
  (matches: (value: string, stored: string) => boolean) =>
  (value: string, stored: string): boolean => {
    const before = stored.split('\n');
    return value.split('\n').every((each, at) => matches(each, before[at] ?? ''));
  };

const keys: readonly WrongProxy[] = [
  cached('reuses a response to Authorization for requests without', 'cache/authorization', {
    looks: (request) => isGet(request) && !has(request, 'authorization') && !has(request, 'range'),
    lifetime: (seconds, request) =>
      has(request, 'authorization') && isGet(request) ? 60 : seconds,
  }),
  cached('reuses a response to Authorization for the same value', 'cache/authorization', {
    key: (key, { fields }) => `${key} ${valueOf(fields, 'authorization') ?? ''}`,
    lifetime: (seconds, request) =>
      has(request, 'authorization') && isGet(request) ? 60 : seconds,
  }),
  cached('reuses a response to Authorization for the same scheme', 'cache/authorization', {
    key: (key, { fields }) => `${key} ${valueOf(fields, 'authorization')?.split(' ')[0] ?? ''}`,
    lifetime: (seconds, request) =>
      has(request, 'authorization') && isGet(request) ? 60 : seconds,
  }),
  cached('takes a field of Vary that is missing for the same', 'cache/vary', {
    matches: eachMatches((value, stored) => value === stored || value === '' || stored === ''),
  }),
  cached('requests what Vary forbids to reuse, and discards it', 'cache/vary', {
    fetches: true,
    matches: () => true,
  }),
  cached('takes Accept-Language of one length for the same', 'cache/vary', {
    matches: eachMatches((value, stored) => value.length === stored.length),
  }),
  cached('ignores the port of Host', 'cache/key-host', {
    key: (key) => key.replace(/:\d+ /, ' '),
  }),
  cached('ignores Host on HTTP/2', 'h2 cache/key-host', {
    key: (key, { version }) => (version === '2.0' ? key.replace(/^\S+/, '') : key),
  }),
  cached('requests for another host, and discards it', 'cache/key-host', {
    fetches: true,
    key: (key) => key.replace(/^\S+/, ''),
  }),
  cached('ignores the case of the query', 'cache/key-query', { key: (key) => key.toLowerCase() }),
  cached('ignores the values of a query', 'cache/key-query', {
    key: (key) =>
      key.replace(/X-Check-Key=[^&]*?(-other)?$/, (value) => value.replace('-other', '')),
  }),
  cached('requests for another query, and discards it', 'cache/key-query', {
    fetches: true,
    key: (key) => key.replace(/-other$/, ''),
  }),
];

const unsafe: readonly WrongProxy[] = [
  cached('answers DELETE from the cache', 'cache/unsafe-method', {
    looks: ({ method }) => ['GET', 'DELETE'].includes(method),
  }),
  cached(
    'forwards POST without content',
    'cache/unsafe-method',
    {},
    {
      ...changingRequestContent(() => Buffer.alloc(0)),
    },
  ),
  cached(
    'forwards POST as GET',
    'cache/unsafe-method',
    {},
    {
      waitsForRequest: ({ method }) => method === 'POST',
      request: (request) => {
        if (request.method !== 'POST') return;
        request.method = 'GET';
        request.content = Buffer.alloc(0);
        request.framing = 'none';
      },
    },
  ),
  cached('answers a second POST with the response to the first', 'cache/unsafe-method', {
    key: (key, { method }) => `${method} ${key}`,
    looks: ({ method }) => ['GET', 'POST'].includes(method),
    lifetime: (seconds, { method }) => (method === 'POST' ? 60 : seconds),
  }),
  cached('invalidates for PUT, DELETE and POST, not for PATCH', 'cache/invalidation', {
    keeps: ({ method }) => method === 'PATCH',
  }),
  cached('invalidates for POST, not for PUT and DELETE', 'cache/invalidation', {
    keeps: ({ method }) => method !== 'POST',
  }),
  cached('invalidates for PUT and DELETE, not for POST', 'cache/invalidation', {
    keeps: ({ method }) => method === 'POST',
  }),
  cached('invalidates after 200 alone', 'cache/invalidation', {
    keeps: (_request, status) => status !== 200,
  }),
  cached('requests what is invalid, and discards it', 'cache/invalidation', {
    fetches: true,
    keeps: () => true,
  }),
];

/** What a cache does wrong with requests. */
export const cacheRequests: readonly WrongProxy[] = [...keys, ...unsafe];
