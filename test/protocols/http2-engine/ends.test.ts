import { expect, test } from 'vitest';
import type { ExchangeObserver } from '../../../src/server/observer.ts';
import { unchanged, until } from '../../_adapters.ts';
import * as h2 from '../../_frames.ts';
import { startInspection } from '../../inspect/_inspection.ts';
import { open } from './_client.ts';

const PROTOCOL_ERROR = 1;
const STREAM_CLOSED = 5;
const ENHANCE_YOUR_CALM = 11;
const MAX_WINDOW = 2 ** 31 - 1;
/** Responses of more than the system takes for a client that does not read: all of them wait. */
const LARGE = 100e6;
const ids = Array.from({ length: 60 }, (_, at) => 2 * at + 1);
const requests = ids.map((id) => h2.get(id, `/zeros/${LARGE}`));

/** What a client begins with whose windows are as large as they can be. */
const OPENING = Buffer.concat([
  h2.openingWith(MAX_WINDOW),
  h2.frame(h2.WINDOW_UPDATE, 0, 0, h2.uint32(MAX_WINDOW - 65_535)),
]);

test('nothing follows a GOAWAY with an error, not even content that was waiting', async () => {
  const { adapters, client } = await open({}, [], OPENING);
  client.socket.pause();
  client.send(...requests);
  const [connection] = adapters.listener.connections;
  if (!connection) throw new Error('no connection');
  await until(() => connection.requests.open === ids.length);
  await unchanged(() => connection.writeProgress);
  client.send(h2.frame(h2.PING, 0, 1, Buffer.alloc(8)));
  await until(() => connection.requests.open === 0);
  client.socket.resume();
  await until(() => client.ended);
  expect(client.frames.at(-1)?.type).toBe(h2.GOAWAY);
  expect(client.goaway()).toBe(PROTOCOL_ERROR);
});

test('a connection error is reported with its frame, also after errors of streams that came with it', async () => {
  const frames: string[] = [];
  const observer: ExchangeObserver = {
    rejected: (_, _error, message) => {
      frames.push(message?.frames?.map(({ text }) => text).join('') ?? '');
    },
  };
  const { client } = await open({}, [startInspection(), observer]);
  const late = h2.frame(h2.DATA, 0, 1, Buffer.from('late'));
  const ping = h2.frame(h2.PING, 0, 1, Buffer.alloc(8));
  client.send(h2.get(1, '/hold'), late, ping);
  await until(() => client.goaway() !== undefined);
  expect(client.reset(1)).toBe(STREAM_CLOSED);
  expect(frames).toEqual([ping.toString('latin1')]);
});

test('a request that stalls within the header of a DATA frame is late, and its connection goes on', async () => {
  const { adapters, client } = await open({
    headerTimeout: 500,
    requestTimeout: 1000,
    lingerTime: 50,
    sweepInterval: 20,
  });
  client.send(h2.post(1, '/anything'), h2.frame(h2.DATA, 0, 1, Buffer.from('a')).subarray(0, 5));
  await until(() => client.isDone(1));
  expect(adapters.outcomes).toEqual([408]);
  expect(client.goaway()).toBeUndefined();
});

test('a request on a connection on which too much waits is refused, and reported', async () => {
  const rejected: string[] = [];
  const observer: ExchangeObserver = { rejected: (_, { message }) => rejected.push(message) };
  const { client } = await open({ maxSessionMemory: 0, maxResets: 1 }, [observer], OPENING);
  client.socket.pause();
  client.send(...requests);
  await until(() => rejected.length > 0);
  expect(rejected[0]).toMatch(
    /^stream \d+ never became a request: \d+ bytes of responses wait on the connection \(RFC 9113 10\.5\)$/,
  );
  client.socket.resume();
  await until(() => client.ended);
  const [reset] = client.got(h2.RST_STREAM);
  expect(reset?.payload.readUInt32BE()).toBe(ENHANCE_YOUR_CALM);
  // They count as other streams that fail.
  expect(client.goaway()).toBe(ENHANCE_YOUR_CALM);
});

test('no interim response is sent when the connection has closed', async () => {
  const { adapters, client } = await open();
  client.send(h2.post(1, '/hold'));
  await until(() => adapters.held.length === 1);
  const request = adapters.held[0]?.request;
  client.socket.destroy();
  await until(() => request?.signal.aborted === true);
  expect(request?.sendInformation(103, ['Link', '</a>'])).toBe(false);
});

test('fields above the limit are refused, also those that were not kept', async () => {
  const rejected: string[] = [];
  const observer: ExchangeObserver = { rejected: (_, { message }) => rejected.push(message) };
  const { client } = await open({ maxHeaderSize: 4096, maxFields: 20 }, [observer]);
  client.send(h2.get(1, '/anything', ['x-large', 'a'.repeat(9000)], ['authorization', 'secret']));
  await until(() => client.reset(1) !== undefined);
  const many = Array.from({ length: 50 }, (_, at): [string, string] => [`x-${at}`, '']);
  client.send(h2.get(3, '/anything', ...many));
  await until(() => client.reset(3) !== undefined);
  expect([client.reset(1), client.reset(3)]).toEqual([ENHANCE_YOUR_CALM, ENHANCE_YOUR_CALM]);
  expect(rejected).toEqual([
    expect.stringMatching(/^stream 1 .* bytes/),
    expect.stringMatching(/^stream 3 .* fields/),
  ]);
});

test('a drain does not raise the maximum number of requests', async () => {
  const { adapters, client } = await open({ maxRequests: 2 });
  adapters.drainState.isDraining = true;
  client.send(h2.get(1, '/healthz'), h2.get(3, '/healthz'), h2.get(5, '/healthz'));
  await until(() => client.ended);
  expect(adapters.outcomes).toEqual([200, 200]);
  const last = client.got(h2.GOAWAY).map(({ payload }) => payload.readUInt32BE());
  expect(last).toEqual([2 ** 31 - 1, 3]);
});

test('a malformed end after the response resets the stream', async () => {
  const { adapters, client } = await open();
  const ends = [
    h2.frame(h2.DATA, h2.END_STREAM, 1),
    h2.frame(h2.HEADERS, h2.END_HEADERS | h2.END_STREAM, 3, h2.fieldBlock([['X-A', 'b']])),
  ];
  client.send(h2.post(1, '/hold', ['content-length', '10']), h2.post(3, '/hold'));
  client.send(...[1, 3].map((id) => h2.frame(h2.DATA, 0, id, Buffer.from('abc'))));
  await until(() => adapters.held.length === 2);
  for (const held of adapters.held) held.respond();
  await until(() => client.isDone(1) && client.isDone(3));
  client.send(...ends);
  await until(() => client.reset(1) !== undefined && client.reset(3) !== undefined);
  expect([client.reset(1), client.reset(3)]).toEqual([PROTOCOL_ERROR, PROTOCOL_ERROR]);
  expect(client.goaway()).toBeUndefined();
});
