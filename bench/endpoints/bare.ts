import { createServer } from 'node:http';
import http2, { type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo, Server } from 'node:net';
import { answer, type Answer } from './answers.ts';

// The baseline: each answer as a handler of node:http and of node:http2's streams would send it.

const isWhole = (content: Answer['content']): content is string | Buffer =>
  typeof content === 'string' || Buffer.isBuffer(content);

function fieldsOf({ content, type, fields, trailers }: Answer): Record<string, string | number> {
  const framed = isWhole(content) && !trailers;
  return {
    ...(type !== undefined && { 'content-type': type }),
    ...(framed && { 'content-length': Buffer.byteLength(content) }),
    ...(trailers && { trailer: Object.keys(trailers).join(', ') }),
    ...fields,
  };
}

const clear = createServer((request, response) => {
  const { method = '', url = '', headers, rawHeaders } = request;
  const asked = { method, target: url, headers, rawHeaders, content: request };
  const send = (found: Answer): void => {
    response.writeHead(found.status ?? 200, fieldsOf(found));
    if (found.trailers) response.addTrailers(found.trailers);
    if (isWhole(found.content)) return void response.end(found.content);
    for (const piece of found.content) response.write(piece);
    response.end();
  };
  const found = answer(asked);
  if (found instanceof Promise) void found.then(send).catch(() => undefined);
  else send(found);
});

const onStream = (
  stream: ServerHttp2Stream,
  headers: http2.IncomingHttpHeaders,
  _flags: number,
  rawHeaders: string[],
): void => {
  stream.on('error', () => undefined);
  const asked = {
    method: headers[':method'] ?? '',
    target: headers[':path'] ?? '',
    headers,
    rawHeaders,
    content: stream,
  };
  const send = (found: Answer): void => {
    const fields = { ':status': found.status ?? 200, ...fieldsOf(found) };
    const { trailers } = found;
    if (trailers) stream.once('wantTrailers', () => stream.sendTrailers(trailers));
    stream.respond(fields, { waitForTrailers: trailers !== undefined });
    if (isWhole(found.content)) return void stream.end(found.content);
    for (const piece of found.content) stream.write(piece);
    stream.end();
  };
  const found = answer(asked);
  if (found instanceof Promise) void found.then(send).catch(() => undefined);
  else send(found);
};

const servers: readonly [string, Server][] = [
  ['http/1.1', clear],
  ['h2c', http2.createServer().on('stream', onStream)],
];
const ports = await Promise.all(
  servers.map(async ([protocol, server]) => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return [protocol, (server.address() as AddressInfo).port];
  }),
);
process.stdout.write(`${JSON.stringify(Object.fromEntries(ports))}\n`);
