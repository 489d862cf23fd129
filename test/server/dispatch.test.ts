import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { Chaos } from '../../src/server/chaos.ts';
import { endpoint } from '../../src/server/endpoint.ts';
import { pullSource, repeatable } from '../../src/server/payload.ts';
import { empty, text, type Reply } from '../../src/server/reply.ts';
import { respondingWith, run } from '../_dispatch.ts';
import { FakeExchange, type Sent } from '../_exchange.ts';

function typeOf({ payload = '' }: Partial<Sent> = {}): unknown {
  return typeof payload === 'string' && (JSON.parse(payload) as { type: unknown }).type;
}

describe('checks of a request, in this order', () => {
  type Row = [
    method: string,
    target: string,
    status: number,
    endpoint?: string | undefined,
    more?: object,
  ];
  test.each<Row>([
    ['GET', '/number/5', 200, 'number'],
    ['HEAD', '/number/5', 200, 'number'],
    ['DELETE', '/number/5', 200, 'number'],
    ['GET', '/number/10', 400, 'number'],
    ['GET', '/number/%zz', 400, 'number'],
    ['GET', '/number/%35', 200, 'number'],
    // The path is checked first, then the method, then the parameters.
    ['POST', '/nowhere', 404],
    ['POST', '/number/x', 405, 'number'],
    ['OPTIONS', '/number/x', 204, 'number'],
    ['OPTIONS', '*', 204],
    ['OPTIONS', '/nowhere', 404],
    ['PROPFIND', '/content', 200, 'content'],
    ['get', '/number/5', 405, 'number'],
    ['GET', 'http://a/number/5', 200, 'number'],
    // Invalid messages reach no endpoint, whatever their path.
    ['GET', '*', 400],
    ['GET', '/number/5#x', 400],
    ['CONNECT', 'a:1', 501],
    ['GET', '/number/5', 400, undefined, { fields: [] }],
    ['GET', '/number/5', 200, 'number', { fields: [], version: 'HTTP/1.0' }],
    ['GET', '/number/5', 200, 'number', { fields: [], version: 'HTTP/2.0' }],
    ['GET', '/number/5', 417, undefined, { fields: ['Host', 'a', 'Expect', '200-ok'] }],
  ])('%s %s is %i', async (method, target, status, id, more = {}) => {
    const exchange = new FakeExchange(target, { method, ...more });
    const { sent, observed, internalErrors } = await run(exchange);
    expect(sent?.status).toBe(status);
    expect(observed).toEqual([[id, status]]);
    expect(internalErrors).toEqual([]);
    // After an invalid message the start of the next one is unknown.
    expect(sent?.close).toBe(status >= 400 && status !== 404 && id === undefined);
  });

  test.each([
    ['/number/5', 'GET, HEAD, DELETE, OPTIONS'],
    ['/content', 'GET, HEAD, QUERY, POST, PUT, PATCH, DELETE, OPTIONS, TRACE'],
    ['*', 'GET, HEAD, QUERY, POST, PUT, PATCH, DELETE, OPTIONS, TRACE'],
  ])('RFC 9110 10.2.1: %s allows %s', async (target, allow) => {
    const { sent } = await run(new FakeExchange(target, { method: 'OPTIONS' }));
    expect(sent?.fields['Allow']).toBe(allow);
  });
});

function posted(incoming: Readable, length?: string): FakeExchange {
  const fields = ['Host', 'a', ...(length === undefined ? [] : ['Content-Length', length])];
  return new FakeExchange('/content', { method: 'POST', incoming, fields });
}

describe('content', () => {
  test('is collected, after 100 (Continue)', async () => {
    const exchange = posted(Readable.from([Buffer.from('01234'), Buffer.from('56789')]), '10');
    const { sent } = await run(exchange);
    expect([sent?.status, sent?.payload]).toEqual([200, 'got 0123456789']);
    expect(exchange.continuesSent).toBe(1);
  });

  test('RFC 9110 10.1.1: too much of it gets no 100 (Continue), if its length is known', async () => {
    const exchange = posted(Readable.from([Buffer.alloc(11)]), '11');
    expect((await run(exchange)).sent?.status).toBe(413);
    expect(exchange.continuesSent).toBe(0);
    expect(exchange.body.readableFlowing).toBe(true);
  });

  test('too much of it is read to its end, if the length is unknown', async () => {
    const exchange = posted(Readable.from(Array.from({ length: 9 }, () => Buffer.alloc(5))));
    expect((await run(exchange)).sent?.status).toBe(413);
    expect(exchange.body.readableEnded).toBe(true);
  });

  test('that ends early is 400', async () => {
    const broken = new Readable({ read: () => undefined });
    broken.push(Buffer.from('012'));
    setImmediate(() => broken.destroy());
    const { sent, internalErrors } = await run(posted(broken));
    expect(sent?.status).toBe(400);
    expect(typeOf(sent)).toBe('/problems/invalid-content');
    expect(internalErrors).toEqual([]);
  });

  test('is not read if the endpoint does not use it', async () => {
    const exchange = new FakeExchange('/number/5', { incoming: Readable.from([Buffer.alloc(50)]) });
    expect((await run(exchange)).sent?.status).toBe(200);
    expect(exchange.continuesSent).toBe(0);
  });
});

describe('RFC 9110 8.6: Content-Length', () => {
  const bytes = new Uint8Array(7);
  test.each<[string, Reply, string | undefined]>([
    ['text, in bytes', text('ü€'), '5'],
    ['bytes', { status: 200, fields: [], payload: bytes }, '7'],
    ['none', empty(302), '0'],
    ['205, which has none', empty(205), '0'],
    ['204', empty(204), undefined],
    ['304', empty(304), undefined],
    [
      'pulled',
      { status: 200, fields: [], payload: repeatable(() => pullSource(9, () => bytes)) },
      '9',
    ],
    [
      'timed',
      {
        status: 200,
        fields: [],
        payload: { kind: 'timed', next: () => undefined, wait: () => Promise.resolve() },
      },
      undefined,
    ],
  ])('%s', async (_, reply, length) => {
    const { sent } = await run(new FakeExchange('/given'), [respondingWith(() => reply)]);
    expect(sent?.fields['Content-Length']).toBe(length);
  });
});

test('sending a reusable reply does not modify it', async () => {
  const reply = text('x', { fields: ['X-A', 'b'] });
  const before = structuredClone(reply.fields);
  await run(new FakeExchange('/given'), [respondingWith(() => reply)]);
  expect(reply.fields).toEqual(before);
});

const includes = () => true;
const reply = () => text('');

test('chaos delays the reply of a handler that reads the content itself', async () => {
  const order: string[] = [];
  const streamed = endpoint({
    path: '/streamed',
    methods: 'any',
    group: 'content',
    summary: '',
    content: 'streamed',
    responses: {},
    handle({ request: { body } }) {
      order.push('handled');
      body.resume();
      return text('');
    },
  });
  const incoming = Readable.from([Buffer.from('x')]).once('end', () => order.push('read'));
  const exchange = new FakeExchange('/streamed', { method: 'POST', incoming });
  const disturbance = { kind: 'delay', seconds: 0.06 } as const;
  const chaos = new Chaos({
    shares: [{ text: '', percent: 100, disturbance }],
    seed: 1,
    includes,
    reply,
  });
  setTimeout(() => order.push('delay over'), 50);
  expect((await run(exchange, [streamed], { chaos })).sent?.status).toBe(200);
  expect(order).toEqual(['delay over', 'handled', 'read']);
});

test.each([true, false])(
  'chaos delays the handler, whose response would wait in memory; content: %s',
  async (content) => {
    const order: string[] = [];
    const delayed = endpoint({
      path: '/delayed',
      methods: 'any',
      group: 'content',
      summary: '',
      content,
      responses: {},
      handle: () => {
        order.push('handled');
        return text('');
      },
    });
    const incoming = Readable.from([Buffer.from('x')]).once('end', () => order.push('read'));
    const exchange = new FakeExchange('/delayed', { method: 'POST', incoming });
    if (!content) incoming.resume();
    setTimeout(() => order.push('delay over'), 50);
    const share = {
      text: '',
      percent: 100,
      disturbance: { kind: 'delay', seconds: 0.06 },
    } as const;
    const chaos = new Chaos({ shares: [share], seed: 1, includes, reply });
    expect((await run(exchange, [delayed], { chaos })).sent?.status).toBe(200);
    expect(order).toEqual(['read', 'delay over', 'handled']);
  },
);
