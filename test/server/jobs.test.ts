import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { connectHttp2 } from '../../src/net/http2-sessions.ts';
import { encodedEchoReply } from '../../src/echo/encoded-echo.ts';
import { endpoint } from '../../src/server/endpoint.ts';
import { reply } from '../../src/server/reply.ts';
import { inThread, serialize } from '../../src/server/request-cost.ts';
import { startAdapters, until } from '../_adapters.ts';
import { openClient, transports } from '../_client.ts';
import { run } from '../_dispatch.ts';
import { FakeExchange } from '../_exchange.ts';

const declared = {
  methods: ['POST'],
  group: 'content',
  summary: '',
  content: true,
  responses: {},
} as const;

/** A client that stays until `leave`. */
const client = (): FakeExchange => new FakeExchange('/');

test('jobs run one after another, in order, each in its own iteration of the event loop', async () => {
  let now = 0;
  const turns: number[] = [];
  const makings = [0, 1, 2, 3].map((which) =>
    serialize(client(), async () => {
      turns.push(now);
      await turn();
      return which;
    }),
  );
  while (turns.length < 4) {
    await turn();
    now++;
  }
  expect(await Promise.all(makings)).toEqual([0, 1, 2, 3]);
  expect(new Set(turns).size).toBe(4);
});

test('a job that fails does not block the next', async () => {
  const failing = serialize(client(), () => Promise.reject(new Error('failed')));
  const next = serialize(client(), () => 'made');
  await expect(failing).rejects.toThrow('failed');
  expect(await next).toBe('made');
});

/** Jobs that run until the test ends them, and those that have begun. */
function jobs() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const make = (name: string) => (): Promise<string> => {
    begun.push(name);
    return new Promise((resolve) => {
      ends.set(name, () => resolve(name));
    });
  };
  return { begun, make, end: (name: string) => ends.get(name)?.() };
}

test.each([
  ['serialize', serialize, 1],
  ['inThread', inThread, 4],
])('%s: a queued job is dropped once its client disconnects', async (_, take, width) => {
  const { begun, make, end } = jobs();
  const running = Array.from({ length: width }, (__, at) => take(client(), make(`${at}`)));
  await until(() => begun.length === width);
  const [leaver, stayer] = [client(), client()];
  const left = take(leaver, make('left'));
  const stayed = take(stayer, make('stayed'));
  leaver.leave();
  await expect(left).rejects.toThrow('aborted');
  await expect(take(leaver, make('late'))).rejects.toThrow('aborted');
  for (let at = 0; at < width; at++) end(`${at}`);
  await Promise.all(running);
  await until(() => begun.includes('stayed'));
  end('stayed');
  expect(await stayed).toBe('stayed');
  expect(begun).toHaveLength(width + 1);
});

test('large jobs leave threads for others, and do not hold up what is serialized', async () => {
  const { begun, make, end } = jobs();
  const large = ['1', '2', '3'].map((name) => inThread(client(), make(name), true));
  const small = inThread(client(), make('small'));
  expect(await serialize(client(), () => 'made')).toBe('made');
  expect(begun).toEqual(['1', '2', 'small']);
  for (const name of ['1', '2', 'small']) end(name);
  await until(() => begun.includes('3'));
  end('3');
  await Promise.all([...large, small]);
});

test('an encoded echo of large content does not hold up what is serialized', async () => {
  const { begun, make, end } = jobs();
  const encode = async (): Promise<Uint8Array> => Buffer.from(await make('encoded')());
  const encoded = encodedEchoReply(client(), Buffer.alloc(100_000), 'br', encode);
  await until(() => begun.length > 0);
  expect(await serialize(client(), () => 'made')).toBe('made');
  expect(begun).toEqual(['encoded']);
  end('encoded');
  expect((await encoded).status).toBe(200);
});

test('encoded echoes of many fields leave threads for others', async () => {
  const { begun, make, end } = jobs();
  const echo = (exchange: FakeExchange, name: string) =>
    encodedEchoReply(exchange, Buffer.alloc(0), 'br', async () => Buffer.from(await make(name)()));
  const fields = Array.from({ length: 300 }, (_, at) => (at % 2 ? 'value' : 'x-name'));
  const large = ['1', '2', '3', '4'].map((name) => echo(new FakeExchange('/', { fields }), name));
  const small = echo(client(), 'small');
  await until(() => begun.length === 3);
  expect(begun.toSorted()).toEqual(['1', '2', 'small']);
  end('small');
  for (const name of ['1', '2', '3', '4']) {
    await until(() => begun.includes(name));
    end(name);
  }
  await Promise.all([...large, small]);
});

test('a client that disconnects in the iteration before its job', async () => {
  const leaver = client();
  const left = serialize(leaver, () => 'made');
  leaver.leave();
  await expect(left).rejects.toThrow('aborted');
});

test('jobs of half-closed connections run while others are always queued', async () => {
  const over = new AbortController();
  let passed = 0;
  const halfClosed = client();
  vi.spyOn(halfClosed.connection, 'clientHalfClosed', 'get').mockReturnValue(true);
  const others = Array.from({ length: 3 }, async () => {
    const busy = client();
    while (!over.signal.aborted) await serialize(busy, () => passed++);
  });
  await turn();
  passed = 0;
  await serialize(halfClosed, () => undefined);
  over.abort();
  expect(passed).toBeLessThan(10);
  await Promise.all(others);
});

test.each(transports)('%s: a queued request is dropped with its client', async (transport) => {
  const { begun, make, end } = jobs();
  let waiting = 0;
  const queued = endpoint({
    ...declared,
    path: '/queued',
    handle({ request }) {
      waiting++;
      return serialize(request, () => {
        begun.push('queued');
        return reply('text/plain', 'done');
      });
    },
  });
  const adapters = await startAdapters({}, [queued]);
  const leaver = openClient(transport, adapters.port);
  const running = serialize(client(), make('running'));
  await until(() => begun.length === 1);
  const left = leaver.request('/queued', { method: 'POST', body: 'content' }).catch(() => 'left');
  await until(() => waiting === 1);
  leaver.leave();
  expect(await left).toBe('left');
  await until(() => adapters.outcomes.length === 1);
  expect(adapters.outcomes).toEqual([undefined]);
  end('running');
  await running;
  await serialize(client(), () => undefined);
  expect(begun).toEqual(['running']);
});

test('large content that is queued is dropped with its client', async () => {
  const { begun, make, end } = jobs();
  const running = serialize(client(), make('running'));
  await until(() => begun.length === 1);
  const incoming = new PassThrough();
  const exchange = new FakeExchange('/content', { incoming });
  const ended = run(exchange, [], { maxBodySize: 1_000_000 });
  incoming.end(Buffer.alloc(100_000));
  await once(incoming, 'end');
  exchange.leave();
  expect((await ended).observed).toEqual([['content', undefined]]);
  end('running');
  await running;
});

const BUSY = 20;

/** Blocks the event loop for 20 ms. */
const busy = endpoint({
  ...declared,
  path: '/busy',
  handle() {
    const start = performance.now();
    while (performance.now() - start < BUSY);
    return reply('text/plain', 'done', { status: 201 });
  },
});

test('another request is served between large contents that arrive at once', async () => {
  const adapters = await startAdapters({ maxBodySize: 1_000_000 }, [busy]);
  const session = connectHttp2(`http://127.0.0.1:${adapters.port}`);
  const other = openClient('http/1.1', adapters.port);
  onTestFinished(() => {
    session.destroy();
  });
  const streams = Array.from({ length: 20 }, () =>
    session.request({ ':method': 'POST', ':path': '/busy' }).resume(),
  );
  await Promise.all(
    streams.map(
      (stream) =>
        new Promise<void>((resolve) => stream.write(Buffer.alloc(100_000), () => resolve())),
    ),
  );
  await other.request('/healthz');
  for (const stream of streams) stream.end();
  await Promise.race(streams.map((stream) => once(stream, 'response')));
  await other.request('/healthz');
  await until(() => adapters.outcomes.length === 22);
  expect(adapters.outcomes.lastIndexOf(200)).toBeLessThan(15);
});
