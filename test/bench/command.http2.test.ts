import { constants, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createHttp2Server } from '../../src/net/http2-sessions.ts';
import { deferDestroy } from '../../src/net/node-internals-http2.ts';
import { runShort, sideOf, VERSION } from './_command.ts';

/** Starts an HTTP/2 server that looks like a wirebin. */
async function startHttp2(respond: (stream: ServerHttp2Stream, path: string) => void) {
  const server = createHttp2Server();
  server.on('session', (session) => deferDestroy(session));
  server.on('stream', (stream, headers) => {
    const path = headers[':path'] ?? '';
    stream.on('error', () => undefined);
    if (path === '/version') {
      stream.respond();
      stream.end(VERSION);
    } else respond(stream, path);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise((resolve) => void server.close(() => resolve())));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('requests that a GOAWAY refuses are sent again', async () => {
  let goaways = 0;
  const url = await startHttp2((stream) => {
    const { session } = stream;
    stream.respond({ 'content-length': 2 });
    stream.end('OK');
    if (session && (stream.id ?? 0) > 4) {
      goaways++;
      session.close();
    }
  });
  const { code, out, report } = await runShort([url, '--only', 'healthz']);
  expect(code, out).toBe(0);
  expect(report?.rows.map(({ protocol }) => protocol)).toEqual(['h2c']);
  expect(goaways).toBeGreaterThan(1);
  expect(sideOf(report).requests).toBeGreaterThan(4);
});

test('streams that are reset are counted', async () => {
  let count = 0;
  const url = await startHttp2((stream) => {
    if (++count % 3 === 0) return stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    stream.respond({ 'content-length': 2 });
    stream.end('OK');
  });
  const { code, out, report } = await runShort([url, '--only', 'healthz']);
  expect(code, out).toBe(1);
  expect(Object.keys(sideOf(report).errors)).toEqual(['stream reset (INTERNAL_ERROR)']);
});

test('streams without a response are timeouts', async () => {
  let count = 0;
  const url = await startHttp2((stream) => {
    if (count++ > 0) return;
    stream.respond();
    stream.end('OK');
  });
  const { code, report } = await runShort([url, '--only', 'healthz', '--timeout', '1']);
  expect(code).toBe(1);
  expect(sideOf(report).errors).toEqual({ timeout: 4 });
});
