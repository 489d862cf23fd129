import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import tls from 'node:tls';
import { generate } from 'selfsigned';
import { describe, expect, onTestFinished, test } from 'vitest';
import { makeCredentials } from '../../src/net/certificates.ts';
import { helloFacts } from '../../src/net/stored-hello.ts';
import {
  keyExchangeOf,
  sentHelloRetryRequest,
  type KeyExchange,
} from '../../src/net/tls-key-exchange.ts';
import { uint16s, vector } from '../../src/wire/byte-writer.ts';
import { helloOf } from '../wire/tls/_hellos.ts';

const SECP256R1 = 0x0017;
const SECP384R1 = 0x0018;
const X25519 = 0x001d;
const X448 = 0x001e;

async function startServer(options: tls.TlsOptions): Promise<tls.Server> {
  const server = tls.createServer({ ...(await makeCredentials(Date.now())), ...options });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
  });
  return server;
}

/** A client. Errors are those of handshakes that are meant to fail. */
function connect(server: net.Server, options: tls.ConnectionOptions): tls.TLSSocket {
  const { port } = server.address() as AddressInfo;
  const client = tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options });
  client.on('error', () => undefined);
  client.resume();
  onTestFinished(() => {
    client.destroy();
  });
  return client;
}

/** The server's socket of a completed handshake. */
async function complete(server: tls.Server, client: tls.TLSSocket): Promise<tls.TLSSocket> {
  const secured = once(server, 'secureConnection');
  await once(client, 'secureConnect');
  const [socket] = (await secured) as [tls.TLSSocket];
  socket.on('error', () => undefined);
  return socket;
}

/** Completes a handshake, and returns its session as the client has it. */
async function sessionOf(server: tls.Server, options: tls.ConnectionOptions): Promise<Buffer> {
  const client = connect(server, options);
  const session = once(client, 'session');
  await complete(server, client);
  const [bytes] = (await session) as [Buffer];
  return bytes;
}

describe('keyExchangeOf', () => {
  test.each([
    ['TLSv1.3', 'X25519', X25519],
    ['TLSv1.3', 'P-384', SECP384R1],
    ['TLSv1.3', 'X448', X448],
    // Before TLS 1.3, the client's groups must include that of the certificate (RFC 8422 5.1).
    ['TLSv1.2', 'P-256', SECP256R1],
    ['TLSv1.2', 'X25519:P-256', X25519],
  ] as const)('%s with %s', async (version, ecdhCurve, group) => {
    const server = await startServer({});
    const socket = await complete(server, connect(server, { ecdhCurve, maxVersion: version }));
    expect(keyExchangeOf(socket, true)).toEqual({ version, group, reason: undefined });
  });

  test('after HelloRetryRequest, the group is the one that it selects', async () => {
    const server = await startServer({ ecdhCurve: 'P-384' });
    const socket = await complete(server, connect(server, { ecdhCurve: 'X25519:P-384' }));
    expect(keyExchangeOf(socket, true)).toMatchObject({ version: 'TLSv1.3', group: SECP384R1 });
  });

  test('a resumed session in TLS 1.3 has a key exchange of its own', async () => {
    const server = await startServer({});
    const session = await sessionOf(server, { ecdhCurve: 'P-384' });
    const socket = await complete(server, connect(server, { ecdhCurve: 'P-256', session }));
    expect(socket.isSessionReused()).toBe(true);
    expect(keyExchangeOf(socket, true)).toMatchObject({ version: 'TLSv1.3', group: SECP256R1 });
  });

  test('a resumed session in TLS 1.2 has none', async () => {
    const server = await startServer({ maxVersion: 'TLSv1.2' });
    const session = await sessionOf(server, {});
    const socket = await complete(server, connect(server, { session }));
    expect(socket.isSessionReused()).toBe(true);
    expect(keyExchangeOf(socket, true)).toEqual({
      version: 'TLSv1.2',
      group: undefined,
      reason: 'TLSv1.2 resumes a session without key exchange',
    });
  });

  test('DHE in TLS 1.2 has parameters of the server in place of a group', async () => {
    const ciphers = 'DHE-RSA-AES128-GCM-SHA256';
    const { cert, private: key } = await generate([{ name: 'commonName', value: 'a' }]);
    const server = await startServer({ cert, key, dhparam: 'auto', maxVersion: 'TLSv1.2' });
    const socket = await complete(server, connect(server, { ciphers }));
    expect(keyExchangeOf(socket, true)).toEqual({
      version: 'TLSv1.2',
      group: undefined,
      reason: 'TLS_DHE_RSA_WITH_AES_128_GCM_SHA256 has no named group',
    });
  });

  test('a closed socket has no session', async () => {
    const server = await startServer({});
    const client = connect(server, {});
    const socket = await complete(server, client);
    const closed = once(socket, 'close');
    client.destroy();
    await closed;
    expect(keyExchangeOf(socket, true)).toEqual({
      version: null,
      group: undefined,
      reason: 'the connection had closed before the group was read',
    });
  });
});

/** What is read of a handshake that fails, at once: Node then destroys the socket. */
function failure(server: tls.Server, isComplete = false): Promise<KeyExchange> {
  return new Promise((resolve) => {
    server.once('tlsClientError', (_error, socket) => resolve(keyExchangeOf(socket, isComplete)));
  });
}

describe('a handshake that fails', () => {
  test('after the group was chosen', async () => {
    const server = await startServer({ requestCert: true });
    const failed = failure(server);
    connect(server, { ecdhCurve: 'P-384' });
    expect(await failed).toMatchObject({ version: 'TLSv1.3', group: SECP384R1 });
  });

  test('before the group was chosen', async () => {
    const server = await startServer({ ecdhCurve: 'P-384' });
    const failed = failure(server);
    connect(server, { ecdhCurve: 'P-256' });
    expect(await failed).toMatchObject({ version: 'TLSv1.3', group: undefined });
  });

  test('because its TCP socket is destroyed, when Node has freed what it reads from', async () => {
    const server = await startServer({});
    const accepted = net.createServer((socket) => {
      server.emit('connection', socket);
      socket.destroy();
    });
    accepted.listen(0, '127.0.0.1');
    await once(accepted, 'listening');
    onTestFinished(() => {
      accepted.close();
    });
    const failed = failure(server);
    connect(accepted, {});
    expect(await failed).toMatchObject({ version: null, group: undefined });
  });

  test.each([
    ['is not said to have the group of the session that it resumes', false, undefined],
    ['would have that group if it were complete', true, SECP384R1],
  ])('%s', async (_name, isComplete, group) => {
    const server = await startServer({ ecdhCurve: 'P-384' });
    const session = await sessionOf(server, { ecdhCurve: 'P-384' });
    const failed = failure(server, isComplete);
    connect(server, { ecdhCurve: 'P-256', session });
    expect(await failed).toMatchObject({ version: 'TLSv1.3', group });
  });
});

describe('sentHelloRetryRequest', () => {
  const shares = vector(2, [...uint16s([X25519]), ...vector(2, [1])]);
  const hello = helloFacts(helloOf({ extensions: [[51, shares]] }));
  const exchange = { version: 'TLSv1.3', group: X25519, reason: undefined };

  test.each([
    ['the group has a key share', exchange, false],
    ['it has none', { ...exchange, group: X448 }, true],
    ['TLS 1.2 has no such message', { ...exchange, version: 'TLSv1.2', group: X448 }, false],
    ['the group is not known', { ...exchange, group: undefined }, null],
    ['the group is not registered', { ...exchange, group: 0xfe00 }, null],
    ['the version is not known', { ...exchange, version: null, group: undefined }, null],
  ])('%s', (_name, keyExchange, expected) => {
    expect(sentHelloRetryRequest(keyExchange, hello)).toBe(expected);
  });

  test('without a valid ClientHello it is not known', () => {
    expect(sentHelloRetryRequest(exchange, undefined)).toBeNull();
  });

  test('without any key share, there was one', () => {
    const without = helloFacts(helloOf({ extensions: [] }));
    expect(sentHelloRetryRequest(exchange, without)).toBe(true);
  });
});
