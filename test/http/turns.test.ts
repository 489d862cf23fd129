import { once } from 'node:events';
import { connect } from 'node:http2';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { endpoint } from '../../src/http/endpoint.ts';
import { reply } from '../../src/http/reply.ts';
import { inTurn } from '../../src/http/turns.ts';
import { startAdapters, until } from '../_adapters.ts';
import { openClient } from '../_client.ts';

test('one after another, in order, each in a turn of its own', async () => {
  let now = 0;
  const turns: number[] = [];
  const makings = [0, 1, 2, 3].map((which) =>
    inTurn(async () => {
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

test('what fails does not hold up the next', async () => {
  const failing = inTurn(() => Promise.reject(new Error('so it is')));
  const next = inTurn(() => 'made');
  await expect(failing).rejects.toThrow('so it is');
  expect(await next).toBe('made');
});

const BUSY = 20;

/** Takes the event loop for 20 ms. */
const busy = endpoint({
  id: 'busy',
  methods: ['POST'],
  path: '/busy',
  group: 'content',
  summary: '',
  content: true,
  params: {},
  responses: {},
  handle() {
    const start = performance.now();
    while (performance.now() - start < BUSY);
    return reply('text/plain', 'done', { status: 201 });
  },
});

test('between large contents that come at once another request is heard', async () => {
  const adapters = await startAdapters({ maxBodySize: 1_000_000 }, [busy]);
  const session = connect(`http://127.0.0.1:${adapters.port}`);
  const client = openClient('http/1.1', adapters.port);
  onTestFinished(() => {
    session.destroy();
    client.close();
    adapters.close();
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
  await client.request('/healthz');
  for (const stream of streams) stream.end();
  await Promise.race(streams.map((stream) => once(stream, 'response')));
  await client.request('/healthz');
  await until(() => adapters.outcomes.length === 22);
  expect(adapters.outcomes.lastIndexOf(200)).toBeLessThan(15);
});
