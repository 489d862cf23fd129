import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parsed } from '../_echo.ts';
import { everywhere } from '../_everywhere.ts';
import { converse, LAST, openSocket } from '../_raw.ts';
import { startService, type Running } from '../_service.ts';

type View = Record<string, unknown>;

everywhere(({ client, transport }) => {
  if (transport.endsWith('1.1')) {
    test("the first request's head as it came, and none of a later one", async () => {
      const { http1 } = parsed(await client().request('/http1', { headers: { 'X-OdD': '1' } }));
      const { raw_head: head, field_names: names } = http1 as { raw_head: string; field_names: [] };
      expect(names).toContain('X-OdD');
      expect(Buffer.from(head, 'base64').toString()).toMatch(
        /^GET \/http1 HTTP\/1\.1\r\nX-OdD: 1\r\n(?:.+\r\n)*\r\n$/,
      );
      expect(parsed(await client().request('/http1'))).toMatchObject({
        http1: {
          version: 'HTTP/1.1',
          raw_head: null,
          reason: "only the connection's first request is kept as it came",
        },
      });
    });
    return;
  }

  test('says why there is nothing to tell', async () => {
    expect(parsed(await client().request('/http1'))).toEqual({
      http1: null,
      reason: 'the request came by HTTP/2.0',
    });
  });
});

describe.each([
  ['in clear', undefined],
  ['over TLS', ['http/1.1']],
])('%s', (_, alpn) => {
  let running: Running;
  beforeAll(async () => {
    running = await startService();
  });
  afterAll(() => running.service.close());

  /** The story of the last request of these pieces, written a moment apart. */
  async function storyOf(...pieces: readonly string[]): Promise<View> {
    const socket = await openSocket(running.port, alpn);
    const [first = '', ...more] = pieces;
    const answer = converse(socket, first);
    for (const piece of more) {
      await pause(20);
      socket.write(piece, 'latin1');
    }
    const text = await answer;
    socket.destroy();
    return (JSON.parse(text.slice(text.lastIndexOf('\r\n\r\n'))) as { http1: View }).http1;
  }

  test('empty lines before it, white space and obs-text are shown (RFC 9112 2.2, 5)', async () => {
    const head = `\r\nGET /http1 HTTP/1.1\r\nHOST:x\r\nb: \t1 \r\na:\xe9\r\n${LAST}\r\n`;
    const story = await storyOf(head);
    expect(decoded(story)).toBe(head);
    expect(story['field_names']).toEqual(['HOST', 'b', 'a', 'Connection']);
  });

  test('content behind it is not part of it', async () => {
    const head = `GET /http1 HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n${LAST}\r\n`;
    expect(decoded(await storyOf(`${head}\r\n\r\nab`))).toBe(head);
  });

  test('HTTP/1.0', async () => {
    const head = 'GET /http1 HTTP/1.0\r\n\r\n';
    const story = await storyOf(head);
    expect(story).toMatchObject({ version: 'HTTP/1.0', field_names: [] });
    expect(decoded(story)).toBe(head);
  });

  test('a head in pieces is not at hand', async () => {
    expect(await storyOf('GET /http1 HT', `TP/1.1\r\nHost: x\r\n${LAST}\r\n`)).toEqual({
      version: 'HTTP/1.1',
      field_names: ['Host', 'Connection'],
      raw_head: null,
      reason: 'the head came in several pieces, or has more than 8 KiB',
    });
  });

  test('a head of more than 8 KiB is not', async () => {
    const start = 'GET /http1 HTTP/1.1\r\nHost: x\r\n';
    const fits = start + fill(8192 - start.length - fill(0).length);
    expect(decoded(await storyOf(fits))).toBe(fits);
    expect((await storyOf(fits.replace('xx', 'xxx')))['raw_head']).toBeNull();
  });

  test('a pipelined second request has none', async () => {
    const first = 'GET /http1 HTTP/1.1\r\nHost: x\r\n\r\n';
    expect((await storyOf(first + first.replace('\r\n\r\n', `\r\n${LAST}\r\n`)))['raw_head']).toBe(
      null,
    );
  });

  test('a client that closes its side behind the request gets its answer', async () => {
    const socket = await openSocket(running.port, alpn);
    const answer = converse(socket, `GET /http1 HTTP/1.1\r\nHost: x\r\n\r\n`);
    socket.end();
    expect(await answer).toMatch(/^HTTP\/1\.1 200 /);
    socket.destroy();
  });
});

function decoded({ raw_head: head }: View): string {
  return Buffer.from(String(head), 'base64').toString('latin1');
}

/** The end of a head, with a field of that many bytes. */
function fill(length: number): string {
  return `X: ${'x'.repeat(length)}\r\n${LAST}\r\n`;
}
