import { once } from 'node:events';
import type { ServerHttp2Stream } from 'node:http2';
import { Duplex } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { connectHttp2, createHttp2Server } from '../../src/net/http2-sessions.ts';
import {
  acceptSession,
  deferDestroy,
  keepRefusedStreams,
} from '../../src/net/node-internals-http2.ts';
import * as h2 from '../_frames.ts';
import { until } from '../_adapters.ts';
import { socketPair } from './_sockets.ts';

test('connectHttp2: a session is destroyed in a later turn', async () => {
  const [socket, peer] = await socketPair();
  onTestFinished(() => void peer.destroy());
  const session = connectHttp2('http://localhost', { createConnection: () => socket });
  session.destroy();
  expect(session.destroyed).toBe(false);
  await once(session, 'close');
  expect(session.destroyed).toBe(true);
});

test('connectHttp2: a socket that never finishes a write is closed all the same', async () => {
  const socket = new Duplex({ read: () => undefined, write: () => undefined });
  const session = connectHttp2('http://localhost', { createConnection: () => socket });
  session.on('error', () => undefined);
  await once(session, 'connect');
  // Repeated calls wait once: an eleventh listener would be a warning, which fails the run.
  for (let count = 0; count < 11; count++) session.destroy();
  await once(socket, 'close');
  expect(session.destroyed).toBe(true);
});

// On all versions of Node, as what it relies on may change.
test('keepRefusedStreams: a stream of a closed session gets no RST_STREAM, others do', async () => {
  const server = createHttp2Server();
  const [socket, tcp] = await socketPair();
  const session = acceptSession(server, tcp);
  if (!session) throw new Error('there is no session');
  onTestFinished(() => {
    socket.destroy();
    tcp.destroy();
  });
  deferDestroy(session);
  const streams: ServerHttp2Stream[] = [];
  session.on('stream', (stream) => {
    streams.push(stream.on('error', () => undefined));
    if (streams.length === 1) keepRefusedStreams(stream);
    else session.close();
  });
  const client = new h2.FrameClient(socket);
  client.send(h2.get(1, '/'), h2.get(3, '/'), h2.get(5, '/'));
  await until(() => client.goaway() === 0);
  streams[1]?.close(7);
  await until(() => client.reset(3) === 7);
  expect(streams).toHaveLength(2);
  expect(client.got(h2.RST_STREAM, 5)).toEqual([]);
  expect(client.got(h2.GOAWAY).map(({ payload }) => payload.readUInt32BE())).toEqual([3]);
});
