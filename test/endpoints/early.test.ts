import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { until } from '../_adapters.ts';
import { alpnOf, isHttp2 } from '../_client.ts';
import { everywhere } from '../_everywhere.ts';
import {
  DATA,
  END_STREAM,
  FrameClient,
  frame,
  get,
  GOAWAY,
  HEADERS,
  post,
  RST_STREAM,
} from '../_frames.ts';
import { converse, GET, LAST, openSocket, POST, statusesOf } from '../_raw.ts';

const NO_ERROR = 0;

function some(size: number): Buffer {
  return frame(DATA, 0, 1, Buffer.alloc(size));
}

everywhere(({ client, running, transport }) => {
  const alpn = alpnOf(transport);

  const open = async () => new FrameClient(await openSocket(running().port, alpn));

  test('the response is that of /status', async () => {
    const { status, headers, body } = await client().request('/early?status=401', {
      method: 'POST',
      body: 'content',
    });
    expect(status).toBe(401);
    expect(headers['www-authenticate']).toBe('Basic realm="wirebin"');
    expect(JSON.parse(body.toString())).toEqual({ status: 401, reason: 'Unauthorized' });
  });

  const QUERIES = ['', '?after=65536', '?after=1', '?then=close'];
  test.each(QUERIES)('without content, and with less than `after`: %s', async (query) => {
    for (const body of [undefined, 'x']) {
      const sent = { method: 'PUT', ...(body !== undefined && { body }) };
      expect((await client().request(`/early${query}`, sent)).status).toBe(413);
    }
  });

  if (!isHttp2(transport))
    describe('HTTP/1.1', () => {
      test('responds after 65536 bytes, and reads the rest; the next request follows', async () => {
        const socket = await openSocket(running().port, alpn);
        const fields = 'Content-Length: 65540\r\n';
        const first = await converse(
          socket,
          POST('/early?after=65536', fields, 'x'.repeat(65_536)),
          (text) => text.endsWith('}\n'),
        );
        expect(first).toMatch(/^HTTP\/1\.1 413 Content Too Large\r\n/);
        expect(first).not.toMatch(/^connection: close/im);
        const rest = await converse(socket, `rest${GET('/healthz', LAST)}`);
        expect(statusesOf(rest)).toEqual([200]);
      });

      test('does not respond before', async () => {
        const socket = await openSocket(running().port, alpn);
        let received = '';
        socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')));
        socket.write(POST('/early?after=10', 'Content-Length: 20\r\n', 'x'.repeat(9)));
        const other = await openSocket(running().port, alpn);
        await converse(other, GET('/delay/0.05', LAST));
        expect(received).toBe('');
        socket.write('x');
        await until(() => received !== '');
      });

      test('RFC 9112 9.6: then=close says so, sends FIN, and reads what still comes', async () => {
        const socket = await openSocket(running().port, alpn);
        const ended = once(socket, 'end');
        const fields = 'Content-Length: 1000000\r\n';
        const received = await converse(
          socket,
          POST('/early?after=10&then=close', fields, 'x'.repeat(20)),
        );
        await ended;
        expect(received).toMatch(/^HTTP\/1\.1 413 .*\r\nConnection: close\r\n.*\}\n$/s);
        // The connection is half-closed, not reset.
        expect(socket.write('x'.repeat(1000))).toBe(true);
        expect(socket.errored).toBeNull();
      });

      test('a malformed chunk before the response is one', async () => {
        const socket = await openSocket(running().port, alpn);
        const fields = 'Transfer-Encoding: chunked\r\n';
        const bytes = POST('/early?after=10&then=close', fields, '2\r\nab\r\nx\r\n');
        expect(statusesOf(await converse(socket, bytes))).toEqual([400]);
      });

      test('then=stop needs a stream', async () => {
        const { status, body } = await client().request('/early?then=stop', { method: 'POST' });
        expect(status).toBe(400);
        expect(JSON.parse(body.toString())).toMatchObject({
          type: '/problems/fault-unavailable',
          detail: expect.stringContaining('HTTP/1.1'),
        });
      });

      test('RFC 9110 10.1.1: no 100 (Continue) with after=0, and one before the rest', async () => {
        const fields = 'Expect: 100-continue\r\nContent-Length: 2\r\n';
        for (const [query, statuses] of [
          ['', [413]],
          ['?after=1', [100, 413]],
        ] as const) {
          const socket = await openSocket(running().port, alpn);
          const received = await converse(socket, POST(`/early${query}`, fields + LAST), (text) => {
            if (text === 'HTTP/1.1 100 Continue\r\n\r\n') socket.write('ab');
            return text.includes('}\n');
          });
          socket.destroy();
          expect(statusesOf(received)).toEqual(statuses);
        }
      });
    });

  if (isHttp2(transport))
    describe('HTTP/2', () => {
      test('responds after 10 bytes, and reads the rest', async () => {
        const frames = await open();
        frames.send(post(1, '/early?after=10'), some(9));
        frames.send(get(3, '/healthz'));
        await until(() => frames.isDone(3));
        expect(frames.got(HEADERS, 1)).toEqual([]);
        frames.send(some(1));
        await until(() => frames.isDone(1));
        frames.send(frame(DATA, END_STREAM, 1, Buffer.alloc(5)), get(5, '/healthz'));
        await until(() => frames.isDone(5));
        expect(frames.got(RST_STREAM)).toEqual([]);
        expect(frames.got(GOAWAY)).toEqual([]);
        expect(JSON.parse(frames.content(1))).toMatchObject({ status: 413 });
      });

      test.each([413, 204, 304])(
        'RFC 9113 8.1: then=stop resets after %d is complete',
        async (status) => {
          const frames = await open();
          frames.send(post(1, `/early?after=10&then=stop&status=${status}`), some(20));
          await until(() => frames.reset(1) !== undefined);
          expect(frames.reset(1)).toBe(NO_ERROR);
          const types = frames.frames.filter(({ stream }) => stream === 1).map(({ type }) => type);
          expect(types[0]).toBe(HEADERS);
          expect(types.at(-1)).toBe(RST_STREAM);
          expect(frames.isDone(1)).toBe(true);
          // DATA that crosses it is ignored; the connection serves on.
          frames.send(some(1000), get(3, '/healthz'));
          await until(() => frames.isDone(3));
          expect(frames.got(GOAWAY)).toEqual([]);
        },
      );

      test('then=stop resets nothing once the content is complete', async () => {
        const frames = await open();
        frames.send(post(1, '/early?then=stop'), frame(DATA, END_STREAM, 1, Buffer.alloc(3)));
        frames.send(get(3, '/delay/0.05'));
        await until(() => frames.isDone(1) && frames.isDone(3));
        expect([undefined, NO_ERROR]).toContain(frames.reset(1));
      });

      test('then=close sends GOAWAY, completes the other streams, and closes', async () => {
        const frames = await open();
        frames.send(post(1, '/early?after=10&then=close'), get(3, '/delay/0.1'), some(20));
        await until(() => frames.ended);
        expect(frames.isDone(1)).toBe(true);
        expect(frames.isDone(3)).toBe(true);
        expect(frames.goaway()).toBe(NO_ERROR);
        expect(frames.got(GOAWAY)[0]?.payload.readUInt32BE()).toBe(3);
      });
    });
});
