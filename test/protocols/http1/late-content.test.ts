import { expect, test } from 'vitest';
import { endpoint } from '../../../src/server/endpoint.ts';
import type { Exchange } from '../../../src/server/exchange.ts';
import { text } from '../../../src/server/reply.ts';
import { startAdapters, until } from '../../_adapters.ts';
import { converse, openSocket, POST } from '../../_raw.ts';

/** Reads some of its content before it responds. */
const reads = endpoint({
  path: '/reads',
  methods: ['POST'],
  group: 'content',
  summary: '',
  responses: {},
  handle: async ({ request }) => {
    request.body.on('error', () => undefined);
    await new Promise((resolve) => request.body.once('data', resolve));
    return text('early');
  },
});

const INCOMPLETE = POST('/reads', 'Content-Length: 100\r\n', 'abc');

test('content that is still arriving after its response ends with the connection', async () => {
  const exchanges: Exchange[] = [];
  const observer = { began: (exchange: Exchange) => void exchanges.push(exchange) };
  const adapters = await startAdapters({}, [reads], [observer]);
  const socket = await openSocket(adapters.port);
  await converse(socket, INCOMPLETE, (received) => received.endsWith('early'));
  socket.destroy();
  await until(() => adapters.listener.connections.size === 0);
  expect(exchanges.map(({ body }) => body.destroyed)).toEqual([true]);
});

test('content that is late after its response closes the connection for that reason', async () => {
  const reasons: string[] = [];
  const observer = {
    closing: (_: unknown, how: string, reason: string) => void reasons.push(`${how} ${reason}`),
  };
  const adapters = await startAdapters(
    { requestTimeout: 200, sweepInterval: 50 },
    [reads],
    [observer],
  );
  const socket = await openSocket(adapters.port);
  await converse(socket, INCOMPLETE);
  expect(reasons).toEqual(['graceful request-timeout']);
});
