import { expect, test } from 'vitest';
import { readyz } from '../../src/endpoints/readyz.ts';
import { overOneProtocol } from '../_everywhere.ts';
import { FakeExchange } from '../_exchange.ts';

overOneProtocol(({ client }) => {
  test('/readyz is OK while requests are accepted', async () => {
    const { status, body } = await client().request('/readyz');
    expect({ status, body: body.toString() }).toEqual({ status: 200, body: 'OK' });
  });
});

test.each(['draining', 'not-ready'] as const)('/readyz is 503 while the service is %s', (code) => {
  const failing = readyz(() => code);
  expect(() => failing.respond(new FakeExchange('/readyz'), [], Buffer.alloc(0))).toThrow(
    expect.objectContaining({ code, status: 503 }),
  );
});
