import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { completeState } from '../../src/endpoints/all.ts';
import { delay } from '../../src/endpoints/delay.ts';
import { drip } from '../../src/endpoints/drip.ts';
import { jsonLines } from '../../src/endpoints/jsonl.ts';
import { range } from '../../src/endpoints/range.ts';
import { serverSentEvents } from '../../src/endpoints/sse.ts';
import { endpoint } from '../../src/http/endpoint.ts';
import { reply } from '../../src/http/reply.ts';
import { startAdapters, until, type Adapters } from '../_adapters.ts';
import { transports } from '../_client.ts';
import { converse, openSocket } from '../_raw.ts';
import { Stream } from '../_stream.ts';

const { maxDuration } = completeState;
const slow = [delay, drip, serverSentEvents, jsonLines, range].map((make) => make(maxDuration));

/** Ends the lives of all that nobody holds. */
const collectGarbage = ((): (() => void) => {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
})();

function timers(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
}

function openRequests({ listener }: Adapters): number {
  return [...listener.connections].reduce((sum, connection) => sum + connection.openRequests, 0);
}

describe.each(transports)('over %s', (transport) => {
  /** What the answers of /endless hold. */
  const held: WeakRef<object>[] = [];
  let adapters: Adapters;

  const endless = endpoint({
    id: 'endless',
    methods: ['GET'],
    path: '/endless',
    group: 'content',
    summary: 'More than anybody reads.',
    params: {},
    responses: {},
    handle() {
      const piece = new Uint8Array(64 * 1024);
      held.push(new WeakRef(piece));
      return reply('application/octet-stream', {
        kind: 'pulled',
        length: 2 ** 40,
        next: (size) => piece.subarray(0, size),
      });
    },
  });

  beforeAll(async () => {
    adapters = await startAdapters({}, [endless, ...slow]);
  });
  afterAll(() => {
    expect(adapters.defects).toEqual([]);
    adapters.close();
  });

  test('a client that goes in the middle of its content leaves nothing of it behind', async () => {
    const stream = new Stream(transport, adapters.port, '/endless');
    await until(() => stream.arrivals.length > 0);
    stream.pause();
    expect(held).toHaveLength(1);
    stream.close();
    await until(() => adapters.listener.connections.size === 0);
    await until(() => {
      collectGarbage();
      return held[0]?.deref() === undefined;
    });
  });

  test.each([
    '/delay/300',
    '/drip?duration=300',
    '/drip?delay=300',
    '/sse?duration=300&jitter=1',
    '/sse?delay=300',
    '/jsonl?duration=300&count=10000',
    '/jsonl?delay=300',
    '/range/1000?duration=300&chunk_size=1',
  ])('a client that goes in the middle of %s leaves no timer behind', async (target) => {
    const stream = new Stream(transport, adapters.port, target);
    await until(() => openRequests(adapters) === 1);
    expect(timers()).toBeGreaterThan(0);
    stream.close();
    await until(() => adapters.listener.connections.size === 0);
    await until(() => timers() === 0);
  });

  test('a hundred clients that go at once leave no timer behind', async () => {
    const targets = Array.from({ length: 100 }, (_, at) =>
      at % 2 ? '/drip?duration=300' : '/delay/300',
    );
    const streams = targets.map((target) => new Stream(transport, adapters.port, target));
    await until(() => openRequests(adapters) === 100);
    expect(timers()).toBeGreaterThanOrEqual(100);
    for (const stream of streams) stream.close();
    const start = performance.now();
    await until(() => timers() === 0);
    // Two probes of 40 ms on HTTP/1.1, and the closing of a hundred connections.
    expect(performance.now() - start).toBeLessThan(2000);
  });
});

test('RFC 9112 7.1: a client that has closed its side only gets its chunks, whole', async () => {
  const adapters = await startAdapters({}, [drip(maxDuration)]);
  const socket = await openSocket(adapters.port);
  const request =
    'GET /drip?numbytes=3&duration=0.4 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
  const conversation = converse(socket, request);
  socket.end();
  const received = await conversation;
  const chunks = received.slice(received.indexOf('\r\n\r\n') + 4);
  expect(chunks).toMatch(/^(?:0*1\r\n\*\r\n){3}0+\r\n\r\n$/);
  // It was asked whether it is still there.
  expect(chunks).toContain('001\r\n');
  adapters.close();
});
