import { once } from 'node:events';
import type {
  IncomingHttpHeaders,
  IncomingHttpStatusHeader,
  OutgoingHttpHeaders,
} from 'node:http2';
import { describe, expect, test } from 'vitest';
import { informational } from '../../src/endpoints/informational.ts';
import { connectHttp2 } from '../../src/net/http2-sessions.ts';
import { until } from '../_adapters.ts';
import { run } from '../_dispatch.ts';
import { everywhere } from '../_everywhere.ts';
import { FakeExchange } from '../_exchange.ts';
import { isHttp2, isSecure } from '../_client.ts';
import { converse, exchange, GET, LAST, openSocket, POST } from '../_raw.ts';
import { expectRefused } from '../_refusal.ts';

const LINK = '%3C/a.css%3E%3B%20rel%3Dpreload';

/** The field sections of the responses on a stream of a session of its own, status and `link` of each. */
async function sections(
  port: number,
  secure: boolean,
  path: string,
  sent: OutgoingHttpHeaders = {},
): Promise<(readonly [status: number | undefined, link: unknown])[]> {
  const session = connectHttp2(`${secure ? 'https' : 'http'}://127.0.0.1:${port}`, {
    rejectUnauthorized: false,
  });
  const received: (readonly [number | undefined, unknown])[] = [];
  const stream = session.request({ ':path': path, ...sent });
  const add = (headers: IncomingHttpHeaders & IncomingHttpStatusHeader): void => {
    received.push([headers[':status'], headers['link']]);
  };
  stream.on('headers', add).on('response', add).resume().end();
  await once(stream, 'close');
  session.close();
  return received;
}

everywhere(({ client, running, transport }) => {
  const alpn = isSecure(transport) ? ['http/1.1'] : undefined;
  const ask = async (bytes: string) => exchange(running().port, bytes, alpn);

  test('the echo is the final response', async () => {
    const { status, body } = await client().request(`/informational/103?link=${LINK}`, {
      method: 'POST',
      body: 'content',
    });
    expect(status).toBe(200);
    expect(JSON.parse(body.toString())).toMatchObject({
      method: 'POST',
      path: '/informational/103',
      args: { link: '</a.css>; rel=preload' },
      data: 'content',
    });
  });

  if (!isHttp2(transport))
    describe('RFC 9112 4: byte by byte', () => {
      test('several codes in order, repeated, with repeated fields', async () => {
        const path = `/informational/103,102?count=2&link=${LINK}&link=b&X-Y=%E9`;
        const received = await ask(GET(path, LAST));
        const fields = 'link: </a.css>; rel=preload\r\nlink: b\r\nX-Y: \xe9\r\n\r\n';
        const both = `HTTP/1.1 103 Early Hints\r\n${fields}HTTP/1.1 102 Processing\r\n${fields}`;
        expect(received.slice(0, 2 * both.length)).toBe(both + both);
        expect(received.slice(2 * both.length)).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
      });

      test('unregistered codes', async () => {
        const received = await ask(GET('/informational/199,105', LAST));
        expect(received).toMatch(
          /^HTTP\/1\.1 199 unknown\r\n\r\nHTTP\/1\.1 105 unknown\r\n\r\nHTTP\/1\.1 200 OK\r\n/,
        );
      });

      test('pipelined, after the response before; the connection stays usable', async () => {
        const bytes = GET('/delay/0.05') + GET('/informational/103') + GET('/healthz', LAST);
        expect((await ask(bytes)).match(/HTTP\/1\.1 \d+/g)).toEqual(
          [200, 103, 200, 200].map((status) => `HTTP/1.1 ${status}`),
        );
      });

      test('RFC 9110 10.1.1: 100 (Continue) first if the client expects it', async () => {
        const fields = `Expect: 100-continue\r\nContent-Length: 2\r\n${LAST}`;
        const socket = await openSocket(running().port, alpn);
        const received = await converse(socket, POST('/informational/103', fields), (text) => {
          if (text === 'HTTP/1.1 100 Continue\r\n\r\n') socket.write('ab');
          return false;
        });
        socket.destroy();
        expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(
          [100, 103, 200].map((status) => `HTTP/1.1 ${status}`),
        );
      });

      test('RFC 9110 15.2: HTTP/1.0 gets the echo alone, at once', async () => {
        const received = await ask('GET /informational/103?count=9&interval=5 HTTP/1.0\r\n\r\n');
        expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
        expect(received.match(/HTTP\/1\.1 \d+ /g)).toHaveLength(1);
      });
    });

  if (isHttp2(transport))
    describe('RFC 9113 8.1: HEADERS without END_STREAM', () => {
      const secure = isSecure(transport);
      test('several codes in order, repeated', async () => {
        const path = `/informational/103,102,199?count=2&link=${LINK}`;
        const link = '</a.css>; rel=preload';
        const round = [103, 102, 199].map((status) => [status, link]);
        const received = await sections(running().port, secure, path);
        expect(received).toEqual([...round, ...round, [200, undefined]]);
      });

      test('a repeated field', async () => {
        const received = await sections(running().port, secure, '/informational/103?link=a&link=b');
        expect(received[0]).toEqual([103, 'a, b']);
      });

      test('RFC 9110 10.1.1: one 100 (Continue) if the client expects it', async () => {
        const sent = { ':method': 'POST', expect: '100-continue' };
        const received = await sections(running().port, secure, '/informational/103', sent);
        expect(received.map(([status]) => status)).toEqual([100, 103, 200]);
      });
    });

  test('every code that there is', async () => {
    const codes = Array.from({ length: 100 }, (_, at) => 100 + at).filter((code) => code !== 101);
    const target = `/informational/${codes.join(',')}`;
    if (isHttp2(transport)) {
      const received = await sections(running().port, isSecure(transport), target);
      expect(received.map(([status]) => status)).toEqual([...codes, 200]);
    } else {
      const received = await ask(GET(target, LAST));
      const statuses = [...received.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, code]) => Number(code));
      expect(statuses).toEqual([...codes, 200]);
    }
  });

  test('the interval follows each', async () => {
    const start = performance.now();
    const { status } = await client().request('/informational/103?count=3&interval=0.05');
    expect(status).toBe(200);
    expect(performance.now() - start).toBeGreaterThan(149);
  });

  test('count=0 is the echo alone', async () => {
    expect((await client().request('/informational/103?count=0')).status).toBe(200);
  });

  test.each([
    ['101', 'codes=101 has 101, after which the protocol changes'],
    ['103,101', 'codes=103,101 has 101, after which the protocol changes'],
    ['200', 'codes=200 exceeds the maximum of 199'],
    ['103,', 'codes=103, has an empty element'],
    ['1e2', 'codes=1e2 is not a whole decimal number'],
    ['103,102?count=51', 'count=51 gives 102 responses, more than 100'],
    [`${'103,'.repeat(100)}103`, 'count=1 gives 101 responses, more than 100'],
    ['103?count=100&interval=4', 'interval=4 exceeds 300 seconds in all'],
    [
      '103?connection=close',
      'connection cannot be set: it affects message framing or the connection',
    ],
    ['103?a=1%0D%0A', 'a=1\r\n is not a field value'],
    ['103?date=1&date=2', 'date is given more than once, but has a single value'],
    [
      `103?count=100&a=${'x'.repeat(1000)}`,
      '100 responses with 1033 bytes of fields exceed 65536 bytes',
    ],
  ])('rejects %s', async (rest, detail) => {
    await expectRefused(client(), `/informational/${rest}`, detail);
  });
});

test('each interim response waits until the one before has been written', async () => {
  const waiting: (() => void)[] = [];
  const asked = new FakeExchange('/informational/100?count=3');
  asked.sendLarge = (send) => void waiting.push(send);
  const ended = run(asked, [informational(1)]);
  for (let sent = 0; sent < 3; sent++) {
    await until(() => waiting.length > 0);
    expect(asked.continuesSent).toBe(sent);
    waiting.shift()?.();
  }
  expect((await ended).sent?.status).toBe(200);
});
