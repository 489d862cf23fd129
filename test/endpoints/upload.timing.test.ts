import { createHash } from 'node:crypto';
import http from 'node:http';
import type { ClientHttp2Stream } from 'node:http2';
import https from 'node:https';
import type { Duplex, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { connectHttp2 } from '../../src/net/http2-sessions.ts';
import { until } from '../_adapters.ts';
import type { Transport } from '../_client.ts';
import { overBothProtocols } from '../_everywhere.ts';
import { converse, openSocket, POST } from '../_raw.ts';

const MiB = 1024 * 1024;
const SIZES = ['--max-body-size=1000', `--max-upload-size=${8 * MiB}`];
/** The request timeout in milliseconds, where it is tested. */
const TIME = 400;
const LIMITS = { requestTimeout: TIME, sweepInterval: 20, lingerTime: 100 };

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** A POST to /upload on a new connection; the test sends the content. */
interface Upload {
  readonly sink: Writable;
  readonly answer: Promise<Answer>;
  readonly close: () => void;
}

function begin(transport: Transport, port: number, fields: Record<string, string> = {}): Upload {
  return transport.endsWith('1.1')
    ? beginHttp1(transport, port, fields)
    : beginHttp2(transport, port, fields);
}

function beginHttp1(transport: Transport, port: number, headers: Record<string, string>): Upload {
  const { request } = transport === 'http/1.1' ? http : https;
  const target = { host: '127.0.0.1', port, path: '/upload?a=b', method: 'POST' };
  const sink = request({ ...target, agent: false, rejectUnauthorized: false, headers });
  sink.on('error', () => undefined);
  const answer = new Promise<http.IncomingMessage>((resolve) => {
    sink.once('response', resolve);
  }).then(async (incoming) => answerOf(incoming.statusCode, await text(incoming)));
  return { sink, answer, close: () => sink.destroy() };
}

function beginHttp2(transport: Transport, port: number, fields: Record<string, string>): Upload {
  const scheme = transport === 'h2' ? 'https' : 'http';
  const session = connectHttp2(`${scheme}://127.0.0.1:${port}`, { rejectUnauthorized: false });
  session.on('error', () => undefined);
  const sink: Duplex & ClientHttp2Stream = session.request({
    ':method': 'POST',
    ':path': '/upload?a=b',
    ...fields,
  });
  sink.on('error', () => undefined);
  const answer = new Promise<number | undefined>((resolve) => {
    sink.once('response', (headers) => resolve(headers[':status']));
  }).then(async (status) => answerOf(status, await text(sink)));
  return { sink, answer, close: () => session.destroy() };
}

function answerOf(status = 0, body = ''): Answer {
  return { status, body: JSON.parse(body) as Record<string, unknown> };
}

function digest(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

overBothProtocols(({ client, running, transport }) => {
  test.each(['POST', 'PUT', 'PATCH'])('%s reports what was received', async (method) => {
    const content = 'x'.repeat(5000);
    const { status, body } = await client().request('/upload?a=1&a=2', {
      method,
      headers: { 'x-a': 'b' },
      body: content,
    });
    expect(status).toBe(200);
    const answer = JSON.parse(body.toString()) as Record<string, unknown>;
    expect(answer).toMatchObject({
      method,
      url: expect.stringMatching(/\/upload\?a=1&a=2$/) as unknown,
      args: { a: ['1', '2'] },
      headers: { 'x-a': 'b' },
      origin: '127.0.0.1',
      bytes_received: 5000,
      sha256: digest(content),
    });
    expect(answer['chunks']).toBeGreaterThanOrEqual(1);
    const { first_byte_ms: first, last_byte_ms: last, duration_ms: all } = timingOf(answer);
    expect(first).toBeLessThanOrEqual(last ?? -1);
    expect(last).toBeLessThanOrEqual(all ?? -1);
  });

  test('empty content', async () => {
    const { body } = await client().request('/upload', { method: 'POST' });
    expect(JSON.parse(body.toString())).toMatchObject({
      bytes_received: 0,
      sha256: digest(''),
      chunks: 0,
      timing: { first_byte_ms: null, last_byte_ms: null },
    });
  });

  test('the times of the first byte and of the last', async () => {
    const { sink, answer } = begin(transport, running().port);
    sink.write('a');
    await pause(300);
    sink.write('b');
    await pause(300);
    sink.end();
    const { status, body } = await answer;
    expect(status).toBe(200);
    expect(body).toMatchObject({ bytes_received: 2, sha256: digest('ab'), chunks: 2 });
    const { first_byte_ms: first, last_byte_ms: last, duration_ms: all } = timingOf(body);
    expect((last ?? 0) - (first ?? 0)).toBeGreaterThan(150);
    expect((all ?? 0) - (last ?? 0)).toBeGreaterThan(150);
  });

  test('--max-upload-size is the limit, --max-body-size is not', async () => {
    const piece = Buffer.alloc(MiB, 'y');
    const hash = createHash('sha256');
    const { sink, answer } = begin(transport, running().port);
    for (let sent = 0; sent < 8; sent++) {
      hash.update(piece);
      sink.write(piece);
    }
    sink.end();
    const { status, body } = await answer;
    expect(status).toBe(200);
    expect(body).toMatchObject({ bytes_received: 8 * MiB, sha256: hash.digest('hex') });
  });

  test('RFC 9110 15.5.14: one byte more is 413', async () => {
    const { sink, answer } = begin(transport, running().port);
    sink.write(Buffer.alloc(8 * MiB));
    sink.end('z');
    const { status, body } = await answer;
    expect(status).toBe(413);
    expect(body['detail']).toBe(
      `the content exceeds the limit of ${8 * MiB} bytes; --max-upload-size sets it`,
    );
  });

  test('100 is not sent if Content-Length exceeds the limit', async () => {
    const fields = { 'content-length': String(8 * MiB + 1), expect: '100-continue' };
    const { sink, answer } = begin(transport, running().port, fields);
    let continues = 0;
    sink.on('continue', () => continues++);
    // Node sends the header section of HTTP/1.1 with the first bytes.
    if ('flushHeaders' in sink && typeof sink.flushHeaders === 'function') sink.flushHeaders();
    expect((await answer).status).toBe(413);
    expect(continues).toBe(0);
  });

  test('a client that disconnects during the upload is not an internal error', async () => {
    const { sink, close } = begin(transport, running().port);
    sink.write('a');
    await pause(100);
    close();
    await pause(100);
    expect(running().logged.filter(({ err }) => err !== undefined)).toEqual([]);
  });
}, SIZES);

overBothProtocols(({ running, transport }) => {
  describe.concurrent('--request-timeout', () => {
    test.concurrent('content that arrives steadily may take longer', async () => {
      const { sink, answer } = begin(transport, running().port);
      const piece = Buffer.alloc(MiB / 2);
      const start = performance.now();
      let sent = 0;
      for (; performance.now() - start < 4.5 * TIME; sent++) {
        sink.write(piece);
        await pause(TIME / 8);
      }
      sink.end();
      const { status, body } = await answer;
      expect([status, body['bytes_received']]).toEqual([200, (sent * MiB) / 2]);
    });

    test.concurrent('steady and then slow: 408 when the renewed deadline passes', async () => {
      const { sink, answer } = begin(transport, running().port);
      sink.write(Buffer.alloc(2 * MiB));
      const start = performance.now();
      const timer = setInterval(() => sink.write('x'), TIME / 10);
      const { status, body } = await answer;
      const time = performance.now() - start;
      clearInterval(timer);
      expect([status, body['type']]).toEqual([408, '/problems/request-timeout']);
      expect(time).toBeGreaterThan(1.9 * TIME);
      expect(time).toBeLessThan(6 * TIME);
    });

    test.concurrent('content that trickles in gets 408', async () => {
      const { sink, answer } = begin(transport, running().port);
      const start = performance.now();
      const timer = setInterval(() => sink.write('x'), TIME / 20);
      const { status } = await answer;
      clearInterval(timer);
      expect(status).toBe(408);
      expect(performance.now() - start).toBeLessThan(4 * TIME);
    });
  });

  test.runIf(transport === 'http/1.1')('the next request has its own deadline', async () => {
    const socket = await openSocket(running().port);
    const content = 'x'.repeat(2 * MiB);
    const fields = `Content-Length: ${2 * MiB + 1}\r\n`;
    const upload = converse(socket, POST('/upload', fields, content), (answer) =>
      answer.includes('sha256'),
    );
    await pause(1.9 * TIME);
    socket.write('x');
    expect(await upload).toMatch(/^HTTP\/1\.1 200 /);
    // Slow, then complete: the renewed deadline of the upload no longer applies.
    const next = converse(socket, POST('/anything', 'Content-Length: 2\r\n', 'a'), (answer) =>
      answer.includes('HTTP/1.1 408'),
    );
    await next;
    await until(() => socket.readableEnded || socket.destroyed);
  });
}, LIMITS);

function timingOf(answer: Record<string, unknown>): Record<string, number | undefined> {
  return answer['timing'] as Record<string, number | undefined>;
}
