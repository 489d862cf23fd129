import { expect, test } from 'vitest';
import { homePage, tryReply } from '../../../src/endpoints/index/home.ts';
import type { Endpoint } from '../../../src/server/endpoint.ts';
import { heldBytes, payloadLength } from '../../../src/server/payload.ts';
import { FakeExchange } from '../../_exchange.ts';
import { endpoints } from '../../_walk.ts';

async function pageOf(list: readonly Endpoint[]): Promise<string> {
  const page = await homePage(list, undefined);
  const { payload } = await page(new FakeExchange('/'));
  if (typeof payload !== 'object' || !('next' in payload) || payload.kind !== 'pulled') {
    throw new Error('the page is not pulled');
  }
  const pieces: Uint8Array[] = [];
  for (let piece = payload.next(1000); piece; piece = payload.next(1000)) pieces.push(piece);
  const html = Buffer.concat(pieces);
  expect(html).toHaveLength(payload.length);
  return html.toString();
}

test('a page has the sections of its list of endpoints', async () => {
  const ip = endpoints.filter(({ path }) => path === '/ip');
  expect(await pageOf(endpoints)).toContain('<code>/uuid</code>');
  expect(await pageOf(ip)).not.toContain('<code>/uuid</code>');
});

test('pages share what is the same for all requests', async () => {
  const page = await homePage(endpoints, undefined);
  const { payload = '' } = await page(new FakeExchange('/'));
  expect(payloadLength(payload)).toBeGreaterThan(64 * 1024);
  expect(heldBytes(payload)).toBeLessThan(8 * 1024);
});

test('a form of an endpoint that is off leads nowhere', () => {
  const request = new FakeExchange('/?try=uuid');
  expect(tryReply(request, endpoints, 'uuid').fields).toEqual(['Location', './uuid']);
  expect(() => tryReply(request, [], 'uuid')).toThrow('is no endpoint with GET');
});
