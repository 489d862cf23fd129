import { once } from 'node:events';
import {
  connect as connectTls,
  createServer as createTlsServer,
  type ConnectionOptions,
  type TlsOptions,
  type TLSSocket,
} from 'node:tls';
import { expect, test, vi } from 'vitest';
import { makeCredentials } from '../../src/net/certificates.ts';
import { JavaScriptSocket } from '../../src/net/javascript-socket.ts';
import {
  emitConnect,
  hasRenegotiated,
  isSslFreed,
  observeSocket,
  sniCallback,
  startReading,
  stopReading,
  suspendDestroy,
  tcpSocketOf,
} from '../../src/net/node-internals.ts';
import { Observed } from './_observed.ts';
import { socketPair } from './_sockets.ts';

test('stopReading and startReading: what arrives in between is read after it', async () => {
  const [client, server] = await socketPair();
  expect(server).toHaveProperty('_handle.readStop', expect.any(Function));
  expect(server).toHaveProperty('_handle.readStart', expect.any(Function));
  let received = '';
  server.on('data', (bytes: Buffer) => (received += bytes.toString()));
  client.write('a');
  await once(server, 'data');
  stopReading(server);
  client.write('b');
  // What another connection sends later has arrived.
  const [otherClient, otherServer] = await socketPair();
  otherClient.write('c');
  await once(otherServer, 'data');
  expect(received).toBe('a');
  startReading(server);
  await once(server, 'data');
  expect(received).toBe('ab');
  server.destroy();
  otherServer.destroy();
});

/** The server's side of a TLS connection, and the TCP socket below it. */
async function openTls({ client: ofClient, server: ofServer }: OpenTls = {}) {
  const [raw, tcp] = await socketPair();
  const client = connectTls({ socket: raw, rejectUnauthorized: false, ...ofClient });
  client.on('error', () => undefined);
  const server = createTlsServer({ ...(await makeCredentials(Date.now())), ...ofServer });
  server.emit('connection', tcp);
  const connected = once(client, 'secureConnect');
  const [secure] = (await once(server, 'secureConnection')) as [TLSSocket];
  await connected;
  return { tcp, secure, client };
}

interface OpenTls {
  readonly client?: ConnectionOptions;
  readonly server?: TlsOptions;
}

test('sniCallback gets the socket', async () => {
  const calls: unknown[] = [];
  const SNICallback = sniCallback((...args) => void calls.push(...args));
  const { tcp, secure } = await openTls({
    client: { servername: 'a.example' },
    server: { SNICallback },
  });
  expect(calls).toEqual(['a.example', secure]);
  tcp.destroy();
});

test('hasRenegotiated', async () => {
  const { tcp, secure, client } = await openTls({ client: { maxVersion: 'TLSv1.2' } });
  expect(hasRenegotiated(secure)).toBe(false);
  await new Promise((resolve) => client.renegotiate({}, resolve));
  expect(hasRenegotiated(secure)).toBe(true);
  tcp.destroy();
  await once(secure, 'close');
  expect(hasRenegotiated(secure)).toBe(true);
});

test('tcpSocketOf', async () => {
  const { tcp, secure } = await openTls();
  expect(tcpSocketOf(secure)).toBe(tcp);
  tcp.destroy();
});

test('isSslFreed: only if Node has closed the TLS socket', async () => {
  const { tcp, secure } = await openTls();
  expect(isSslFreed(secure)).toBe(false);
  const closing = new Promise((resolve) => {
    secure.once('close', () => resolve(isSslFreed(secure)));
  });
  tcp.destroy();
  expect(isSslFreed(secure)).toBe(false);
  expect(secure.getProtocol()).toBe('TLSv1.3');
  expect(await closing).toBe(true);
});

test('suspendDestroy: the TCP socket outlives its TLS socket until it is called', async () => {
  const { tcp, secure } = await openTls();
  const destroy = suspendDestroy(tcp);
  const suspended = vi.spyOn(tcp, 'destroy');
  secure.destroy();
  expect(suspended).toHaveBeenCalledOnce();
  expect(tcp.destroyed).toBe(false);
  destroy();
  expect(tcp.destroyed).toBe(true);
  await once(secure, 'close');
});

test('observeSocket: all bytes and ends of both directions, in order', async () => {
  const [client, server] = await socketPair();
  const observed = new Observed();
  observeSocket(server, observed);
  server.on('data', (bytes: Buffer) => server.write(bytes));
  server.write('caf\u00e9', 'latin1');
  server.cork();
  server.write('1');
  server.write('32', 'hex');
  server.uncork();
  client.end('ab');
  await once(server, 'end');
  server.end('z');
  const received: string[] = [];
  client.on('data', (bytes: Buffer) => received.push(bytes.toString('latin1')));
  await once(client, 'close');
  expect(observed.fromClient).toBe('ab<end>');
  expect(observed.fromServer).toBe('caf\u00e912abz<end>');
  expect(received.join('')).toBe('caf\u00e912abz');
});

test('emitConnect: a TLS server starts the handshake of a socket without a handle', async () => {
  const [client, tcp] = await socketPair();
  const secure = connectTls({ socket: client, rejectUnauthorized: false });
  const server = createTlsServer(await makeCredentials(Date.now()));
  const observed = new Observed();
  observeSocket(tcp, observed);
  const socket = new JavaScriptSocket(tcp);
  server.emit('connection', socket);
  emitConnect(socket);
  const [accepted] = await once(server, 'secureConnection');
  (accepted as TLSSocket).end('hello');
  let received = '';
  for await (const bytes of secure.setEncoding('latin1')) received += String(bytes);
  expect(received).toBe('hello');
  // Handshake records (RFC 9846 5.1).
  expect(observed.fromServer.startsWith('\x16\x03')).toBe(true);
  secure.destroy();
});
