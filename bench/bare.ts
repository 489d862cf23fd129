import { createCipheriv, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import http2, { type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import https from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import type { Writable } from 'node:stream';
import { answer as endpointAnswer, type Answer, type Asked } from './endpoints/answers.ts';

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
  const { method, target: url, headers } = asked;
  if (url === '/healthz') {
    respond(200, { 'content-type': 'text/plain', 'content-length': 2 }).end('OK');
  } else if (url === '/anything') {
    const echo = Buffer.from(JSON.stringify(echoOf(method, url, headers), null, 2));
    respond(200, { 'content-type': 'application/json', 'content-length': echo.length }).end(echo);
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

function echoOf(method: string, path: string, headers: IncomingHttpHeaders): object {
  const url = `http://${headers.host ?? headers[':authority']}${path}`;
  const rest = { query: '', args: {}, headers, raw_headers: Object.entries(headers) };
  const body = { body: '', body_encoding: 'utf8', data: '', form: {}, files: {}, json: null };
  const conn = { id: 'x', protocol: 'x', request: 1, age_ms: 1.234, remote: 'x', local: 'x' };
  return { method, http_version: '', url, path, ...rest, origin: '127.0.0.1', ...body, conn };
}

const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
  const { method = '', url = '', headers, rawHeaders } = request;
  const asked = { method, target: url, headers, rawHeaders, content: request };
  answer(asked, (status, fields, trailers) => {
    response.writeHead(status, fields);
    if (trailers) response.addTrailers(trailers);
    return response;
  });
};

const onStream = (
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  _flags: number,
  rawHeaders: string[],
): void => {
  stream.on('error', () => undefined);
  const { ':method': method = '', ':path': target = '' } = headers;
  answer({ method, target, headers, rawHeaders, content: stream }, (status, fields, trailers) => {
    if (trailers) stream.once('wantTrailers', () => stream.sendTrailers(trailers));
    stream.respond({ ':status': status, ...fields }, trailers && { waitForTrailers: true });
    return stream;
  });
};

const [certFile = '', keyFile = ''] = process.argv.slice(2);
const tls = { cert: readFileSync(certFile), key: readFileSync(keyFile) };
const servers: readonly [string, Server][] = [
  ['http/1.1', createServer(onRequest)],
  ['https/1.1', https.createServer(tls, onRequest)],
  ['h2c', http2.createServer().on('stream', onStream)],
  ['h2', http2.createSecureServer(tls).on('stream', onStream)],
];
const ports = await Promise.all(
  servers.map(async ([protocol, server]) => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return [protocol, (server.address() as AddressInfo).port];
  }),
);
process.stdout.write(`${JSON.stringify(Object.fromEntries(ports))}\n`);
