import { expect, test } from 'vitest';
import { explainResponse } from '../../../src/echo/explain/message-fields.ts';

const NOW = Date.UTC(2026, 0, 1) / 1000;

const explained = (fields: readonly string[], trailers: readonly string[] = []) =>
  explainResponse({ fields, trailers }, NOW);

test('fields such as Cache-Status and Proxy-Status: one text each', () => {
  expect(
    explained(
      [
        'Server',
        'a',
        'Cache-Status',
        'edge; hit',
        'Priority',
        'u=1',
        'cache-status',
        'mid; fwd=miss',
        'Deprecation',
        '@1767139200',
      ],
      ['Proxy-Status', 'cdn; error=http_response_timeout'],
    ),
  ).toEqual([
    'Cache-Status: The cache "edge": answered from the cache. The cache "mid": forwarded, because nothing stored could be used.',
    'Deprecation: The resource was deprecated on 2025-12-31T00:00:00Z, 1 day ago.',
    'Proxy-Status: The intermediary "cdn": the response was not complete in time.',
  ]);
});

test('problems are included, except those that depend on the method, which is not known', () => {
  expect(explained(['Cache-Group-Invalidation', '"a"', 'Proxy-Status', '"'])).toEqual([
    'Cache-Group-Invalidation: Caches may invalidate stored responses of the group "a".',
    'Proxy-Status: It is ignored, since it is malformed: it is not a list (RFC 9651 4.2).',
  ]);
});

test('other fields are not explained', () => {
  expect(explained(['Content-Digest', 'sha-256=:AA==:', 'Priority', 'u=9'])).toEqual([]);
});
