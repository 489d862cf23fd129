import { describe, expect, test } from 'vitest';
import { endpoint } from '../../src/server/endpoint.ts';
import { guarded } from '../../src/server/failure.ts';
import { text } from '../../src/server/reply.ts';
import { sharedAdapters, until } from '../_adapters.ts';
import { openClient, transports } from '../_client.ts';
import { nextHeld } from '../_shared.ts';

const rest = { group: 'content', summary: '', responses: {} } as const;
const first = new Error('first');
const late = new Error('late');
const fail = (error: Error) => (): never => {
  throw error;
};

/** Functions called at the end of the request fail, and one after them. */
const failsAtEnd = endpoint({
  ...rest,
  path: '/at-end',
  handle: ({ request }) => {
    request.whenFinished(fail(first));
    request.whenFinished(() => atEnd.push(request.requestNumber));
    return text('response');
  },
});
const atEnd: number[] = [];

/** Fails when told to. */
const failsLater = endpoint({
  ...rest,
  path: '/later',
  handle: ({ request }) => {
    failLate = guarded(request, fail(late));
    return text('response');
  },
});
let failLate = (): void => undefined;

describe.each(transports)('over %s', (transport) => {
  const adapters = sharedAdapters({}, [failsAtEnd, failsLater]);

  test('an error at the end of a request is reported, and what follows is still called', async () => {
    const { port, defects: reported, listener } = adapters();
    const client = openClient(transport, port);
    expect((await client.request('/at-end')).status).toBe(200);
    await until(() => atEnd.length > 0);
    atEnd.length = 0;
    expect(reported.splice(0)).toContain(first);
    expect((await client.request('/healthz')).status).toBe(200);
    await until(() => [...listener.connections].every(({ requests }) => requests.open === 0));
    client.close();
  });

  test('an error after the response does not end the next request on the connection', async () => {
    const client = openClient(transport, adapters().port);
    expect((await client.request('/later')).status).toBe(200);
    const next = client.request('/hold');
    const held = await nextHeld(adapters());
    failLate();
    expect(adapters().defects.splice(0)).toEqual([late]);
    held.respond();
    expect((await next).status).toBe(200);
    client.close();
  });
});
