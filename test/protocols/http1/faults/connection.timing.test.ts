import { on, once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { asterisks } from '../../../../src/endpoints/drip.ts';
import { faults } from '../../../../src/endpoints/fault.ts';
import type { TcpConnection } from '../../../../src/net/tcp-connection.ts';
import { endpoint } from '../../../../src/server/endpoint.ts';
import { reply } from '../../../../src/server/reply.ts';
import { sharedAdapters, startAdapters, until } from '../../../_adapters.ts';
import { outcomeOf } from '../../../_ending.ts';
import { converse, GET, LAST, openPair, openSocket, POST } from '../../../_raw.ts';
import { connectionOf, HTTP1 } from '../../../_shared.ts';

const limits = { answerTimeout: 3000, stallTimeout: 400, lingerTime: 200, requestTimeout: 500 };
const adapters = sharedAdapters(limits, faults(60));

const isOpen = (connection: TcpConnection): boolean =>
  adapters().listener.connections.has(connection);

describe.concurrent.each(HTTP1)('%s', (_, alpn) => {
  /** Sends a request, does `act` with the connection, and waits until it is closed. */
  async function causeAfter(
    request: string,
    act: (socket: Socket, connection: TcpConnection, clear: Socket) => unknown = () => undefined,
  ) {
    const { clear, socket } = await openPair(adapters().port, alpn);
    const connection = await connectionOf(adapters(), clear);
    socket.on('end', () => socket.end());
    socket.write(request);
    await act(socket, connection, clear);
    if (!socket.destroyed) socket.resume();
    await until(() => !isOpen(connection));
    socket.destroy();
    return connection.closeCause;
  }
  const byFault = { by: 'wirebin', reason: 'fault' };

  test.each(['close', 'reset', 'stall?for=0.05', 'chunk', 'garbage', 'content-length'])(
    'the reason of %s',
    async (path) => {
      expect(await causeAfter(GET(`/fault/${path}`))).toEqual(byFault);
    },
  );

  test('a stall is limited by the answer timeout', async () => {
    const cause = await causeAfter(GET('/fault/stall?for=60'));
    expect(cause).toEqual({ by: 'wirebin', reason: 'answer-timeout' });
  });

  test('a fault that is not read is limited by the stall timeout', async () => {
    const cause = await causeAfter(
      GET('/fault/close?length=10485760&at=end'),
      (socket, connection) => {
        socket.pause();
        return until(() => !isOpen(connection));
      },
    );
    expect(cause).toEqual({ by: 'wirebin', reason: 'stalled' });
  });

  // After a FIN alone the client may still read: what ends the response is the limit. All that is sent is read
  // before, for a socket that is closed with unread bytes sends RST.
  test.each([
    ['RST', { by: 'client', reason: 'reset' }],
    ['FIN', { by: 'wirebin', reason: 'answer-timeout' }],
  ])('a client that leaves a stall by %s', async (how, expected) => {
    let open = 0;
    const cause = await causeAfter(
      GET('/fault/stall?for=60&length=26&after=13'),
      async (socket, connection, clear) => {
        let received = '';
        for await (const [piece] of on(socket, 'data')) {
          received += String(piece);
          if (received.endsWith('\r\n\r\nabcdefghijklm')) break;
        }
        open = connection.requests.open;
        if (how === 'RST') clear.resetAndDestroy();
        else socket.destroy();
      },
    );
    expect(open).toBe(1);
    expect(cause).toEqual(expected);
  });

  test('a client that has half-closed gets the fault', async () => {
    const socket = await openSocket(adapters().port, alpn);
    const received = converse(socket, GET('/fault/close?length=26&after=13'));
    socket.end();
    expect(await received).toMatch(/\r\n\r\nabcdefghijklm$/);
  });

  test('FIN, not RST, though the content of the request is not read', async () => {
    const content = 'x'.repeat(1_000_000);
    const request = POST('/fault/close', `Content-Length: ${content.length}\r\n`, content);
    const outcome = await outcomeOf(adapters().port, request, alpn !== undefined);
    expect(outcome.ending).toBe('FIN');
    expect(outcome.received).toMatch(/^HTTP\/1\.1 200 OK/);
  });

  test('a request after a fault that closes is not served', async () => {
    const request = GET('/fault/close?at=end') + GET('/healthz');
    const { received } = await outcomeOf(adapters().port, request, alpn !== undefined);
    expect(received.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  });

  test('Expect: 100-continue is answered by the fault', async () => {
    const request = POST('/fault/close?after=0', 'Content-Length: 5\r\nExpect: 100-continue\r\n');
    const { received } = await outcomeOf(adapters().port, request, alpn !== undefined);
    expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n.*Connection: close\r\n.*\r\n\r\n$/s);
  });

  describe('no-read', () => {
    const LENGTH = 64 * 1024 * 1024;

    test('stops reading, so that TCP stops the client, then reads and responds', async () => {
      const { clear, socket } = await openPair(adapters().port, alpn);
      const connection = await connectionOf(adapters(), clear);
      const fields = `Content-Length: ${LENGTH}\r\n`;
      socket.write(POST('/fault/no-read?for=1.5&after=100000&length=26', fields));
      const response = converse(socket, '', (received) => received.endsWith('xyz'));
      const started = performance.now();
      let sent = 0;
      let blocked = 0;
      const piece = Buffer.alloc(64 * 1024);
      while (sent < LENGTH) {
        sent += piece.length;
        if (socket.write(piece)) continue;
        const before = performance.now();
        await once(socket, 'drain');
        blocked = Math.max(blocked, performance.now() - before);
        if (blocked > 500) break;
      }
      // It had begun to read, and the buffers of the systems took some more.
      const { bytesRead } = connection.socket;
      expect(bytesRead).toBeGreaterThanOrEqual(100_000);
      expect(blocked).toBeGreaterThan(500);
      expect(performance.now() - started).toBeGreaterThan(1400);
      expect(performance.now() - started).toBeLessThan(2500);
      for (; sent < LENGTH; sent += piece.length) {
        if (!socket.write(piece)) await once(socket, 'drain');
      }
      expect(await response).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
      expect(isOpen(connection)).toBe(true);
      expect(await converse(socket, GET('/healthz', LAST), (text) => text.endsWith('OK'))).toMatch(
        /\r\n\r\nOK$/,
      );
    });

    test.each([
      ['', ''],
      [', with fields that take time', 'Want-Content-Digest: sha-256=1\r\n'],
    ])('no byte is read while it lasts, longer than the request timeout%s', async (__, field) => {
      const { clear, socket } = await openPair(adapters().port, alpn);
      const connection = await connectionOf(adapters(), clear);
      const fields = `Content-Length: 200000\r\n${field}`;
      socket.write(POST('/fault/no-read?for=0.8', fields, 'x'.repeat(100)));
      await until(() => connection.requests.open === 1);
      await pause(50);
      const { bytesRead } = connection.socket;
      const response = converse(socket, Buffer.alloc(199_900), (text) => text.endsWith('p'));
      await pause(600);
      expect(connection.socket.bytesRead).toBe(bytesRead);
      expect(await response).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    });

    test.each([
      ['', ''],
      [', with fields that take time', 'Want-Content-Digest: sha-256=1\r\n'],
    ])('content that has arrived already is responded to after the time%s', async (__, field) => {
      const started = performance.now();
      const path = '/fault/no-read?for=0.3&length=1&after=3';
      const request = POST(path, `Content-Length: 3\r\n${field}${LAST}`, 'abc');
      const { received } = await outcomeOf(adapters().port, request, alpn !== undefined);
      expect(received).toMatch(/\r\n\r\na$/);
      expect(performance.now() - started).toBeGreaterThan(290);
    });

    test('100 (Continue) is sent, since the client would not send content otherwise', async () => {
      const fields = 'Content-Length: 3\r\nExpect: 100-continue\r\n';
      const socket = await openSocket(adapters().port, alpn);
      const request = POST('/fault/no-read?for=0.05', fields);
      const first = await converse(socket, request, (text) => text.endsWith('\r\n\r\n'));
      expect(first).toBe('HTTP/1.1 100 Continue\r\n\r\n');
      expect(await converse(socket, 'abc', (text) => text.includes('200 OK'))).toMatch(/^HTTP/);
    });

    test('content that ends early, or comes too slowly, is an error as without a fault', async () => {
      const socket = await openSocket(adapters().port, alpn);
      const early = converse(
        socket,
        POST('/fault/no-read?for=0.05', 'Content-Length: 9\r\n', 'abc'),
      );
      socket.end();
      expect(await early).toMatch(/^HTTP\/1\.1 400 .*\/problems\/invalid-message/s);
      const request = POST('/fault/no-read?for=0.05', 'Content-Length: 9\r\n', 'abc');
      const { received } = await outcomeOf(adapters().port, request, alpn !== undefined);
      expect(received).toMatch(/^HTTP\/1\.1 408 .*\/problems\/request-timeout/s);
    });

    test('a client that leaves is noticed at the end of the time', async () => {
      const { clear, socket } = await openPair(adapters().port, alpn);
      const connection = await connectionOf(adapters(), clear);
      socket.write(POST('/fault/no-read?for=0.3', 'Content-Length: 9\r\n'));
      await until(() => connection.requests.open === 1);
      clear.resetAndDestroy();
      await until(() => !isOpen(connection));
    });
  });
});

test.each([
  ['of known length', 10],
  ['in chunks', undefined],
])('a timed response %s can fail, too', async (_, length) => {
  const timed = endpoint({
    path: '/timed',
    group: 'faults',
    summary: 'Fails after two of ten bytes.',
    responses: {},
    handle: () => ({
      ...reply('text/plain', asterisks(10, 0.2, length)),
      fault: { kind: 'close', at: 'body', after: 2 },
    }),
  });
  const others = await startAdapters({}, [timed]);
  const { received, ending } = await outcomeOf(others.port, GET('/timed'), false);
  expect(received.split('\r\n\r\n')[1]?.replace(/[\da-f]+\r\n|\r\n/g, '')).toBe('**');
  expect(ending).toBe('FIN');
});

test('faults end with the service', async () => {
  const others = await startAdapters({}, faults(60));
  const sockets = await Promise.all(
    ['stall?for=60', 'no-read?for=60', 'close'].map(async (path) => {
      const socket = await openSocket(others.port);
      socket.write(POST(`/fault/${path}`, 'Content-Length: 9\r\n'));
      return socket.resume();
    }),
  );
  await until(() => others.outcomes.length === 3);
  others.close();
  for (const socket of sockets) socket.end();
  await until(() => others.listener.connections.size === 0);
});
