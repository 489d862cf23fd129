import { describe, expect, test } from 'vitest';
import { until } from '../_adapters.ts';
import { alpnOf, isHttp2 } from '../_client.ts';
import { everywhere } from '../_everywhere.ts';
import { DATA, END_STREAM, FrameClient, frame, HEADERS, post, type Frame } from '../_frames.ts';
import { converse, exchange, openSocket, POST, statusesOf } from '../_raw.ts';

const EXPECT = 'Expect: 100-continue\r\nContent-Length: 2\r\n';
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';

interface Report {
  readonly expect: string | null;
  readonly continue_ms: number | null;
  readonly bytes_received: number;
}

function report(content: string): Report {
  return JSON.parse(content) as Report;
}

/** Whether a response with JSON has been received to its end. */
const isWhole = (text: string): boolean => text.endsWith('}\n');

function sections(frames: FrameClient): Frame[] {
  return frames.got(HEADERS, 1);
}

everywhere(({ client, running, transport }) => {
  const alpn = alpnOf(transport);

  /** Sends the request, and its content at 100 (Continue). */
  const ask = async (path: string, isDone?: (text: string) => boolean) => {
    const socket = await openSocket(running().port, alpn);
    const received = await converse(socket, POST(path, EXPECT), (text) => {
      if (text === CONTINUE) socket.write('ab');
      return isDone?.(text) ?? false;
    });
    return { socket, received };
  };

  const open = async (path: string) => {
    const frames = new FrameClient(await openSocket(running().port, alpn));
    frames.send(post(1, path, ['expect', '100-continue']));
    return frames;
  };

  test.each(['continue', 'ignore'])('then=%s, unexpected: the content is read', async (then) => {
    const sent = { method: 'POST', body: 'content' };
    const { status, body } = await client().request(`/expect?then=${then}`, sent);
    expect(status).toBe(200);
    expect(report(body.toString())).toMatchObject({
      method: 'POST',
      expect: null,
      bytes_received: 7,
      continue_ms: then === 'continue' ? expect.any(Number) : null,
    });
  });

  test.each([
    ['refuse', 417],
    ['final&status=503', 503],
    ['final', 200],
    ['final&status=204', 204],
    ['continue-final&status=413', 413],
  ])('then=%s, unexpected: %d', async (then, expected) => {
    const sent = { method: 'PUT', body: 'content' };
    const { status } = await client().request(`/expect?then=${then}`, sent);
    expect(status).toBe(expected);
  });

  test.each(['continue', 'ignore', 'refuse', 'final', 'continue-final'])(
    'the delay of then=%s',
    async (then) => {
      const start = performance.now();
      await client().request(`/expect?then=${then}&delay=0.06`, { method: 'POST', body: 'x' });
      expect(performance.now() - start).toBeGreaterThan(59);
    },
  );

  if (isHttp2(transport))
    test('length is not for HTTP/2', async () => {
      const { status } = await client().request('/expect?length', { method: 'POST', body: 'x' });
      expect(status).toBe(400);
    });
  else
    describe('HTTP/1.1 with Expect: 100-continue', () => {
      test('then=continue: 100 after the delay, then the response', async () => {
        const start = performance.now();
        const { socket, received } = await ask('/expect?delay=0.1', (text) => text.endsWith('}\n'));
        expect(performance.now() - start).toBeGreaterThan(99);
        expect(received.startsWith(`${CONTINUE}HTTP/1.1 200 OK\r\n`)).toBe(true);
        expect(statusesOf(received)).toEqual([100, 200]);
        const { continue_ms: sentAt, ...rest } = report(received.slice(received.indexOf('{')));
        expect(rest).toMatchObject({ expect: '100-continue', bytes_received: 2 });
        expect(sentAt).toBeGreaterThan(99);
        // The connection stays usable.
        const next = await converse(socket, POST('/expect?then=final', ''), (t) =>
          t.endsWith('}\n'),
        );
        expect(statusesOf(next)).toEqual([200]);
      });

      test('then=continue-final: 100, then the status, and the content is discarded', async () => {
        const socket = await openSocket(running().port, alpn);
        const asked = POST('/expect?then=continue-final&status=413', EXPECT);
        const received = await converse(socket, asked, isWhole);
        expect(received.startsWith(`${CONTINUE}HTTP/1.1 413 `)).toBe(true);
        socket.write('ab');
        const next = await converse(socket, POST('/expect?then=final', ''), isWhole);
        expect(statusesOf(next)).toEqual([200]);
      });

      test('length: Content-Length: 0 in 100', async () => {
        const socket = await openSocket(running().port, alpn);
        const received = await converse(socket, POST('/expect?length', EXPECT, 'ab'), (text) =>
          text.endsWith('}\n'),
        );
        const interim = 'HTTP/1.1 100 Continue\r\nContent-Length: 0\r\n\r\n';
        expect(received.startsWith(`${interim}HTTP/1.1 200 OK\r\n`)).toBe(true);
        expect(report(received.slice(received.indexOf('{'))).bytes_received).toBe(2);
      });

      test('then=ignore: no 100; the connection stays usable if the content comes', async () => {
        const socket = await openSocket(running().port, alpn);
        let received = '';
        socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')));
        socket.write(POST('/expect?then=ignore', EXPECT));
        await client().request('/delay/0.05');
        expect(received).toBe('');
        const response = await converse(socket, 'ab', (text) => text.endsWith('}\n'));
        expect(statusesOf(response)).toEqual([200]);
        expect(response).not.toMatch(/^connection: close/im);
        expect(report(response.slice(response.indexOf('{')))).toMatchObject({
          continue_ms: null,
          bytes_received: 2,
        });
      });

      test.each([
        ['refuse', 417],
        ['final', 200],
        ['final&status=401', 401],
      ])('RFC 9110 10.1.1: then=%s sends %d at once, and closes', async (then, status) => {
        const { received } = await ask(`/expect?then=${then}`);
        expect(statusesOf(received)).toEqual([status]);
        expect(received).toMatch(/\r\nConnection: close\r\n/);
      });

      test('HTTP/1.0 gets no 100', async () => {
        const request = POST('/expect', EXPECT, 'ab').replace('1.1', '1.0');
        const received = await exchange(running().port, request, alpn);
        expect(statusesOf(received)).toEqual([200]);
        expect(report(received.slice(received.indexOf('{'))).continue_ms).toBeNull();
      });
    });

  if (isHttp2(transport))
    describe('HTTP/2 with expect: 100-continue', () => {
      const content = frame(DATA, END_STREAM, 1, Buffer.from('ab'));

      test('then=continue: HEADERS without END_STREAM, once', async () => {
        const frames = await open('/expect');
        await until(() => sections(frames).length === 1);
        expect((sections(frames)[0]?.flags ?? 0) & END_STREAM).toBe(0);
        frames.send(content);
        await until(() => frames.isDone(1));
        expect(sections(frames)).toHaveLength(2);
        expect(report(frames.content(1))).toMatchObject({
          expect: '100-continue',
          continue_ms: expect.any(Number),
          bytes_received: 2,
        });
      });

      test('then=ignore: nothing until the content has come', async () => {
        const frames = await open('/expect?then=ignore');
        await client().request('/delay/0.05');
        expect(sections(frames)).toEqual([]);
        frames.send(content);
        await until(() => frames.isDone(1));
        expect(sections(frames)).toHaveLength(1);
        expect(report(frames.content(1))).toMatchObject({ continue_ms: null, bytes_received: 2 });
      });

      test.each(['refuse', 'final'])('then=%s: the response, before any content', async (then) => {
        const frames = await open(`/expect?then=${then}`);
        await until(() => frames.isDone(1));
        expect(sections(frames)).toHaveLength(1);
      });
    });
});
