import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { faults } from '../../../../src/endpoints/fault.ts';
import type { Connection } from '../../../../src/net/connection.ts';
import { endpoint } from '../../../../src/server/endpoint.ts';
import { reply } from '../../../../src/server/reply.ts';
import { startAdapters, until, type Adapters } from '../../../_adapters.ts';
import { outcomeOf } from '../../../_ending.ts';
import { GET, LAST, openPair, POST } from '../../../_raw.ts';
import { HTTP1 } from '../../../_shared.ts';

/** Its content is discarded before the fault is known. */
const LATE = endpoint({
  path: '/late',
  group: 'faults',
  summary: 'Responds after its content.',
  methods: 'any',
  responses: {},
  async handle({ request }) {
    await once(request.body, 'end');
    const fault = { kind: 'no-read', after: 2, seconds: 0.01, scope: 'stream' } as const;
    return { ...reply('text/plain', 'read'), fault };
  },
});

let adapters: Adapters;
const unhandled: unknown[] = [];
const note = (reason: unknown): void => void unhandled.push(reason);
beforeAll(async () => {
  adapters = await startAdapters({}, [...faults(60), LATE]);
  process.on('unhandledRejection', note);
});
afterAll(() => {
  process.off('unhandledRejection', note);
  adapters.close();
});

const UNREAD = POST('/fault/no-read?after=1&for=60', 'Content-Length: 100\r\n', '0123456789');

const abort = (connection: Connection): void => connection.close('abort');
const reset = (_: Connection, client: Socket): void => {
  client.resetAndDestroy();
  // Nothing is read, so that only a write fails.
  for (const held of adapters.held.splice(0)) held.respond();
};

describe.each(HTTP1)('%s', (_, alpn) => {
  test('content that has been discarded before is read', async () => {
    const request = POST('/late', `Content-Length: 3\r\n${LAST}`, 'abc');
    const { received } = await outcomeOf(adapters.port, request, alpn !== undefined);
    expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n.*\r\n\r\nread$/s);
  });

  test.each([
    ['the service aborts the connection', [UNREAD], abort],
    ['the service aborts it while an earlier request is open', [GET('/hold'), UNREAD], abort],
    ['the client resets it while an earlier request is open', [GET('/hold'), UNREAD], reset],
  ])('no rejection is unhandled if %s', async (_end, requests, end) => {
    const { clear, socket } = await openPair(adapters.port, alpn);
    socket.write(requests.join(''));
    const connections = adapters.listener.connections;
    await until(() => [...connections][0]?.requests.open === requests.length);
    // The content is read in a later turn than the header section.
    await turn();
    await turn();
    for (const connection of connections) end(connection, clear);
    await until(() => connections.size === 0);
    await turn();
    expect(unhandled.splice(0)).toEqual([]);
  });
});
