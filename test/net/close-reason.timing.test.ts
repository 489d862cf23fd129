import { setTimeout as pause } from 'node:timers/promises';
import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { terminationReason, causeFromError, type CloseCause } from '../../src/net/close-reason.ts';
import { sharedAdapters, startAdapters, until } from '../_adapters.ts';
import * as h2 from '../_frames.ts';
import { converse, GET, LAST, openSocket } from '../_raw.ts';
import { connectionOf, HTTP1, HTTP2 } from '../_shared.ts';

const byClient: CloseCause = { by: 'client', reason: 'closed' };
const reset: CloseCause = { by: 'client', reason: 'reset' };
const closedFor = (reason: string): object => ({ by: 'wirebin', reason });

const adapters = sharedAdapters({
  headerTimeout: 200,
  idleTimeout: 200,
  stallTimeout: 400,
  lingerTime: 200,
  silence: 60_000,
});

type Act = (socket: Socket) => unknown;

/** The close cause of a connection, after `act` was called with the client socket. */
async function closeCauseAfter(
  alpn: string[] | undefined,
  act: Act,
  of = adapters(),
): Promise<CloseCause> {
  const socket = await openSocket(of.port, alpn);
  socket.on('end', () => socket.end());
  const connection = await connectionOf(of, socket);
  await act(socket);
  await until(() => !of.listener.connections.has(connection), 'its end');
  socket.destroy();
  return connection.closeCause;
}

const ask = (socket: Socket, bytes: string): Promise<string> =>
  converse(socket, bytes, (received) => received.includes('\r\n\r\nOK'));

/** A client that has received its first response. */
async function afterFirstResponse(socket: Socket): Promise<h2.FrameClient> {
  const client = new h2.FrameClient(socket);
  client.send(h2.get(1, '/healthz'));
  await until(() => client.isDone(1));
  return client;
}

/** Sends frames after the first response. */
const afterwards =
  (...frames: Buffer[]): Act =>
  async (socket) =>
    (await afterFirstResponse(socket)).send(...frames);

const HALF = 'GET / HTTP/1.1\r\n';
const GOAWAY = h2.frame(h2.GOAWAY, 0, 0, Buffer.alloc(8));
const GOAWAY_WITH_ERROR = h2.frame(h2.GOAWAY, 0, 0, Buffer.from([0, 0, 0, 0, 0, 0, 0, 2]));
/** Of a size that no SETTINGS have: a connection error (RFC 9113 6.5). */
const BROKEN_SETTINGS = h2.frame(h2.SETTINGS, 0, 0, Buffer.alloc(5));
const badHello = Buffer.from('16030100050100000100', 'hex');

test.each<[when: string, act: Act, cause: object]>([
  ['the client closes, such as a health check', (socket) => socket.end(), byClient],
  ['the client resets, such as a health check', (socket) => socket.resetAndDestroy(), reset],
  ['no bytes', () => undefined, closedFor('header-timeout')],
  ['too few bytes', (socket) => socket.write('PRI * HTTP/2.0\r\n'), closedFor('header-timeout')],
  [
    'a drain of the service',
    async () => {
      await pause(20);
      adapters().listener.abortUndetected(performance.now());
    },
    closedFor('draining'),
  ],
  ['a malformed handshake', (socket) => socket.write(badHello), closedFor('handshake-failed')],
  [
    'a ClientHello above the limit',
    (socket) => {
      socket.write(Buffer.from('1603014000010fffff', 'hex'));
      socket.write(Buffer.alloc(0x4000 - 4));
      for (let record = 0; record < 4; record++) {
        socket.write(Buffer.concat([Buffer.from('1603014000', 'hex'), Buffer.alloc(0x4000)]));
      }
    },
    closedFor('handshake-failed'),
  ],
  [
    'the client aborts a handshake',
    async (socket) => {
      socket.write(badHello.subarray(0, 7));
      await pause(20);
      socket.end();
    },
    byClient,
  ],
])('before a protocol is spoken: %s', async (_, act, cause) => {
  expect(await closeCauseAfter(undefined, act)).toEqual(cause);
});

describe.concurrent.each(HTTP1)('HTTP/1.1 %s', (_, alpn) => {
  test.each<[when: string, act: Act, cause: object]>([
    ['the client closes before a response', (socket) => socket.end(GET('/healthz')), byClient],
    [
      'the client closes after a response',
      async (socket) => {
        await ask(socket, GET('/healthz'));
        socket.end();
      },
      byClient,
    ],
    [
      'the client sends Connection: close',
      (socket) => ask(socket, GET('/healthz', LAST)),
      closedFor('connection-close'),
    ],
    ['no further request', (socket) => ask(socket, GET('/healthz')), closedFor('idle-timeout')],
    ['an invalid message', (socket) => socket.write('no message\r\n\r\n'), closedFor('refused')],
    ['half a message', (socket) => socket.write(HALF), closedFor('header-timeout')],
    [
      'the client does not read',
      (socket) => socket.pause().write(GET('/zeros/100000000')),
      closedFor('stalled'),
    ],
  ])('%s', async (_when, act, cause) => {
    expect(await closeCauseAfter(alpn, act)).toEqual(cause);
  });
});

describe.concurrent.each(HTTP2)('HTTP/2 %s', (_, alpn) => {
  test.each<[when: string, act: Act, cause: object]>([
    [
      'the client closes',
      async (socket) => {
        await afterFirstResponse(socket);
        socket.end();
      },
      byClient,
    ],
    ['the client sends GOAWAY', afterwards(GOAWAY), byClient],
    ['the client sends GOAWAY with an error', afterwards(GOAWAY_WITH_ERROR), byClient],
    ['no request', (socket) => new h2.FrameClient(socket), closedFor('header-timeout')],
    ['no further request', afterFirstResponse, closedFor('idle-timeout')],
  ])('%s', async (_when, act, cause) => {
    expect(await closeCauseAfter(alpn, act)).toEqual(cause);
  });

  test.each<[when: string, act: Act]>([
    ['that Node 20 does not report', afterwards(BROKEN_SETTINGS)],
    [
      'after GOAWAY of the client, with a response that is still to come',
      (socket) => {
        const client = new h2.FrameClient(socket);
        client.send(h2.get(1, '/hold'), GOAWAY);
        client.send(BROKEN_SETTINGS);
      },
    ],
  ])('a connection error %s', async (_when, act) => {
    const patient = await startAdapters({ silence: 100 });
    expect(await closeCauseAfter(alpn, act, patient)).toEqual(closedFor('protocol-error'));
  });

  test('a drain after GOAWAY of the client is not the reason', async () => {
    const draining = await startAdapters();
    const act = async (socket: Socket): Promise<void> => {
      const client = new h2.FrameClient(socket);
      client.send(h2.get(1, '/hold'), GOAWAY);
      await until(() => draining.held.length > 0);
      await pause(20);
      draining.http2.drain();
      draining.held[0]?.respond();
    };
    expect(await closeCauseAfter(alpn, act, draining)).toEqual(byClient);
  });

  test('a closing connection that is quiet waits for its response, if the client acknowledges PING', async () => {
    const patient = await startAdapters({ silence: 100 });
    const socket = await openSocket(patient.port, alpn);
    const client = new h2.FrameClient(socket);
    h2.acknowledgePings(client);
    client.send(h2.get(1, '/hold'), GOAWAY);
    await pause(1000);
    patient.held[0]?.respond();
    await until(() => client.isDone(1) || socket.destroyed);
    expect(client.isDone(1)).toBe(true);
    expect(client.got(h2.PING).length).toBeGreaterThan(2);
  });
});

test.each<[error: object, ending: object]>([
  [
    { code: 'ETIMEDOUT', syscall: 'read' },
    { by: 'error', reason: 'ETIMEDOUT' },
  ],
  [{ code: 'ECONNRESET', syscall: 'read' }, reset],
  [{ code: 'EPIPE', syscall: 'write' }, reset],
  [{ code: 'ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR' }, byClient],
  [{ code: 'ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC' }, closedFor('protocol-error')],
  [{}, closedFor('protocol-error')],
])('%j', (facts, expected) => {
  expect(causeFromError(Object.assign(new Error('it ends'), facts))).toEqual(expected);
});

test.each<[ending: CloseCause, cut: string | undefined]>([
  [byClient, undefined],
  [reset, undefined],
  [{ by: 'error', reason: 'ETIMEDOUT' }, undefined],
  [{ by: 'wirebin', reason: 'connection-close' }, undefined],
  [{ by: 'wirebin', reason: 'draining' }, undefined],
  [{ by: 'wirebin', reason: 'stopped' }, undefined],
  [{ by: 'wirebin', reason: 'silent' }, 'silent'],
])('the termination reason of %j is %s', (end, cut) => {
  expect(terminationReason(end)).toBe(cut);
});

test('stopping the service closes open connections', async () => {
  const stopping = await startAdapters();
  const sockets = await Promise.all(
    [undefined, ['http/1.1'], ['h2']].map(async (alpn) => openSocket(stopping.port, alpn)),
  );
  await until(() => stopping.listener.connections.size === 3);
  const all = [...stopping.listener.connections];
  stopping.close();
  await until(() => stopping.listener.connections.size === 0);
  expect(all.map(({ closeCause: { reason } }) => reason)).toEqual([
    'stopped',
    'stopped',
    'stopped',
  ]);
  for (const socket of sockets) socket.destroy();
});
