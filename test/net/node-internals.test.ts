import { once } from 'node:events';
import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { connect as connectTls, createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { expect, onTestFinished, test, vi } from 'vitest';
import { makeCredentials } from '../../src/net/certificates.ts';
import { JavaScriptSocket } from '../../src/net/javascript-socket.ts';
import {
  allowHalfOpen,
  emitConnect,
  isParsed,
  observeSocket,
  onLastResponse,
  parseInJavaScript,
  activeParsers,
  setEnded,
  setHeaderSection,
  startReading,
  startTimeoutChecks,
  stopReading,
  suspendDestroy,
  takeOverAfterRequest,
  tcpSocketOf,
  writeBeforeHeaderSection,
} from '../../src/net/node-internals.ts';
import { converse, GET, LAST, openSocket } from '../_raw.ts';
import { Observed } from './_observed.ts';
import { listen, socketPair } from './_sockets.ts';

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

test.each([
  ['nothing', '', 0],
  ['an empty line', '\r\n', 0],
  ['the first byte of a request', 'G', 1],
  ['an incomplete header section', GET('/').slice(0, -2), 1],
])('after a request, %s: whether a parser is within a message', async (_, more, count) => {
  const server = createHttpServer((__, response) => void response.end());
  startTimeoutChecks(server);
  const port = await listen((socket) => server.emit('connection', socket));
  onTestFinished(() => server.close().closeAllConnections());
  const socket = await openSocket(port);
  socket.write(GET('/') + more);
  await once(socket, 'data');
  expect(activeParsers(server)).toHaveLength(count);
});

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n';

/** Whether the text ends with the content that the responses have. */
function hasContent(text: string): boolean {
  return text.endsWith('ok');
}

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
async function openTls(): Promise<{ readonly tcp: Socket; readonly secure: TLSSocket }> {
  const [client, tcp] = await socketPair();
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

test('takeOverAfterRequest: bytes after a request, and the end, are not parsed as HTTP', async () => {
  const errors: string[] = [];
  const accepted = new Promise<Socket>((resolve) => {
    const server = createHttpServer((incoming) => {
      const { socket } = incoming;
      takeOverAfterRequest(incoming);
      expect(isParsed(socket)).toBe(true);
      process.nextTick(() => resolve(socket));
    });
    allowHalfOpen(server);
    server.on('clientError', (error) => errors.push(error.message));
    onTestFinished(() => expect(server.listenerCount('upgrade')).toBe(0));
    void listen((socket) => server.emit('connection', socket)).then(async (port) => {
      const client = await openSocket(port);
      client.on('data', () => client.end(' HTTP'));
      client.write(`${GET('/', 'Connection: Upgrade\r\nUpgrade: x\r\n')}not`);
    });
  });
  const socket = await accepted;
  expect(isParsed(socket)).toBe(false);
  socket.write('begin');
  let received = '';
  socket.on('data', (piece: Buffer) => {
    received += piece.toString();
  });
  await once(socket, 'end');
  expect(received).toBe('not HTTP');
  expect(errors).toEqual([]);
  socket.destroy();
});
