import { EventEmitter, once } from 'node:events';
import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import {
  connect as connectHttp2,
  createServer as createHttp2Server,
  type ServerHttp2Stream,
} from 'node:http2';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { connect as connectTls, createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { HpackDecoder } from '../../src/inspect/http2/hpack.ts';
import { makeCredentials } from '../../src/net/certificates.ts';
import {
  acceptSession,
  allowHalfOpen,
  deferDestroy,
  detachSession,
  emitConnect,
  observeSocket,
  onLastResponse,
  onTrailers,
  parseInJavaScript,
  queuedBytes,
  resetStream,
  respondVerbatim,
  setEnded,
  setHeaderSection,
  startReading,
  startTimeoutChecks,
  stopReading,
  suspendDestroy,
  tcpSocketOf,
  writeBeforeHeaderSection,
} from '../../src/net/node-internals.ts';
import { JavaScriptSocket } from '../../src/net/javascript-socket.ts';
import { until } from '../_adapters.ts';
import * as h2 from '../_frames.ts';
import { converse, GET, LAST, openSocket } from '../_raw.ts';
import { Observed } from './_observed.ts';

/** Hands the sockets of a port to `accept`, as the listener does. */
async function listen(accept: (socket: Socket) => void): Promise<number> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined);
    accept(socket);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return port;
}

/** A client's socket and the server's. */
async function openPair(): Promise<readonly [client: Socket, server: Socket]> {
  const accepted = new EventEmitter();
  const port = await listen((socket) => accepted.emit('socket', socket));
  const [client, [server]] = await Promise.all([openSocket(port), once(accepted, 'socket')]);
  return [client, server as Socket];
}

/** The port of an HTTP/1 server that does not listen. */
async function listenHttp1(
  respond: (response: ServerResponse, socket: Socket) => void,
): Promise<number> {
  const server = createHttpServer((_, response) => {
    if (response.socket) respond(response, response.socket);
  });
  onTestFinished(() => void server.close());
  return listen((socket) => server.emit('connection', socket));
}

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n';

/** Whether the text ends with the content that the responses have. */
function hasContent(text: string): boolean {
  return text.endsWith('ok');
}

test('stopReading and startReading: what arrives in between is read after it', async () => {
  const [client, server] = await openPair();
  expect(server).toHaveProperty('_handle.readStop', expect.any(Function));
  expect(server).toHaveProperty('_handle.readStart', expect.any(Function));
  let received = '';
  server.on('data', (bytes: Buffer) => (received += bytes.toString()));
  client.write('a');
  await once(server, 'data');
  stopReading(server);
  client.write('b');
  // What another connection sends later has arrived.
  const [otherClient, otherServer] = await openPair();
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
async function openTls(): Promise<{ readonly tcp: Socket; readonly secure: TLSSocket }> {
  const [client, tcp] = await openPair();
  connectTls({ socket: client, rejectUnauthorized: false }).on('error', () => undefined);
  const server = createTlsServer(await makeCredentials(Date.now()));
  server.emit('connection', tcp);
  const [secure] = await once(server, 'secureConnection');
  return { tcp, secure: secure as TLSSocket };
}

test('tcpSocketOf', async () => {
  const { tcp, secure } = await openTls();
  expect(tcpSocketOf(secure)).toBe(tcp);
  tcp.destroy();
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

test('onLastResponse: called in place of the destroy', async () => {
  const calls: boolean[] = [];
  const port = await listenHttp1((response, socket) => {
    onLastResponse(socket, () => {
      calls.push(socket.destroyed);
      socket.end('after');
    });
    response.end('ok');
  });
  const received = await converse(await openSocket(port), GET('/', LAST));
  expect(received).toMatch(/\r\n\r\nokafter$/);
  expect(calls).toEqual([false]);
});

test('allowHalfOpen: a response may follow the FIN of the client', async () => {
  const server = createHttpServer((request, response) => {
    request.socket.once('end', () => response.end('ok'));
  });
  expect(server).toHaveProperty('httpAllowHalfOpen', false);
  allowHalfOpen(server);
  const port = await listen((socket) => server.emit('connection', socket));
  const client = connect({ port, allowHalfOpen: true });
  client.end(GET('/', LAST));
  let received = '';
  for await (const bytes of client.setEncoding('latin1')) received += String(bytes);
  expect(received).toMatch(/^HTTP\/1.1 200 .*ok$/s);
  server.close();
});

test('startTimeoutChecks: a server that does not listen notices a request that is late', async () => {
  const server = createHttpServer({ headersTimeout: 1, connectionsCheckingInterval: 1 });
  startTimeoutChecks(server);
  const port = await listen((socket) => server.emit('connection', socket));
  const client = await openSocket(port);
  client.write('GET / HT');
  const [error] = await once(server, 'clientError');
  expect(error).toHaveProperty('code', 'ERR_HTTP_REQUEST_TIMEOUT');
  client.destroy();
  server.close();
});

test('setHeaderSection: sent with the content, as it is', async () => {
  const port = await listenHttp1((response) => {
    setHeaderSection(response, OK);
    expect(response.headersSent).toBe(true);
    response.end('ok');
  });
  const client = await openSocket(port);
  expect(await converse(client, GET('/'), hasContent)).toBe(`${OK}ok`);
  client.destroy();
});

test('writeBeforeHeaderSection: at once, or after the response to the request before', async () => {
  const early = 'HTTP/1.1 103 Early Hints\r\n\r\n';
  const responses: ServerResponse[] = [];
  const server = createHttpServer((_, response) => {
    writeBeforeHeaderSection(response, early);
    expect(response.headersSent).toBe(false);
    responses.push(response);
    if (responses.length < 2) return;
    for (const each of responses.toReversed()) {
      setHeaderSection(each, OK);
      each.end('ok');
    }
  });
  onTestFinished(() => void server.close());
  const port = await listen((socket) => server.emit('connection', socket));
  const client = await openSocket(port);
  const all = `${early}${OK}ok${early}${OK}ok`;
  const received = await converse(
    client,
    GET('/') + GET('/'),
    ({ length }) => length >= all.length,
  );
  expect(received).toBe(all);
  client.destroy();
});

test('setEnded: Node sends nothing, and continues with the next request at `finish`', async () => {
  const port = await listenHttp1((response, socket) => {
    setHeaderSection(response, OK);
    setEnded(response);
    expect(response.writableEnded).toBe(true);
    socket.write(`${OK}ok`, () => response.emit('finish'));
  });
  const client = await openSocket(port);
  expect(await converse(client, GET('/'), hasContent)).toBe(`${OK}ok`);
  expect(await converse(client, GET('/'), hasContent)).toBe(`${OK}ok`);
  client.destroy();
});

test('chunkedEncoding, if changed after the header section, applies to what follows', async () => {
  const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
  const port = await listenHttp1((response) => {
    setHeaderSection(response, chunked);
    response.chunkedEncoding = false;
    response.write('3\r\none\r\n');
    response.chunkedEncoding = true;
    response.end();
  });
  const client = await openSocket(port);
  const received = await converse(client, GET('/'), (text) => text.endsWith('0\r\n\r\n'));
  expect(received).toBe(`${chunked}3\r\none\r\n0\r\n\r\n`);
  client.destroy();
});

test('acceptSession, onTrailers and deferDestroy', async () => {
  const server = createHttp2Server();
  const [socket, tcp] = await openPair();
  const client = connectHttp2('http://localhost', { createConnection: () => socket });
  const session = acceptSession(server, tcp);
  expect(session).toBeDefined();
  expect(server.listenerCount('session')).toBe(0);
  if (!session) return;
  const calls: string[] = [];
  const destroyNow = deferDestroy(session, () => calls.push('before'));
  session.on('close', () => calls.push('close'));
  const lines: string[] = [];
  session.on('stream', (stream) => {
    onTrailers(stream, (trailers) => lines.push(...trailers));
    stream.resume().once('end', () => {
      stream.respond({}, { endStream: true });
      // Node destroys a closed session at the end of its last stream.
      session.close();
    });
  });
  const stream = client.request({ ':method': 'POST' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ one: ['1', '2'], two: '3' }));
  stream.end();
  await once(session, 'close');
  expect(lines).toEqual(['one', '1', 'one', '2', 'two', '3']);
  expect(calls[0]).toBe('before');
  expect(calls.at(-1)).toBe('close');
  destroyNow();
  client.destroy();
});

/** A session of a server in clear or over TLS, a request on it, and a client that writes frames. */
async function openSession(isSecure: boolean) {
  const server = createHttp2Server();
  const [clear, tcp] = await openPair();
  let socket: Socket = tcp;
  let client = clear;
  if (isSecure) {
    const ALPNProtocols = ['h2'];
    client = connectTls({ socket: clear, rejectUnauthorized: false, ALPNProtocols });
    const tlsServer = createTlsServer({ ...(await makeCredentials(Date.now())), ALPNProtocols });
    tlsServer.emit('connection', tcp);
    [socket] = (await once(tlsServer, 'secureConnection')) as [TLSSocket];
  }
  const session = acceptSession(server, socket);
  if (!session) throw new Error('there is no session');
  const frames = new h2.FrameClient(client);
  frames.send(h2.get(1, '/'), h2.get(3, '/'), h2.post(5, '/'));
  const streams: ServerHttp2Stream[] = [];
  session.on('stream', (stream) => streams.push(stream.on('error', () => undefined)));
  await until(() => streams.length === 3);
  onTestFinished(() => {
    client.destroy();
    socket.destroy();
  });
  return { client, frames, session, socket, streams };
}

describe.each([
  ['in clear', false],
  ['over TLS', true],
])('%s', (_, isSecure) => {
  test('detachSession: sends nothing, and JavaScript reads and writes the socket', async () => {
    const { client, frames, session, socket, streams } = await openSession(isSecure);
    streams[0]?.respond();
    streams[1]?.respond();
    streams[1]?.write('sent');
    await until(() => frames.got(h2.DATA).length > 0 && frames.got(h2.SETTINGS).length === 2);
    const before = frames.frames.length;
    const closed = once(session, 'close');
    streams[2]?.write('not sent');
    detachSession(session, socket, () => session.destroy());
    await closed;
    expect(session.destroyed).toBe(true);
    expect(streams.every(({ destroyed }) => destroyed)).toBe(true);
    expect(socket.destroyed).toBe(false);
    expect(Object.hasOwn(socket, 'destroyed')).toBe(false);
    expect(queuedBytes(socket)).toBe(0);
    let received = '';
    socket.on('data', (bytes: Buffer) => (received += bytes.toString()));
    startReading(socket);
    client.write('to the server');
    await until(() => received === 'to the server');
    socket.write(h2.frame(h2.PING, 0, 0, Buffer.alloc(8)));
    await until(() => frames.frames.length > before);
    expect(frames.frames.slice(before)).toMatchObject([{ type: h2.PING }]);
    socket.end();
    await once(client, 'end');
    expect(frames.frames).toHaveLength(before + 1);
  });

  test('detachSession and queuedBytes: a write in progress is completed', async () => {
    const { client, frames, session, socket, streams } = await openSession(isSecure);
    const window = h2.uint32(2 ** 31 - 1 - 65_535);
    frames.send(h2.frame(h2.WINDOW_UPDATE, 0, 0, window), h2.frame(h2.WINDOW_UPDATE, 0, 1, window));
    client.pause();
    const [stream] = streams;
    stream?.respond();
    const size = 16 * 1024 * 1024;
    stream?.write(Buffer.alloc(size));
    await until(() => queuedBytes(socket) > 0);
    detachSession(session, socket, () => session.destroy());
    await turn();
    expect(queuedBytes(socket)).toBeGreaterThan(0);
    client.resume();
    await until(() => queuedBytes(socket) === 0);
    await turn();
    socket.write(h2.frame(h2.PING, 0, 0, Buffer.alloc(8)));
    await until(() => frames.got(h2.PING).length === 1);
  });

  test('resetStream: no END_STREAM before RST_STREAM', async () => {
    const { frames, streams } = await openSession(isSecure);
    const [stream, other] = streams;
    stream?.respond();
    stream?.write('part');
    await until(() => frames.got(h2.DATA, 1).length > 0);
    if (stream) resetStream(stream, 2 ** 32 - 1);
    await until(() => frames.reset(1) !== undefined);
    expect(frames.reset(1)).toBe(2 ** 32 - 1);
    expect(frames.isDone(1)).toBe(false);
    other?.respond();
    other?.end('whole');
    await until(() => frames.isDone(3));
    expect(stream?.destroyed).toBe(true);
  });

  test('respondVerbatim: any fields in any order', async () => {
    const { frames, streams } = await openSession(isSecure);
    const [stream] = streams;
    const fields = [
      ['connection', 'close'],
      ['a', ''],
      [':status', '299'],
    ] as const;
    if (stream) respondVerbatim(stream, fields);
    stream?.end('content');
    await until(() => frames.isDone(1));
    const [headers] = frames.got(h2.HEADERS, 1);
    const decoded = new HpackDecoder().decode(headers?.payload ?? Buffer.alloc(0)).fields;
    expect(decoded.map(({ name, value }) => [name, value])).toEqual(fields);
    expect(frames.content(1)).toBe('content');
  });
});

test('observeSocket: all bytes and ends of both directions, in order', async () => {
  const [client, server] = await openPair();
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

test('parseInJavaScript: the observer sees what Node parses, before it has parsed it', async () => {
  const observed = new Observed();
  const parsed: [string, string][] = [];
  const server = createHttpServer((_, response) => {
    parsed.push(['', observed.fromClient]);
    response.end('ok');
  });
  onTestFinished(() => void server.close());
  const port = await listen((socket) => {
    observeSocket(socket, observed);
    server.emit('connection', socket);
    parseInJavaScript(socket, (bytes) => parsed.push([bytes.toString(), observed.fromClient]));
  });
  const client = await openSocket(port);
  const request = GET('/');
  await converse(client, request, hasContent);
  expect(parsed).toEqual([
    ['', request],
    [request, request],
  ]);
  client.destroy();
});

test('emitConnect: a TLS server starts the handshake of a socket without a handle', async () => {
  const [client, tcp] = await openPair();
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
  // Handshake records (RFC 8446 5.1).
  expect(observed.fromServer.startsWith('\x16\x03')).toBe(true);
  secure.destroy();
});
