import { once } from 'node:events';
import { connect } from 'node:net';
import tls from 'node:tls';
import { generate } from 'selfsigned';
import { describe, expect, test } from 'vitest';
import { makeCredentials } from '../../src/net/certificates.ts';
import { sharedAdapters, startAdapters, until } from '../_adapters.ts';
import * as h2 from '../_frames.ts';
import { converse, exchange, GET, LAST, openSocket, statusesOf } from '../_raw.ts';
import { captured } from '../wire/tls/_hellos.ts';

const adapters = sharedAdapters({ headerTimeout: 600 });
const allClosed = (): boolean => adapters().listener.connections.size === 0;

function secure(options: tls.ConnectionOptions = {}): tls.TLSSocket {
  const socket = tls.connect({ port: adapters().port, rejectUnauthorized: false, ...options });
  socket.on('error', () => undefined);
  return socket;
}

describe('ALPN (RFC 7301)', () => {
  test.each([
    ['nothing', [], false],
    ['http/1.1', ['http/1.1'], 'http/1.1'],
    ['http/1.1 and something', ['spdy/3', 'http/1.1'], 'http/1.1'],
    ['http/1.0', ['http/1.0'], 'http/1.0'],
    ['http/1.0 before http/1.1', ['http/1.0', 'http/1.1'], 'http/1.1'],
  ])('%s means HTTP/1.1', async (_name, list, chosen) => {
    const socket = await openSocket(adapters().port, list);
    expect(socket).toHaveProperty('alpnProtocol', chosen);
    expect(statusesOf(await converse(socket, GET('/healthz', LAST)))).toEqual([200]);
  });

  test.each([[['h2']], [['h2', 'http/1.1']], [['http/1.1', 'h2']]])(
    '%j means HTTP/2',
    async (list) => {
      const socket = await openSocket(adapters().port, list);
      expect(socket).toHaveProperty('alpnProtocol', 'h2');
      const client = new h2.FrameClient(socket);
      client.send(h2.get(1, '/healthz'));
      await until(() => client.isDone(1));
      expect(client.content(1)).toBe('OK');
    },
  );

  test('no common protocol: the alert no_application_protocol, 120', async () => {
    const socket = secure({ ALPNProtocols: ['spdy/3', 'h3'] });
    const [error] = (await once(socket, 'error')) as [Error & { code?: string }];
    expect(error.message).toMatch(/alert number 120|no application protocol/);
    await until(allClosed);
  });
});

describe('after the handshake', () => {
  test.each([
    ['http/1.1', ''],
    ['h2', ''],
    ['h2', 'PRI * HTTP/2.0\r\n'],
    ['h2', `${h2.PREFACE.toString('latin1')}\0\0\x06\x04`],
  ])('%s, %j, then silence: closed by the header timeout', async (protocol, bytes) => {
    const socket = await openSocket(adapters().port, [protocol]);
    const [connection] = [...adapters().listener.connections].slice(-1);
    const start = performance.now();
    await converse(socket, bytes);
    expect(performance.now() - start).toBeGreaterThan(550);
    await until(allClosed);
    expect(connection?.closeCause).toEqual({ by: 'wirebin', reason: 'header-timeout' });
  });

  test('a preface that arrives slowly does not extend the timeout', async () => {
    const socket = await openSocket(adapters().port, ['h2']);
    const [connection] = [...adapters().listener.connections].slice(-1);
    let at = 0;
    const timer = setInterval(() => socket.write(h2.PREFACE.subarray(at, ++at)), 100);
    await converse(socket, '');
    clearInterval(timer);
    await until(allClosed);
    expect(connection?.closeCause).toEqual({ by: 'wirebin', reason: 'header-timeout' });
  });

  test('bytes other than HTTP/2 close the connection at once', async () => {
    const socket = await openSocket(adapters().port, ['h2']);
    const [connection] = [...adapters().listener.connections].slice(-1);
    await converse(socket, GET('/healthz'));
    socket.destroy();
    await until(allClosed);
    expect(connection?.closeCause.reason).not.toBe('header-timeout');
  });
});

test.each(['TLSv1.2', 'TLSv1.3'] as const)('%s is supported', async (version) => {
  const socket = secure({ minVersion: version, maxVersion: version });
  await once(socket, 'secureConnect');
  expect(socket.getProtocol()).toBe(version);
});

test('TLS 1.1 is rejected with protocol_version', async () => {
  const old = { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'ALL@SECLEVEL=0' } as const;
  const [error] = (await once(secure(old), 'error')) as [Error];
  expect(error.message).toMatch(/alert number 70|protocol version/);
});

test.each([
  ['sends nothing more', false],
  ['disconnects', true],
])('a client that %s during the handshake leaves nothing open', async (_name, disconnects) => {
  const socket = connect(adapters().port);
  // A complete ClientHello, followed by nothing.
  socket.write(captured('node-http2'));
  await once(socket, 'data');
  if (disconnects) socket.destroy();
  await until(allClosed);
});

test('plain HTTP inside a malformed handshake gets no HTTP response', async () => {
  const received = await exchange(adapters().port, `\x16\x03\x01\x00\x04${GET('/healthz')}`);
  expect(statusesOf(received)).toEqual([]);
  await until(allClosed);
});

test('a new certificate is used for new handshakes; open connections continue', async () => {
  const { port, tls: server } = await startAdapters({});
  const before = secure({ port, ALPNProtocols: ['http/1.1'] });
  await once(before, 'secureConnect');
  const old = before.getPeerX509Certificate()?.fingerprint256;
  const credentials = await makeCredentials(Date.now());
  server.setCredentials(credentials);
  const after = secure({ port, ALPNProtocols: ['h2'] });
  await once(after, 'secureConnect');
  expect(after.getPeerX509Certificate()?.toString().trim()).toBe(String(credentials.cert).trim());
  expect(after.getPeerX509Certificate()?.fingerprint256).not.toBe(old);
  expect(after.alpnProtocol).toBe('h2');
  expect(statusesOf(await converse(before, GET('/healthz', LAST)))).toEqual([200]);
  before.destroy();
  after.destroy();
});

test('of several certificates a client gets the first for the name that it asks for', async () => {
  const [first, other] = await Promise.all(
    ['a.test', '*.b.test'].map(async (value) => {
      const notAfterDate = new Date(Date.now() + 60_000);
      const extensions = [
        { name: 'subjectAltName' as const, altNames: [{ type: 2 as const, value }] },
      ];
      const name = [{ name: 'commonName', value }];
      const made = await generate(name, { keyType: 'ec', notAfterDate, extensions });
      return { cert: made.cert, key: made.private };
    }),
  );
  if (!first || !other) throw new Error('there are two');
  const { port, tls: server } = await startAdapters({});
  server.setCredentials({ ...first, others: [other] });
  const nameFor = async (servername?: string) => {
    const options = servername === undefined ? {} : { servername };
    const socket = tls.connect({ port, rejectUnauthorized: false, ...options });
    await once(socket, 'secureConnect');
    const name = socket.getPeerX509Certificate()?.subjectAltName;
    socket.destroy();
    return name;
  };
  expect(await nameFor('a.test')).toBe('DNS:a.test');
  expect(await nameFor('x.b.test')).toBe('DNS:*.b.test');
  expect(await nameFor('c.test')).toBe('DNS:a.test');
  expect(await nameFor()).toBe('DNS:a.test');
  server.setCredentials({ ...other, others: [first] });
  expect(await nameFor('a.test')).toBe('DNS:a.test');
  expect(await nameFor()).toBe('DNS:*.b.test');
});

test('of many handshakes in progress the oldest is given up', async () => {
  // None shall end by its time limit.
  const patient = await startAdapters({ headerTimeout: 600_000, maxHandshakes: 20 });
  const open = async () => {
    const socket = connect(patient.port, '127.0.0.1');
    await once(socket, 'connect');
    socket.on('error', () => undefined).write(captured('node-http2'));
    return socket;
  };
  const oldest = await open();
  await once(oldest, 'data');
  const [connection] = patient.listener.connections;
  const others = await Promise.all(Array.from({ length: 20 }, open));
  await until(() => oldest.destroyed || oldest.readableEnded);
  expect(connection?.closeCause).toEqual({ by: 'wirebin', reason: 'overloaded' });
  // An inspected connection is removed some turns after its client has seen the end.
  await until(() => patient.listener.connections.size === 20);
  const socket = await openSocket(patient.port, ['http/1.1']);
  expect(statusesOf(await converse(socket, GET('/healthz', LAST)))).toEqual([200]);
  for (const each of [oldest, ...others, socket]) each.destroy();
});
