import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { faults } from '../../../../src/endpoints/fault.ts';
import type { Connection } from '../../../../src/net/connection.ts';
import { startAdapters, until, type Adapters } from '../../../_adapters.ts';
import { GET, openPair, POST } from '../../../_raw.ts';

let adapters: Adapters;
const unhandled: unknown[] = [];
const note = (reason: unknown): void => void unhandled.push(reason);
beforeAll(async () => {
  adapters = await startAdapters({}, faults(60));
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

describe.each([
  ['cleartext', undefined],
  ['over TLS', ['http/1.1']],
])('%s', (_, alpn) => {
  test.each([
    ['the service aborts the connection', [UNREAD], abort],
    ['the service aborts it while an earlier request is open', [GET('/hold'), UNREAD], abort],
    ['the client resets it while an earlier request is open', [GET('/hold'), UNREAD], reset],
  ])('no rejection is unhandled if %s', async (_end, requests, end) => {
    const { clear, socket } = await openPair(adapters.port, alpn);
    socket.write(requests.join(''));
    const connections = adapters.listener.connections;
    await until(() => [...connections][0]?.openRequests === requests.length);
    // The content is read in a later turn than the header section.
    await turn();
    await turn();
    for (const connection of connections) end(connection, clear);
    await until(() => connections.size === 0);
    await turn();
    expect(unhandled.splice(0)).toEqual([]);
  });
});
