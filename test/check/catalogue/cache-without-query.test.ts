import { expect, test } from 'vitest';
import { checksOf } from '../../../src/check/catalogue/all.ts';
import { runCheck } from '../../../src/check/command.ts';
import { startOrigin } from '../../../src/check/own-origin.ts';
import { streams } from '../../_streams.ts';
import { startBalancer } from '../_balancer.ts';
import { startGateway } from '../_gateway-server.ts';
import { bench, isQuick, those } from '../_run.ts';
import { cached, isGet } from '../_wrong-cache.ts';

const started = bench();

const withoutQuery = (key: string): string => key.replace(/\?.*/, '');

test('a cache that ignores the query is found, again and again, and nothing passes by its responses', async () => {
  const ignoring = cached('ignores the query', 'cache/key-query', { key: withoutQuery });
  const gateway = await started().gateway({ scheme: 'http', hasCache: true }, ignoring);
  const { results } = await started().run(
    gateway,
    checksOf('gateway').filter((check) => isQuick(check) && check.id.startsWith('cache/')),
  );
  expect(those(results, 'fail')).toEqual([
    expect.stringMatching(/^http\/1\.1 cache\/key-query: fail /),
    expect.stringMatching(/^h2 cache\/key-query: fail /),
  ]);
  expect(those(results, 'flaky', 'error')).toEqual([]);
  expect(those(results, 'not-applicable')).toEqual([]);
  expect(those(results, 'blocked').join('\n')).toContain('cache/private-field');
});

test('where another request may have replaced the stored response, nothing is said of storing', async () => {
  // What a request of another check does between the two of cache/age, which no test can time.
  const replaced = cached('ignores the query, and forgets', 'cache/key-query', {
    key: withoutQuery,
    looks: ({ method, target }) => method === 'GET' && !target.startsWith('/response-headers'),
  });
  const gateway = await started().gateway({ scheme: 'http', hasCache: true }, replaced);
  const { results } = await started().run(
    gateway,
    checksOf('gateway').filter(({ id }) => /^cache\/(?:age|key-query)$/.test(id)),
  );
  expect(those(results, 'not-applicable')).toEqual([]);
  expect(those(results, 'blocked').join('\n')).toContain('cache/age');
});

test('where such a cache stores everything, what it answers is no finding about the origin', async () => {
  const all = cached('stores everything by its path', 'cache/key-query', {
    key: withoutQuery,
    matches: () => true,
    lifetime: (_seconds, request) => (isGet(request) ? 60 : 0),
  });
  const gateway = await started().gateway({ scheme: 'http', hasCache: true }, all);
  const { results } = await started().run(
    gateway,
    checksOf('gateway').filter(
      ({ id, fronts }) =>
        /^(?:cache\/(?:key-query|authorization)|response|truncation|origin)/.test(id) &&
        fronts === undefined,
    ),
  );
  const found = those(results, 'fail', 'error', 'flaky').map((line) => line.replace(/:.*/, ''));
  expect(found).toEqual([
    'http/1.1 cache/authorization',
    'h2 cache/authorization',
    'http/1.1 cache/key-query',
    'h2 cache/key-query',
  ]);
  expect(those(results, 'blocked').join('\n')).toContain('truncation/content-length');
});

test('where a cache stores everything, the requests of checks reach the origin nevertheless', async () => {
  const all = cached('stores everything', [], {
    matches: () => true,
    lifetime: (_seconds, request) => (isGet(request) ? 60 : 0),
  });
  const gateway = await started().gateway({ scheme: 'http', hasCache: true }, all);
  const chosen = checksOf('gateway').filter(({ id }) =>
    /^(?:idle\/front|upgrade\/|connection\/|interim\/http10)/.test(id),
  );
  const storing = { ...gateway, close: async () => undefined };
  const { facts } = await started().run(storing, chosen, undefined, 3000);
  const { results } = await started().run(gateway, chosen, facts, 3000);
  expect(those(results, 'fail', 'error', 'flaky', 'blocked')).toEqual([]);
});

test('a response that is stored of an origin before is none of another instance', async () => {
  const origins = [await startOrigin(0), await startOrigin(0)] as const;
  let [current] = origins;
  const balancer = await startBalancer(() => Number(current.url.port));
  const gateway = await startGateway(
    { originPort: Number(balancer.url.port) },
    { cache: { key: withoutQuery } },
  );
  const codes: number[] = [];
  for (const origin of origins) {
    current = origin;
    const args = [
      gateway.url.href,
      '--origin',
      origin.url.href,
      '--only',
      'cache/key-query,cache/age',
    ];
    codes.push(await runCheck(args, streams()));
  }
  await Promise.all([gateway, balancer, ...origins].map((each) => each.close()));
  expect(codes).toEqual([1, 1]);
});
