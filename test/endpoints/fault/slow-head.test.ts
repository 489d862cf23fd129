import { describe, expect, test } from 'vitest';
import { until } from '../../_adapters.ts';
import { isHttp2, isSecure, openClient, transports } from '../../_client.ts';
import { observe, outcomeOf } from '../../_ending.ts';
import { sharedPlace } from '../../_everywhere.ts';
import { differs } from '../../_engine.ts';
import * as h2 from '../../_frames.ts';
import { GET, LAST } from '../../_raw.ts';
import { fieldsOf } from '../../protocols/http2/faults/_observed.ts';

/** Bytes a second: so many that a test is short, and so few that each has a timer of its own. */
const RATE = 500;

describe.each(transports)('over %s', (transport) => {
  const { running, client } = sharedPlace(transport, '--max-duration', '100', '--tap');
  const secure = isSecure(transport);
  const refused = async (target: string): Promise<string> => {
    const { status, body } = await client().request(target);
    expect(status).toBe(400);
    return body.toString();
  };

  test.each([
    `/fault/slow-head?rate=${RATE}&length=26&status=503`,
    `/respond?body=abcdefghijklmnopqrstuvwxyz&status=503&fault=slow-head,rate=${RATE}`,
  ])('%s: a head byte by byte, then the content', async (target) => {
    const alpn = isHttp2(transport) ? 'h2' : 'http/1.1';
    const { tcp, socket, received } = observe(running().port, secure, alpn);
    const sizes: number[] = [];
    socket.on('data', ({ length }: Buffer) => sizes.push(length));
    const start = performance.now();
    let head = 0;
    if (isHttp2(transport)) {
      const frames = new h2.FrameClient(socket);
      frames.send(h2.get(1, target));
      await until(() => frames.isDone(1));
      head = frames.got(h2.HEADERS, 1)[0]?.payload.length ?? 0;
      expect(fieldsOf(frames)[0]?.[0]).toEqual([':status', '503']);
      expect(frames.content(1)).toBe('abcdefghijklmnopqrstuvwxyz');
    } else {
      socket.write(GET(target));
      await until(() => received().toString().endsWith('xyz'));
      head = received().indexOf('\r\n\r\n') + 4;
      expect(received().toString()).toMatch(/^HTTP\/1\.1 503 .*\r\nContent-Length: 26\r\n/s);
    }
    const seconds = (performance.now() - start) / 1000;
    expect(head).toBeGreaterThan(80);
    expect(seconds).toBeGreaterThan((head - 1) / RATE);
    // Pieces that the machine was late for come together.
    expect(sizes.length).toBeGreaterThan(20);
    tcp.destroy();
  });

  test.each([
    ['HEAD', '/fault/slow-head?rate=5000', 200],
    ['GET', '/fault/slow-head?rate=5000&status=204', 204],
  ])('%s %s has no content', async (method, target, expected) => {
    const own = openClient(transport, running().port);
    const { status, body } = await own.request(target, { method });
    own.close();
    expect([status, body.length]).toEqual([expected, 0]);
  });

  test.each([
    ['/fault/slow-head?rate=0', 'rate=0 is below the minimum of 1'],
    ['/fault/slow-head?rate=1', 's for'],
    ['/fault/slow-head?rat=1', 'did you mean rate?'],
    ['/respond?body=a&fault=slow-head@50%25', 'has a position, which this fault does not have'],
    ['/respond?body=a&fault=slow-head,length=3', 'length is not a parameter of fault=slow-head'],
    ['/respond?body=a&fault=slow-hed', 'fault=slow-hed is not one of'],
  ])('%s: 400', async (target, detail) => {
    expect(await refused(target)).toContain(detail);
  });

  if (isHttp2(transport)) {
    const unavailable: [target: string, detail: string][] = [
      ['/fault/slow-head?length=16385', 'with 16385 bytes of content; the maximum is 16384'],
      ['/respond?body=ab&duration=1&fault=slow-head', 'on HTTP/2 the content has a length'],
      ['/respond?body=ab&chunk=1&fault=slow-head', 'on HTTP/2 the content has a length'],
    ];
    test.each([
      ['/fault/slow-head?rate=3', 'the maximum is 30 s'],
      ...(differs('`/fault/slow-head`') ? [] : unavailable),
    ])('%s is not available', async (target, detail) => {
      expect(await refused(target)).toContain(detail);
    });

    test.each([
      [11, differs('`/fault/slow-head`') ? '200' : '400'],
      [10, '200'],
    ])('%i bytes of content for a window of 10: %s', async (length, status) => {
      const { tcp, socket } = observe(running().port, secure, 'h2');
      const frames = new h2.FrameClient(socket, h2.openingWith(10));
      frames.send(h2.get(1, `/fault/slow-head?rate=5000&length=${length}`));
      await until(() => fieldsOf(frames).length === 1);
      expect(fieldsOf(frames)[0]?.[0]).toEqual([':status', status]);
      tcp.destroy();
    });

    const what = 'waits for the other streams, and no frame is within the HEADERS frame';
    test.skipIf(differs('`/fault/slow-head`'))(what, async () => {
      const { tcp, socket } = observe(running().port, secure, 'h2');
      const frames = new h2.FrameClient(socket);
      const target = `/fault/slow-head?rate=${RATE}&length=26`;
      frames.send(h2.get(1, target), h2.get(3, '/delay/0.2'));
      await until(() => frames.isDone(3));
      expect(frames.got(h2.HEADERS, 1)).toEqual([]);
      frames.send(h2.frame(h2.PING, 0, 0, Buffer.alloc(8)));
      await until(() => frames.isDone(1));
      // The decoder would have failed on a frame within another.
      expect(frames.content(1)).toBe('abcdefghijklmnopqrstuvwxyz');
      tcp.destroy();
    });

    test('ends with the connection', async () => {
      const { tcp, socket } = observe(running().port, secure, 'h2');
      const { connections } = running().service;
      new h2.FrameClient(socket).send(h2.get(1, '/fault/slow-head?rate=20'));
      await new Promise((resolve) => socket.once('data', resolve));
      tcp.destroy();
      await until(() =>
        (connections?.entries().open ?? []).every(({ requests }) => requests !== 1),
      );
    });
  } else {
    test('the connection is kept', async () => {
      const { received } = await outcomeOf(
        running().port,
        GET(`/fault/slow-head?rate=5000&length=3&framing=chunked`) + GET('/healthz', LAST),
        secure,
      );
      expect(received).toMatch(/\r\n\r\n3\r\nabc\r\n0\r\n\r\nHTTP\/1\.1 200 OK\r\n.*\r\n\r\nOK$/s);
    });

    test('a large head is bounded by --max-duration', async () => {
      const detail = await refused(
        `/respond?header=X-A:${'x'.repeat(2000)}&fault=slow-head,rate=10`,
      );
      expect(detail).toMatch(/rate=10 gives 2\d\d s for 2\d{3} bytes, the maximum is 100 s/);
    });
  }
});
