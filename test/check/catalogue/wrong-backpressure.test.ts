import { expect, test } from 'vitest';
import { checks } from '../../../src/check/catalogue/all.ts';
import type { Check } from '../../../src/check/check.ts';
import { bench, faultsIn, testWrongProxies, those } from '../_run.ts';
import { HTTP2_ORIGIN } from '../_wrong-leg.ts';
import { wrongProxies } from '../wrong/all.ts';

const started = bench();
const chosen = checks.filter(({ id }) => /^(?:backpressure|backend|cancel)\//.test(id));

test('a correct gateway has no finding', async () => {
  const { results } = await started().run(await started().gateway({ scheme: 'http' }), chosen);
  expect([...faultsIn(results), ...those(results, 'not-applicable')]).toEqual([]);
  // It opens a connection for each request.
  expect(those(results, 'differs').map((text) => text.replace(/:.*/s, ''))).toEqual([
    'http/1.1 backend/sequential',
    'h2 backend/sequential',
  ]);
});

test('nor one with an origin on HTTP/2', async () => {
  const { results } = await started().run(await started().gateway(HTTP2_ORIGIN), chosen);
  const unmet = results.flatMap(({ id, outcome }) => (outcome === 'not-applicable' ? [id] : []));
  // They need an origin on HTTP/1.1.
  expect([...new Set(unmet)]).toEqual(['backend/after-error', 'backend/surplus']);
  expect([...faultsIn(results), ...those(results, 'differs')]).toEqual([]);
});

test('a limit of uploads is named, and kept to where that suffices', async () => {
  let refused = 0;
  const gateway = await started().gateway(
    { scheme: 'http' },
    {
      deviation: {
        // On HTTP/2 the first upload has no length.
        refuses: ({ target, framing }) => {
          if (!target.startsWith('/fault/no-read')) return undefined;
          return framing !== 'chunked' || refused++ === 0 ? 413 : undefined;
        },
      },
    },
  );
  const uploads = checks.flatMap((check): Check[] => {
    if (check.id === 'backpressure/request') return [{ ...check, fronts: ['http/1.1'] }];
    return check.id === 'backpressure/stream-upload' ? [check] : [];
  });
  const { results } = await started().run(gateway, uploads);
  const found = results.map(({ id, front, outcome, reason }) => [front, id, outcome, reason]);
  const reason =
    'the target refuses the upload with 413; for this check, allow 32.0 MiB, in nginx by client_max_body_size 32m';
  expect(found).toEqual([
    ['http/1.1', 'backpressure/request', 'not-applicable', reason],
    ['h2', 'backpressure/stream-upload', 'pass', undefined],
  ]);
  expect(refused).toBe(2);
});

test('an upload that is taken without bounds is found over TLS, too', async () => {
  const gateway = await started().gateway(
    { scheme: 'https' },
    { deviation: { waitsForRequest: ({ target }) => target.startsWith('/fault/no-read') } },
  );
  const uploads = checks.filter(({ id }) => id === 'backpressure/request');
  const { results } = await started().run(gateway, uploads);
  expect(results.map(({ front, outcome, found }) => [front, outcome, found])).toEqual([
    ['http/1.1', 'differs', 'the client sent all 32.0 MiB'],
    ['h2', 'differs', 'the client sent all 32.0 MiB'],
  ]);
});

testWrongProxies(wrongProxies.backpressure);
