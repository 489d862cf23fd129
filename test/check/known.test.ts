import { expect, test } from 'vitest';
import { DETECT, knownProduct, PRODUCTS } from '../../src/check/known.ts';
import { servers } from '../../src/check/recorded-servers.ts';

const facts = (server?: string, via?: string) => ({ server, via });

test.each([
  ['nginx/1.18.0 (Ubuntu)', undefined, 'nginx'],
  ['Apache/2.4.71 (Debian) OpenSSL/3.0.22', undefined, 'apache'],
  [undefined, '1.1 varnish (Varnish/7.1)', 'varnish'],
  ['nghttpx', '2 nghttpx', 'nghttpx'],
  [undefined, '1.1 proxy (squid/5.7)', 'squid'],
  ['mynginx', '1.1 envoys', undefined],
  [undefined, 'HTTP/1.1 proxy', undefined],
  ['Go-http-server', undefined, undefined],
  [undefined, undefined, undefined],
])('Server %s and Via %s are of %s', (server, via, product) => {
  const found = knownProduct(DETECT, facts(server, via), 'http/1.1');
  expect(found?.product).toBe(product);
  expect(found?.isDetected).toBe(product && true);
});

test('of several reports that of the same protocol to the origin, else of the same version, else the newest', () => {
  const haproxy = (origin: string) => knownProduct('haproxy', facts('nginx/1.22.1'), origin);
  expect(haproxy('http/1.1')?.findings).toContain('http/1.1 hop/version-request');
  expect(haproxy('h2c')?.findings).not.toContain('http/1.1 hop/version-request');
  expect(haproxy('h2c')?.isDetected).toBe(false);
  const { version: oldest = '' } = servers['caddy-2.6'] ?? {};
  expect(knownProduct(DETECT, facts(`Caddy/${oldest}`), 'http/1.1')?.version).toBe(oldest);
  expect(knownProduct('caddy', facts(), 'http/1.1')?.version).toBe(servers['caddy']?.version);
});

test('every product can be named, and none can', () => {
  expect(PRODUCTS).toEqual(expect.arrayContaining(['haproxy', 'traefik', 'http-proxy-3']));
  for (const product of PRODUCTS)
    expect(knownProduct(product, facts(), 'http/1.1')).toMatchObject({ product });
  expect(knownProduct('none', facts('nginx'), 'http/1.1')).toBeUndefined();
});
