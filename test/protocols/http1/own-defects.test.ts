import { describe, expect, test, vi } from 'vitest';
import { RequestReader } from '../../../src/protocols/http1/request-reader.ts';
import { endpoint } from '../../../src/server/endpoint.ts';
import type { Exchange } from '../../../src/server/exchange.ts';
import type { ExchangeObserver } from '../../../src/server/observer.ts';
import type { Request } from '../../../src/server/request.ts';
import { reply, text } from '../../../src/server/reply.ts';
import { startAdapters, until } from '../../_adapters.ts';
import { collectGarbage } from '../../_garbage.ts';
import { exchange, GET, LAST, openSocket, POST, statusesOf } from '../../_raw.ts';

const fails = new Error('a defect of the test');

/** Content that fails after its first piece. @param close as of a reply */
const cut = (path: string, close: 'ends-content' | false) =>
  endpoint({
    path,
    group: 'content',
    summary: 'Content that fails.',
    responses: {},
    handle: () => {
      let count = 0;
      const next = (): Buffer => {
        if (count++ > 0) throw fails;
        return Buffer.from('part');
      };
      return { ...reply('text/plain', { kind: 'streamed', next }), close };
    },
  });

const isExchange = (request: Request): request is Exchange => 'respond' in request;

const twice = endpoint({
  path: '/twice',
  group: 'content',
  summary: 'Two responses to a request.',
  responses: {},
  handle: ({ request }) => {
    if (isExchange(request)) request.respond(200, [], 'first', false);
    return text('second');
  },
});

/** How connections are closed. A client on Node 20 may report a reset that follows content as its end. */
const closes = (): { readonly seen: string[]; readonly observer: ExchangeObserver } => {
  const seen: string[] = [];
  return { seen, observer: { closing: (_, how, reason) => void seen.push(`${how} ${reason}`) } };
};

describe('a response whose content fails is cut off', () => {
  test.each([
    ['by a close where its chunks show that it is incomplete', '/chunks', GET('/chunks'), 'abort'],
    ['by a reset where the close would complete it', '/closes', GET('/closes'), 'reset'],
    ['by a reset on HTTP/1.0, too', '/chunks', 'GET /chunks HTTP/1.0\r\n\r\n', 'reset'],
  ])('%s', async (_, path, bytes, how) => {
    const close = path === '/closes' ? 'ends-content' : false;
    const { seen, observer } = closes();
    const adapters = await startAdapters({}, [cut(path, close)], [observer]);
    await exchange(adapters.port, bytes);
    expect(seen).toEqual([`${how} internal-error`]);
    expect(adapters.defects).toEqual([fails]);
  });
});

test('a connection whose reading fails is reset, and the defect is reported', async () => {
  const { seen, observer } = closes();
  const adapters = await startAdapters({}, [], [observer]);
  vi.spyOn(RequestReader.prototype, 'read').mockImplementationOnce(() => {
    throw fails;
  });
  expect(await exchange(adapters.port, GET('/healthz'))).toBe('');
  expect(seen).toEqual(['reset internal-error']);
  expect(adapters.defects).toEqual([fails]);
  expect(statusesOf(await exchange(adapters.port, GET('/healthz', LAST)))).toEqual([200]);
});

test('a second response is a defect that is reported', async () => {
  const adapters = await startAdapters({}, [twice]);
  await exchange(adapters.port, GET('/twice'));
  expect(adapters.defects).toEqual([new Error('a request has a second response')]);
});

test('a request is not kept once its content has arrived after its response', async () => {
  let request: WeakRef<object> | undefined;
  const adapters = await startAdapters(
    {},
    [],
    [{ began: (each) => void (request ??= new WeakRef(each)) }],
  );
  const socket = await openSocket(adapters.port, undefined);
  socket.resume();
  socket.write(POST('/zeros/3', 'Content-Length: 4\r\n', 'ab'));
  await until(() => adapters.outcomes.length === 1);
  socket.write('cd');
  await until(() => {
    collectGarbage();
    return request?.deref() === undefined;
  });
  expect(socket.destroyed).toBe(false);
});
