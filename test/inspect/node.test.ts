import { once } from 'node:events';
import tls from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../_adapters.ts';
import { openClient } from '../_client.ts';
import * as h2 from '../_frames.ts';
import { converse, GET, LAST, openSocket, statusesOf } from '../_raw.ts';
import { Reader } from '../_tap.ts';
import { HTTP1, sharedService } from '../_shared.ts';

// Node reads and writes an inspected connection in JavaScript, which must not be noticed.

const running = sharedService('--inspect', '--tap', { sweepInterval: 1 });
let reader: Reader;
beforeAll(async () => {
  reader = await Reader.open('http/1.1', running().port);
});
afterAll(() => void reader.socket.destroy());

const ofBytes = (): Readonly<Record<string, unknown>>[] =>
  reader.events.map(({ data }) => data).filter(({ path }) => path === '/bytes/50000');
/** The events of the connection of the first event, from an index on, that has these data. */
function kindsOf(from: number, name: string, value: string): unknown[] {
  const all = reader.events.map(({ data }) => data);
  const conn = all.slice(from).find((data) => data[name] === value)?.['conn'];
  return all.filter((data) => conn !== undefined && data['conn'] === conn).map(({ kind }) => kind);
}

test('the failure of a handshake precedes the close', async () => {
  const before = reader.events.length;
  const socket = tls.connect({ port: running().port, host: '127.0.0.1', rejectUnauthorized: true });
  await once(socket, 'error');
  const kinds = () => kindsOf(before, 'kind', 'handshake_failed');
  await until(() => kinds().includes('closed'));
  expect(kinds()).toEqual(['opened', 'handshake_failed', 'closed']);
});

test('the end of a request precedes the close', async () => {
  const socket = await openSocket(running().port, ['h2']);
  const client = new h2.FrameClient(socket);
  client.send(h2.get(1, '/drip?duration=10'));
  await until(() => client.got(h2.HEADERS).length > 0);
  socket.destroy();
  await until(() => kindsOf(0, 'path', '/drip').includes('closed'));
  expect(kindsOf(0, 'path', '/drip').slice(-2)).toEqual(['request', 'closed']);
});

test.each(HTTP1)('a client that half-closes gets its late response: %s', async (_, alpn) => {
  const socket = await openSocket(running().port, alpn);
  const received = converse(socket, GET('/delay/0.2', LAST));
  socket.end();
  expect(statusesOf(await received)).toEqual([200]);
});

test('responses that have just been written are complete', async () => {
  const client = openClient('h2', running().port);
  for (let count = 0; count < 50; count++) await client.request('/bytes/50000');
  await until(() => ofBytes().length === 50);
  client.close();
  expect(ofBytes().filter(({ complete }) => complete !== true)).toEqual([]);
});
