import { setTimeout as pause } from 'node:timers/promises';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Connection } from '../../src/net/connection.ts';
import { terminationReason, causeFromError, type CloseCause } from '../../src/net/close-reason.ts';
import { startAdapters, until, type Adapters } from '../_adapters.ts';
import * as h2 from '../_frames.ts';
import { converse, GET, LAST, openSocket } from '../_raw.ts';

const byClient: CloseCause = { by: 'client', reason: 'closed' };
const reset: CloseCause = { by: 'client', reason: 'reset' };
const closedFor = (reason: string): object => ({ by: 'wirebin', reason });

let adapters: Adapters;
beforeAll(async () => {
  adapters = await startAdapters({
    headerTimeout: 200,
    idleTimeout: 200,
    stallTimeout: 400,
    lingerTime: 200,
    silence: 60_000,
  });
});
afterAll(() => adapters.close());

/** The close cause of a connection, after `act` was called with the client socket. */
async function closeCauseAfter(
  alpn: string[] | undefined,
  act: (socket: Socket) => Promise<unknown> | void,
  { port, listener: { connections } } = adapters,
): Promise<CloseCause> {
  const socket = await openSocket(port, alpn);
  socket.on('end', () => socket.end());
  let connection: Connection | undefined;
  await until(() => {
    connection = [...connections].find(({ remotePort }) => remotePort === socket.localPort);
    return connection !== undefined;
  });
  await act(socket);
  await until(() => connection !== undefined && !connections.has(connection), 'its end');
  socket.destroy();
  if (!connection) throw new Error('there was no connection');
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

/** SETTINGS with an invalid length (RFC 9113 6.5). */
async function sendInvalidSettings(socket: Socket): Promise<void> {
  const client = await afterFirstResponse(socket);
  client.send(h2.frame(h2.SETTINGS, 0, 0, Buffer.alloc(5)));
}

describe('a connection whose protocol is not detected', () => {
  test('is closed by the client, such as a health check', async () => {
    expect(await closeCauseAfter(undefined, (socket) => void socket.end())).toEqual(byClient);
  });

  test('is reset by the client, such as a health check', async () => {
    expect(await closeCauseAfter(undefined, (socket) => void socket.resetAndDestroy())).toEqual(
      reset,
    );
  });

  test('reaches the header timeout with no or too few bytes', async () => {
    const silent = closeCauseAfter(undefined, () => undefined);
    expect(await silent).toEqual(closedFor('header-timeout'));
    const half = closeCauseAfter(undefined, (socket) => void socket.write('PRI * HTTP/2.0\r\n'));
    expect(await half).toEqual(closedFor('header-timeout'));
  });

  test('is closed on drain', async () => {
    const drained = closeCauseAfter(undefined, async () => {
      await pause(20);
      adapters.listener.abortUndetected(performance.now());
    });
    expect(await drained).toEqual(closedFor('draining'));
  });
});

describe('a handshake', () => {
  test('with malformed bytes', async () => {
    const garbage = closeCauseAfter(undefined, (socket) => {
      socket.write(Buffer.from('16030100050100000100', 'hex'));
    });
    expect(await garbage).toEqual(closedFor('handshake-failed'));
  });

  test('with a ClientHello above the limit', async () => {
    const long = closeCauseAfter(undefined, (socket) => {
      socket.write(Buffer.from('1603014000010fffff', 'hex'));
      socket.write(Buffer.alloc(0x4000 - 4));
      for (let record = 0; record < 4; record++) {
        socket.write(Buffer.concat([Buffer.from('1603014000', 'hex'), Buffer.alloc(0x4000)]));
      }
    });
    expect(await long).toEqual(closedFor('handshake-failed'));
  });

  test('that the client aborts', async () => {
    const left = closeCauseAfter(undefined, async (socket) => {
      const hello = Buffer.from('16030100050100000100', 'hex');
      socket.write(hello.subarray(0, 7));
      await pause(20);
      socket.end();
    });
    expect(await left).toEqual(byClient);
  });
});

describe.concurrent.each([
  ['in cleartext', undefined],
  ['over TLS', ['http/1.1']],
])('HTTP/1.1 %s', (_, alpn) => {
  test('the client closes, before and after a response', async () => {
    expect(await closeCauseAfter(alpn, (socket) => void socket.end(GET('/healthz')))).toEqual(
      byClient,
    );
    const behind = closeCauseAfter(alpn, async (socket) => {
      await ask(socket, GET('/healthz'));
      socket.end();
    });
    expect(await behind).toEqual(byClient);
  });

  test('the client sends Connection: close', async () => {
    const last = closeCauseAfter(alpn, (socket) => ask(socket, GET('/healthz', LAST)));
    expect(await last).toEqual(closedFor('connection-close'));
  });

  test('no further request arrives', async () => {
    const idle = closeCauseAfter(alpn, (socket) => ask(socket, GET('/healthz')));
    expect(await idle).toEqual(closedFor('idle-timeout'));
  });

  test('no valid message arrives', async () => {
    const garbage = closeCauseAfter(alpn, (socket) => void socket.write('no message\r\n\r\n'));
    expect(await garbage).toEqual(closedFor('refused'));
    const half = closeCauseAfter(alpn, (socket) => void socket.write('GET / HTTP/1.1\r\n'));
    expect(await half).toEqual(closedFor('header-timeout'));
  });

  test('the client does not read', async () => {
    const stalled = closeCauseAfter(alpn, (socket) => {
      socket.pause();
      socket.write(GET('/zeros/100000000'));
    });
    expect(await stalled).toEqual(closedFor('stalled'));
  });
});

describe.concurrent.each([
  ['in cleartext', undefined],
  ['over TLS', ['h2']],
])('HTTP/2 %s', (_, alpn) => {
  test('the client closes', async () => {
    const closed = closeCauseAfter(alpn, async (socket) => {
      await afterFirstResponse(socket);
      socket.end();
    });
    expect(await closed).toEqual(byClient);
    const goaway = closeCauseAfter(alpn, async (socket) => {
      const client = await afterFirstResponse(socket);
      client.send(h2.frame(h2.GOAWAY, 0, 0, Buffer.alloc(8)));
    });
    expect(await goaway).toEqual(byClient);
    const error = closeCauseAfter(alpn, async (socket) => {
      const client = await afterFirstResponse(socket);
      client.send(h2.frame(h2.GOAWAY, 0, 0, Buffer.from([0, 0, 0, 0, 0, 0, 0, 2])));
    });
    expect(await error).toEqual(byClient);
  });

  test('no first request, and no further request', async () => {
    const none = closeCauseAfter(alpn, (socket) => void new h2.FrameClient(socket));
    expect(await none).toEqual(closedFor('header-timeout'));
    expect(await closeCauseAfter(alpn, afterFirstResponse)).toEqual(closedFor('idle-timeout'));
  });

  test('a connection error that Node 20 does not report', async () => {
    const patient = await startAdapters({ silence: 100 });
    expect(await closeCauseAfter(alpn, sendInvalidSettings, patient)).toEqual(
      closedFor('protocol-error'),
    );
    patient.close();
  });

  test('a connection error after GOAWAY of the client, with a response that is still to come', async () => {
    const patient = await startAdapters({ silence: 100 });
    const closed = closeCauseAfter(
      alpn,
      (socket) => {
        const client = new h2.FrameClient(socket);
        client.send(h2.get(1, '/hold'), h2.frame(h2.GOAWAY, 0, 0, Buffer.alloc(8)));
        client.send(h2.frame(h2.PRIORITY, 0, 1, Buffer.alloc(4)));
      },
      patient,
    );
    expect(await closed).toEqual(closedFor('protocol-error'));
    patient.close();
  });

  test('a closing connection that is quiet waits for its response, if the client acknowledges PING', async () => {
    const patient = await startAdapters({ silence: 100 });
    const socket = await openSocket(patient.port, alpn);
    const client = new h2.FrameClient(socket);
    h2.acknowledgePings(client);
    client.send(h2.get(1, '/hold'), h2.frame(h2.GOAWAY, 0, 0, Buffer.alloc(8)));
    await pause(1000);
    patient.held[0]?.respond();
    await until(() => client.isDone(1) || socket.destroyed);
    expect(client.isDone(1)).toBe(true);
    expect(client.got(h2.PING).length).toBeGreaterThan(2);
    socket.destroy();
    patient.close();
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
