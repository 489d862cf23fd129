import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { connect as connectTls, createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { expect, test } from 'vitest';
import { makeCredentials } from '../../src/net/certificates.ts';
import { TcpConnection } from '../../src/net/tcp-connection.ts';
import type { HoldReason } from '../../src/net/read-gate.ts';
import { until } from '../_adapters.ts';
import { socketPair } from './_sockets.ts';

test('no field of a connection is written from outside', async () => {
  const source = await readFile('src/net/connection.ts', 'utf8');
  const fields = [...source.matchAll(/^ {2}(readonly )?(#?\w+)(?:: [^\n()]+| = .*);$/gm)];
  const own = fields.filter(([, , name = '']) => name.startsWith('#'));
  const open = fields.filter(([, readonly, name = '']) => !readonly && !name.startsWith('#'));
  expect([fields.length > 15, own.length > 5, open.map(([line]) => line)]).toEqual([
    true,
    true,
    [],
  ]);
});

test('a connection that waits for its turn to be read is not idle', () => {
  const connection = new TcpConnection(new Socket());
  const now = performance.now();
  connection.holdReading('turn');
  expect(connection.idleFor(now + 1000)).toBe(0);
  connection.releaseReading('turn');
  expect(connection.idleFor(now + 1500)).toBeCloseTo(500);
});

test.each<HoldReason[][]>([
  [['turn', 'closing']],
  [['closing', 'turn']],
  [['turn', 'fault', 'content', 'pipeline']],
  [['turn', 'turn']],
])('a connection that is held for %j is read once nothing holds it', async (reasons) => {
  const [client, socket] = await socketPair();
  const connection = new TcpConnection(socket);
  socket.resume();
  for (const reason of reasons) connection.holdReading(reason);
  client.write(Buffer.alloc(1000));
  for (const reason of new Set(reasons)) {
    for (let at = 0; at < 20; at++) await turn();
    expect(socket.bytesRead).toBe(0);
    connection.releaseReading(reason);
  }
  await until(() => socket.bytesRead === 1000);
});

test('a write that was given up when the socket closed is not why it closed', () => {
  const connection = new TcpConnection(new Socket());
  const givenUp = Object.assign(new Error('write ECANCELED'), {
    code: 'ECANCELED',
    syscall: 'write',
  });
  connection.setError(givenUp);
  expect(connection.closeCause).toEqual({ by: 'client', reason: 'closed' });
  connection.setError(Object.assign(new Error('of nghttp2'), { code: 'ERR_HTTP2_ERROR' }));
  expect(connection.closeCause).toEqual({ by: 'wirebin', reason: 'protocol-error' });
});

test('the detection of a reset changes nothing of what TLS is sending', async () => {
  const [client, tcp] = await socketPair();
  const server = createTlsServer(await makeCredentials(Date.now()));
  const accepted = once(server, 'secureConnection');
  server.emit('connection', tcp);
  const receiver = connectTls({ socket: client, rejectUnauthorized: false });
  const [secure] = (await accepted) as [TLSSocket];
  const connection = new TcpConnection(tcp);
  const piece = Buffer.alloc(128 * 1024);
  let received = 0;
  receiver.on('data', ({ length }: Buffer) => (received += length));
  // A changed byte makes the receiver fail: bad_record_mac (RFC 9846 6.2).
  const errors: Error[] = [];
  for (const socket of [receiver, secure]) socket.on('error', (error) => errors.push(error));
  const total = 256 * piece.length;
  let left = total;
  const sendNext = (): void => {
    left -= piece.length;
    if (left >= 0) secure.write(piece, sendNext);
  };
  sendNext();
  const isDone = (): boolean => received === total || errors.length > 0;
  while (!isDone()) {
    connection.detectReset();
    await turn();
  }
  expect(errors).toEqual([]);
});
