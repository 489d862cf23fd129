import { expect, onTestFinished, test, vi } from 'vitest';
import { BOUNDS, turns } from '../../../src/net/scheduler.ts';
import type { ExchangeObserver } from '../../../src/server/observer.ts';
import { startAdapters, unchanged, until } from '../../_adapters.ts';
import * as h2 from '../../_frames.ts';
import { openSocket } from '../../_raw.ts';
import { open } from './_client.ts';

const PROTOCOL_ERROR = 1;
const REFUSED_STREAM = 7;
const ENHANCE_YOUR_CALM = 11;
const HEAD = [
  [':method', 'GET'],
  [':scheme', 'http'],
  [':authority', 'x'],
  [':path', '/a'],
] as const;

const odd = (at: number): number => 2 * at + 1;

test('a stream that is refused is reported at once, with the reason', async () => {
  const rejected: unknown[] = [];
  const observer: ExchangeObserver = {
    rejected: (_, { message }, request) => rejected.push([message, request?.target]),
  };
  const { client } = await open({ maxStreams: 1 }, [observer]);
  const block = h2.fieldBlock([...HEAD, ['te', 'gzip']]);
  client.send(
    h2.frame(h2.HEADERS, h2.END_HEADERS | h2.END_STREAM, 1, block),
    h2.get(3, '/hold'),
    h2.get(5, '/healthz'),
  );
  await until(() => client.reset(5) !== undefined);
  expect([client.reset(1), client.reset(5)]).toEqual([PROTOCOL_ERROR, REFUSED_STREAM]);
  expect(rejected).toEqual([
    ['stream 1 never became a request: te is not "trailers" (RFC 9113 8.2.2)', '/a'],
    [
      'stream 5 never became a request: above SETTINGS_MAX_CONCURRENT_STREAMS of 1 (RFC 9113 5.1.2)',
      '/healthz',
    ],
  ]);
});

test('streams that are refused count as resets', async () => {
  const { client } = await open({ maxStreams: 1, maxResets: 1 });
  client.send(h2.get(1, '/hold'), ...Array.from({ length: 9 }, (_, at) => h2.get(3 + 2 * at, '/')));
  await until(() => client.goaway() !== undefined && client.ended);
  expect(client.goaway()).toBe(ENHANCE_YOUR_CALM);
  // As many as --max-resets allows at once.
  expect(client.got(h2.RST_STREAM)).toHaveLength(5);
});

test('a connection begins in a later iteration of the event loop if others have used up this one', async () => {
  const adapters = await startAdapters({}, [], [], 'wirebin');
  const protocols: unknown[] = [];
  const accept = adapters.http2.accept.bind(adapters.http2);
  vi.spyOn(adapters.http2, 'accept').mockImplementation((connection, first) => {
    const end = performance.now() + 2 * BOUNDS.turn;
    while (performance.now() < end) turns.isSpent();
    accept(connection, first);
    protocols.push(connection.protocol);
  });
  const socket = await openSocket(adapters.port);
  onTestFinished(() => void socket.destroy());
  const client = new h2.FrameClient(socket);
  client.send(h2.get(1, '/healthz'));
  await until(() => client.isDone(1));
  expect(protocols).toEqual([undefined]);
});

test('what answers the frames of one read is one write', async () => {
  const { adapters, client } = await open();
  const [connection] = adapters.listener.connections;
  if (!connection) throw new Error('no connection');
  const write = vi.spyOn(connection.socket, 'write');
  const ids = Array.from({ length: 10 }, (_, at) => odd(at));
  const requests = Buffer.concat(ids.map((id) => h2.get(id, '/healthz')));
  // On a busy machine the turn would be over before all of them are read.
  const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
  onTestFinished(() => clock.mockRestore());
  client.socket.write(requests);
  await until(() => ids.every((id) => client.isDone(id)));
  expect(write).toHaveBeenCalledTimes(1);
});

test('a client that does not read is not read either', async () => {
  const { port, listener } = await startAdapters({ maxControlFrames: 1e9 }, [], [], 'wirebin');
  const socket = await openSocket(port);
  onTestFinished(() => void socket.destroy());
  const ping = h2.frame(h2.PING, 0, 0, Buffer.alloc(8));
  const pings = Buffer.concat(Array.from({ length: 60_000 }, () => ping));
  socket.pause();
  socket.write(h2.OPENING);
  for (let sent = 0; sent < 40; sent++) socket.write(pings);
  await until(() => listener.connections.size > 0);
  const [connection] = listener.connections;
  await until(() => connection?.isReadingHeld('pipeline') === true);
  const read = await unchanged(() => connection?.socket.bytesRead ?? 0);
  expect(read).toBeLessThan(30e6);
  socket.resume();
  await until(() => (connection?.socket.bytesRead ?? 0) > read);
});

test('responses that a client does not read are no more than the streams it may have', async () => {
  const { port, listener } = await startAdapters({}, [], [], 'wirebin');
  const socket = await openSocket(port);
  onTestFinished(() => void socket.destroy());
  const window = h2.uint32(2 ** 30);
  const update = h2.frame(h2.WINDOW_UPDATE, 0, 0, window);
  socket
    .pause()
    .write(Buffer.concat([h2.openingWith(2 ** 30), update, h2.get(1, '/zeros/100000000')]));
  await until(() => listener.connections.size > 0);
  const [connection] = listener.connections;
  if (!connection) throw new Error('no connection');
  await unchanged(() => connection.writeProgress);
  const { requests } = connection;
  while (requests.total < 10_000 && !connection.isReadingHeld('pipeline')) {
    const { total } = requests;
    const next = Array.from({ length: 100 }, (_, at) =>
      h2.request(odd(total + at), 'HEAD', '/healthz'),
    );
    socket.write(Buffer.concat(next));
    await until(() => requests.total === total + 100 || connection.isReadingHeld('pipeline'));
  }
  expect(requests.open).toBeLessThanOrEqual(2 * 250);
  socket.resume().write(h2.frame(h2.RST_STREAM, 0, 1, h2.uint32(8)));
  await until(() => requests.open === 0);
});

test.each([
  ['empty DATA', h2.frame(h2.DATA, 0, 1)],
  ['PRIORITY', h2.frame(2, 0, 1, Buffer.from([0, 0, 0, 0, 1]))],
  ['SETTINGS', h2.frame(h2.SETTINGS, 0, 0)],
  ['PING', h2.frame(h2.PING, 0, 0, Buffer.alloc(8))],
])('more %s than is allowed ends the connection', async (_, frame) => {
  const { client } = await open({ maxControlFrames: 20 });
  client.send(h2.post(1, '/hold'), ...Array.from({ length: 30 }, () => frame));
  await until(() => client.goaway() !== undefined && client.ended);
  expect(client.goaway()).toBe(ENHANCE_YOUR_CALM);
});

test('CONTINUATION without end ends the connection', async () => {
  const { client } = await open();
  client.send(
    h2.frame(h2.HEADERS, 0, 1, h2.fieldBlock(HEAD)),
    ...Array.from({ length: 20 }, () => h2.frame(h2.CONTINUATION, 0, 1)),
  );
  await until(() => client.goaway() !== undefined && client.ended);
  expect(client.goaway()).toBe(ENHANCE_YOUR_CALM);
});

test('a header section that never ends is late', async () => {
  const { client } = await open({ headerTimeout: 100, sweepInterval: 20 });
  client.send(h2.get(1, '/healthz'), h2.frame(h2.HEADERS, 0, 3, h2.fieldBlock(HEAD)));
  await until(() => client.goaway() !== undefined && client.ended);
  expect(client.goaway()).toBe(ENHANCE_YOUR_CALM);
});
