import { once } from 'node:events';
import { connect } from 'node:net';
import tls from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../_adapters.ts';
import * as h2 from '../_frames.ts';
import { GET, LAST } from '../_raw.ts';
import { startService, type Running } from '../_service.ts';
import { startRelay, type Relay } from '../proxies/_relay.ts';
import { readFrames } from './recorder/_http2-frames.ts';
import { decrypt, readRecords } from './recorder/_tls-records.ts';

// An inspected connection ends as Node ends it: with the same GOAWAY and close_notify.

type Client = (socket: tls.TLSSocket, running: Running) => void | Promise<void>;

/** Node 20 keeps some connections open that nghttp2 has given up, until they have been silent. */
const LIMITS = { maxRequests: 2, sweepInterval: 10, silence: 200 };

/** Both with the same settings, which no connection of these tests shares with another. */
const services: { running: Running; relay: Relay }[] = [];
beforeAll(async () => {
  for (const inspect of [[], ['--inspect']]) {
    const running = await startService(...inspect, LIMITS);
    services.push({ running, relay: await startRelay(running.port) });
  }
});
afterAll(() => {
  for (const { running, relay } of services) {
    void relay.close();
    running.service.close();
  }
});

const ignore = (): void => undefined;

/** What the server sends, and how it ends the connection. */
async function endOf({ running, relay }: (typeof services)[number], alpn: string, client: Client) {
  const clear = connect({ port: relay.port, host: '127.0.0.1', allowHalfOpen: true });
  const witness = relay.witnessed.length;
  const socket = tls.connect({ socket: clear, rejectUnauthorized: false, ALPNProtocols: [alpn] });
  const secrets: string[] = [];
  socket.on('keylog', (line: Buffer) => secrets.push(line.toString()));
  socket.on('error', ignore).resume();
  await once(socket, 'secureConnect');
  await client(socket, running);
  const { sent, answered, ended } = relay.witness(witness);
  await until(() => ended() !== undefined);
  socket.destroy();
  clear.destroy();
  const records = { client: readRecords(sent()), server: readRecords(answered()) };
  const [hello, selection] = [records.client[0], records.server[0]];
  if (!hello || !selection) throw new Error('there was no handshake');
  const { plaintext, alerts } = decrypt(
    'SERVER',
    records.server,
    hello.content,
    selection.content,
    secrets.join(''),
  );
  const frames = alpn === 'h2' ? readFrames(plaintext, 'server') : [];
  const shown = frames
    .map(({ view: { type, stream, flags, code } }) => ({ type, stream, flags, code }))
    // How many of a flood are acknowledged depends on the reads.
    .filter(({ type }) => type !== 'PING')
    // Responses on different streams may be sent in either order.
    .toSorted((one, other) => Number(one.stream) - Number(other.stream));
  return { frames: shown, alerts, ended: ended() };
}

/** A client of HTTP/2 that sends these frames when it has got a response, or close_notify without frames. */
const afterResponse =
  (...frames: Buffer[]): Client =>
  async (socket) => {
    const client = new h2.FrameClient(socket);
    client.send(h2.get(1, '/get'));
    await until(() => client.isDone(1));
    if (frames.length > 0) client.send(...frames);
    else socket.end();
  };

const dataOnConnection = h2.frame(h2.DATA, 0, 0, Buffer.from('x'));
const badBlock = Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);
const internalError = Buffer.from([0, 0, 0, 0, 0, 0, 0, 2]);
const flood = Array.from({ length: 5000 }, () => h2.frame(h2.PING, 0, 0, Buffer.alloc(8)));

const http2: readonly (readonly [string, Client])[] = [
  [
    'a frame that is an error of the connection',
    (socket) => void socket.write(Buffer.concat([h2.OPENING, dataOnConnection])),
  ],
  ['the same after a response', afterResponse(dataOnConnection)],
  ['a compression error', afterResponse(h2.frame(h2.HEADERS, 5, 3, badBlock))],
  ['GOAWAY of the client', afterResponse(h2.frame(h2.GOAWAY, 0, 0, Buffer.alloc(8)))],
  ['GOAWAY of the client with an error', afterResponse(h2.frame(h2.GOAWAY, 0, 0, internalError))],
  [
    'the last request',
    async (socket) => {
      const client = new h2.FrameClient(socket);
      client.send(h2.get(1, '/get'), h2.get(3, '/get'));
      await until(() => client.isDone(3));
    },
  ],
  ['a flood', (socket) => void socket.write(Buffer.concat([h2.OPENING, ...flood]))],
  ['close_notify of the client', afterResponse()],
  ['no preface', (socket) => void socket.write('GET / HTTP/1.1\r\n\r\n')],
];

const http1: readonly (readonly [string, Client])[] = [
  ['Connection: close', (socket) => void socket.write(GET('/get', LAST))],
  ['a malformed request', (socket) => void socket.write('x\r\n\r\n')],
  ['the last request', (socket) => void socket.write(GET('/get') + GET('/get'))],
  [
    'close_notify of the client',
    async (socket) => {
      socket.write(GET('/get'));
      await once(socket, 'data');
      socket.end();
    },
  ],
];

describe.each([
  ['h2', http2],
  ['http/1.1', http1],
] as const)('%s', (alpn, cases) => {
  test.each(cases)('%s', async (_, client) => {
    const [native, inspected] = await Promise.all(
      services.map((each) => endOf(each, alpn, client)),
    );
    expect(inspected).toEqual(native);
  });
});
