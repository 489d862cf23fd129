import { expect, test } from 'vitest';
import { pageReply, tryReply } from '../../../src/endpoints/index/home.ts';
import type { Endpoint } from '../../../src/server/endpoint.ts';
import { isWhole } from '../../../src/server/payload.ts';
import { FakeExchange } from '../../_exchange.ts';
import { endpoints } from '../../_walk.ts';

async function pageOf(list: readonly Endpoint[]): Promise<string> {
  const { payload } = await pageReply(new FakeExchange('/'), list);
  if (payload === undefined || !isWhole(payload)) throw new Error('the page comes in pieces');
  return Buffer.from(payload).toString();
}

test('each list of endpoints has sections of its own, whichever was asked for first', async () => {
  const ip = endpoints.filter(({ path }) => path === '/ip');
  expect(await pageOf(endpoints)).toContain('<code>/uuid</code>');
  expect(await pageOf(ip)).not.toContain('<code>/uuid</code>');
  expect(await pageOf(endpoints)).toContain('<code>/uuid</code>');
});

test('a form of an endpoint that is off leads nowhere', () => {
  const request = new FakeExchange('/?try=uuid');
  expect(tryReply(request, endpoints, 'uuid').fields).toEqual(['Location', './uuid']);
  expect(() => tryReply(request, [], 'uuid')).toThrow('is no endpoint with GET');
});
