import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import tls from 'node:tls';
import type { ClientHttp2Session } from 'node:http2';
import { describe, expect, test } from 'vitest';
import { connectHttp2 } from '../../src/net/http2-sessions.ts';
import type { Connection } from '../../src/net/connection.ts';
import type { TcpConnection } from '../../src/net/tcp-connection.ts';
import { Listener } from '../../src/net/listener.ts';
import { sharedAdapters, startAdapters, until } from '../_adapters.ts';
import { byteByByte, converse, exchange, GET, LAST, openSocket, statusesOf } from '../_raw.ts';
import { rounds } from '../_whole.ts';

const ignoring = { accept: (): void => undefined };

function healthOver(session: ClientHttp2Session): Promise<string> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ':path': '/healthz' });
    let received = '';
    stream.setEncoding('latin1');
    stream.on('data', (chunk: string) => {
      received += chunk;
    });
    stream.on('end', () => resolve(received)).on('error', reject);
    session.on('error', reject);
  });
}

describe('first bytes one at a time', () => {
  const adapters = sharedAdapters();
  const trickle = (): Duplex => byteByByte(connect(adapters().port, '127.0.0.1'));
  const trickleTls = (protocol: string): Promise<tls.TLSSocket> =>
    new Promise((resolve, reject) => {
      const socket = tls.connect(
        { socket: trickle(), ALPNProtocols: [protocol], rejectUnauthorized: false },
        () => resolve(socket),
      );
      socket.on('error', reject);
    });

  test('cleartext HTTP/1.1', async () => {
    const stream = trickle();
    stream.end(GET('/healthz', LAST));
    let received = '';
    for await (const chunk of stream) received += String(chunk);
    expect(received).toMatch(/^HTTP\/1\.1 200 [\s\S]*OK$/);
  });

  test('cleartext HTTP/2', async () => {
    const session = connectHttp2('http://x', { createConnection: trickle });
    expect(await healthOver(session)).toBe('OK');
    session.destroy();
  });

  test('HTTP/1.1 over TLS, with the complete ClientHello', async () => {
    const socket = await trickleTls('http/1.1');
    const [connection] = [...adapters().listener.connections].slice(-1);
    const hello = connection?.clientHello;
    if (!Buffer.isBuffer(hello)) throw new Error('no ClientHello is kept');
    expect(hello[0]).toBe(0x16);
    expect(hello.readUInt16BE(3) + 5).toBe(hello.length);
    expect(statusesOf(await converse(socket, GET('/healthz', LAST)))).toEqual([200]);
  });

  test('HTTP/2 over TLS', async () => {
    const socket = await trickleTls('h2');
    const session = connectHttp2('https://x', { createConnection: () => socket });
    expect(await healthOver(session)).toBe('OK');
    session.destroy();
  });
});

describe('before the protocol is detected', () => {
  const adapters = sharedAdapters({ headerTimeout: 300 });

  test.each([
    ['nothing', ''],
    ['half a preface', 'PRI * HTTP/2.0\r\n'],
    ['half a ClientHello', '\x16\x03\x01\x02\x00\x01\x00'],
    ['a handshake record header', '\x16\x03\x01'],
  ])('%s, then silence: closed by the header timeout', async (_name, bytes) => {
    const start = performance.now();
    expect(await exchange(adapters().port, bytes)).toBe('');
    expect(performance.now() - start).toBeGreaterThan(290);
    await until(() => adapters().listener.connections.size === 0);
  });

  test.each([
    ['nothing', ''],
    ['half a preface', 'PRI * HT'],
    ['half a ClientHello', '\x16\x03\x01\x02\x00\x01\x00'],
  ])('%s, then FIN: closed at once', async (_name, bytes) => {
    const socket = await openSocket(adapters().port);
    await until(() => adapters().listener.connections.size === 1);
    const [connection] = adapters().listener.connections;
    const closed = converse(socket, bytes);
    socket.end();
    await closed;
    await until(() => adapters().listener.connections.size === 0);
    expect(connection?.closeCause.by).toBe('client');
  });

  test('a ClientHello above 64 KiB gets decode_error, even before it is complete', async () => {
    const socket = await openSocket(adapters().port);
    const errors: unknown[] = [];
    socket.on('error', (error) => errors.push(error));
    // A handshake message of 1 MiB in records of 16 KiB.
    const record = Buffer.concat([Buffer.from([0x16, 3, 1, 0x40, 0]), Buffer.alloc(0x4000)]);
    record.set([1, 0x10, 0, 0], 5);
    const received = converse(socket, record);
    for (let sent = 1; sent < 64; sent++) socket.write(record);
    expect(Buffer.from(await received, 'latin1')).toEqual(Buffer.from([0x15, 3, 1, 0, 2, 2, 50]));
    socket.end();
    await until(() => adapters().listener.connections.size === 0);
    expect(errors).toEqual([]);
  });

  test('bytes that only start like TLS get an alert from the TLS stack', async () => {
    const received = await exchange(adapters().port, '\x16\x03\x01\x00\x05hello');
    expect(received.charCodeAt(0)).toBe(0x15);
    await until(() => adapters().listener.connections.size === 0);
  });

  test('many silent connections are all released', async () => {
    const received = await Promise.all(
      Array.from({ length: rounds(1000) }, () => exchange(adapters().port, '')),
    );
    expect(received.every((text) => text === '')).toBe(true);
    await until(() => adapters().listener.connections.size === 0);
  });
});

test('connections that wait in the backlog are accepted before the second is served', async () => {
  const opened: Connection[] = [];
  const openedBefore: number[] = [];
  const serve = { accept: (): void => void openedBefore.push(opened.length) };
  const listener = new Listener(
    { tls: serve, h2: serve, h1: serve },
    { headerTimeout: 1000, sweepInterval: 500, observer: { opened: (each) => opened.push(each) } },
  );
  const { port } = await listener.listen(0, '127.0.0.1');
  const clients = Array.from({ length: 20 }, () => {
    const client = connect(port, '127.0.0.1');
    client.write(GET('/'));
    return client;
  });
  await until(() => openedBefore.length === clients.length);
  expect(openedBefore.slice(1)).toEqual(Array.from({ length: clients.length - 1 }, () => 20));
  for (const client of clients) client.destroy();
  listener.destroy();
});

test('the error for a port in use names the port', async () => {
  const adapters = await startAdapters();
  const other = new Listener(
    { tls: ignoring, h2: ignoring, h1: ignoring },
    { headerTimeout: 1000, sweepInterval: 500, observer: {} },
  );
  await expect(other.listen(adapters.port, '127.0.0.1')).rejects.toThrow(
    `port ${adapters.port} is in use`,
  );
  other.destroy();
});

test('an error that a protocol reports when its socket has closed is a termination', async () => {
  const events: unknown[] = [];
  // As node:http2 does, after its own listener of the event.
  const late = {
    accept: (connection: TcpConnection): void => {
      connection.socket.once('close', () => {
        process.nextTick(() => connection.setError(new Error('stream 0')));
      });
      connection.socket.destroy();
    },
  };
  const listener = new Listener(
    { tls: late, h2: late, h1: late },
    {
      headerTimeout: 1000,
      sweepInterval: 500,
      observer: {
        terminated: (reason) => events.push(reason),
        closed: ({ closeCause }) => events.push(closeCause),
      },
    },
  );
  const { port } = await listener.listen(0, '127.0.0.1');
  connect(port, '127.0.0.1').end('GET / HTTP/1.1\r\n');
  await until(() => events.length === 2);
  expect(events).toEqual(['protocol-error', { by: 'wirebin', reason: 'protocol-error' }]);
  listener.destroy();
});

test('close() may be called twice and before listening', async () => {
  const adapters = await startAdapters();
  adapters.close();
  adapters.close();
  await adapters.listener.close();
  expect(adapters.listener.connections.size).toBe(0);
});
