import { createCipheriv, randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import http2, {
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import https from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { answer as endpointAnswer, type Answer, type Asked } from './endpoints/answers.ts';
import { echoOf, HTTP2, TLS, type Connection } from './endpoints/echo.ts';

// The baseline: what Node itself does with the same bytes, in as few lines as can be, no checks, no
// routing, no extra fields. Each protocol has a listener of its own, so not even sniffing is paid.

const CHUNK = 64 * 1024;
const LETTERS = Buffer.from('abcdefghijklmnopqrstuvwxyz');
const pattern = Buffer.alloc(1024 * 1024 + LETTERS.length, LETTERS);
const zeros = Buffer.alloc(CHUNK);
const keystream = createCipheriv('aes-128-ctr', randomBytes(16), randomBytes(16));

type Fields = Record<string, string | number | string[]>;
type Respond = (status: number, fields: Fields, trailers?: Record<string, string>) => Writable;

function answer(asked: Asked, respond: Respond): void {
  const { target: url, headers } = asked;
  if (url === '/healthz') {
    respond(200, { 'content-type': 'text/plain', 'content-length': 2 }).end('OK');
  } else if (url === '/anything') {
    // With the fields of each response of wirebin: what is compared is how they are made.
    const echo = Buffer.from(`${JSON.stringify(echoOf(asked), null, 2)}\n`);
    respond(200, {
      'content-type': 'application/json',
      'content-length': echo.length,
      'x-request-id': randomUUID(),
      'x-response-time': `${(performance.now() - asked.receivedAt).toFixed(3)}ms`,
    }).end(echo);
  } else if (url.startsWith('/bytes/') || url.startsWith('/range/')) {
    const size = Number(url.slice(url.lastIndexOf('/') + 1));
    const type = { 'content-type': 'application/octet-stream' };
    const range = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '');
    if (url.startsWith('/bytes/')) {
      const sink = respond(200, { ...type, 'content-length': size });
      send(sink, 0, size, CHUNK, (_, length) => keystream.update(zeros.subarray(0, length)));
    } else if (range) {
      const [from, to] = [Number(range[1]), Number(range[2]) + 1];
      const part = { ...type, 'content-range': `bytes ${from}-${to - 1}/${size}` };
      send(respond(206, { ...part, 'content-length': to - from }), from, to, 1024 * 1024, slice);
    } else {
      send(respond(200, { ...type, 'content-length': size }), 0, size, 1024 * 1024, slice);
    }
  } else {
    const found = endpointAnswer(asked);
    if (found instanceof Promise) void found.then((each) => sendAnswer(each, respond));
    else sendAnswer(found, respond);
  }
}

/** As a handler of an endpoint would send it. */
function sendAnswer({ status = 200, type, fields, trailers, content }: Answer, respond: Respond) {
  const isWhole = typeof content === 'string' || Buffer.isBuffer(content);
  const sent = {
    ...(type !== undefined && { 'content-type': type }),
    ...(isWhole && !trailers && { 'content-length': Buffer.byteLength(content) }),
    ...(trailers && { trailer: Object.keys(trailers).join(', ') }),
    ...fields,
  };
  const sink = respond(status, sent, trailers);
  if (isWhole) return void sink.end(content);
  for (const piece of content) sink.write(piece);
  sink.end();
}

const slice = (at: number, length: number): Buffer =>
  pattern.subarray(at % LETTERS.length, (at % LETTERS.length) + length);

type Make = (at: number, length: number) => Buffer;

function send(sink: Writable, from: number, to: number, chunk: number, make: Make): void {
  let at = from;
  while (to - at > chunk) {
    const isTaken = sink.write(make(at, chunk));
    at += chunk;
    if (!isTaken) return void sink.once('drain', () => send(sink, at, to, chunk, make));
  }
  sink.end(make(at, to - at));
}

let accepted = 0;

function connectionOf(socket: Socket, protocol: string): Connection {
  const { remoteAddress = '', remotePort, localAddress = '', localPort } = socket;
  return {
    id: (++accepted).toString(36),
    protocol,
    openedAt: performance.now(),
    remote: `${remoteAddress}:${remotePort}`,
    local: `${localAddress}:${localPort}`,
    requests: 0,
    open: 0,
    tls: protocol.startsWith('https') || protocol === 'h2' ? TLS : undefined,
    http2: protocol.startsWith('h2') ? HTTP2 : undefined,
  };
}

const http1Connections = new WeakMap<Socket, Connection>();

const onRequest =
  (protocol: string) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    const receivedAt = performance.now();
    const { method = '', url = '', headers, rawHeaders, socket } = request;
    const connection = http1Connections.get(socket) ?? connectionOf(socket, protocol);
    http1Connections.set(socket, connection);
    const [number, stream] = [++connection.requests, undefined];
    const message = { method, target: url, headers, rawHeaders, content: request };
    answer({ ...message, receivedAt, connection, number, stream }, (status, fields, trailers) => {
      response.writeHead(status, fields);
      if (trailers) response.addTrailers(trailers);
      return response;
    });
  };

const onSession =
  (protocol: string) =>
  (session: ServerHttp2Session): void => {
    const connection = connectionOf(session.socket, protocol);
    const onStream = (
      stream: ServerHttp2Stream,
      headers: IncomingHttpHeaders,
      _flags: number,
      rawHeaders: string[],
    ): void => {
      const receivedAt = performance.now();
      connection.open++;
      stream.on('error', () => undefined).on('close', () => connection.open--);
      const { ':method': method = '', ':path': target = '' } = headers;
      const message = { method, target, headers, rawHeaders, content: stream };
      const number = ++connection.requests;
      const asked = { ...message, receivedAt, connection, number, stream: stream.id };
      answer(asked, (status, fields, trailers) => {
        if (trailers) stream.once('wantTrailers', () => stream.sendTrailers(trailers));
        stream.respond({ ':status': status, ...fields }, trailers && { waitForTrailers: true });
        return stream;
      });
    };
    session.on('stream', onStream);
  };

const [certFile = '', keyFile = ''] = process.argv.slice(2);
const tls = { cert: readFileSync(certFile), key: readFileSync(keyFile) };
const servers: readonly [string, Server][] = [
  ['http/1.1', createServer(onRequest('http/1.1'))],
  ['https/1.1', https.createServer(tls, onRequest('https/1.1'))],
  ['h2c', http2.createServer().on('session', onSession('h2c'))],
  ['h2', http2.createSecureServer(tls).on('session', onSession('h2'))],
];
const ports = await Promise.all(
  servers.map(async ([protocol, server]) => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return [protocol, (server.address() as AddressInfo).port];
  }),
);
process.stdout.write(`${JSON.stringify(Object.fromEntries(ports))}\n`);
