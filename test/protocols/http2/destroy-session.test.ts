import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import { afterIterations, WRITE_ITERATIONS } from '../../../src/net/event-loop.ts';
import { endpoint } from '../../../src/server/endpoint.ts';
import { empty } from '../../../src/server/reply.ts';
import { sharedAdapters, startAdapters, until } from '../../_adapters.ts';
import * as h2 from '../../_frames.ts';
import { openSocket } from '../../_raw.ts';
import { HTTP2 } from '../../_shared.ts';

const NO_ERROR = 0;
const PROTOCOL_ERROR = 1;
const CANCEL = 8;
/** An unknown frame type: such frames are ignored (RFC 9113 5.5). */
const UNKNOWN = 0xfa;

const ACK = 1;
const PADDED = 8;
const ping = (flags: number): Buffer => h2.frame(h2.PING, flags, 0, Buffer.alloc(8));
/** Says when the opening has been read, and sends the flood when it is told to, from another thread. */
const FLOODER = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { alpn, opening, pong, flood, port } = workerData;
  const options = { port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: alpn };
  const { connect } = require(alpn ? 'node:tls' : 'node:net');
  connect(options, function () {
    this.write(opening);
    let received = Buffer.alloc(0);
    this.on('data', (bytes) => {
      if (received.includes(pong)) return;
      received = Buffer.concat([received, bytes]);
      if (received.includes(pong)) parentPort.postMessage('opening read');
    });
    parentPort.on('message', () => this.write(flood));
  }).on('error', () => {});`;
/** Milliseconds in which a flood arrives that nobody reads. */
const ARRIVAL = 100;

// A session may end while nghttp2 is processing bytes, with more to follow.
describe.each(HTTP2)('%s', (_, alpn) => {
  const adapters = sharedAdapters({ silence: 200, lingerTime: 100 });
  const allClosed = (): boolean => adapters().listener.connections.size === 0;

  test('of a flood that has already arrived, only one read is processed', async () => {
    // Few streams reach the limit, in less time than that after which any connection is paused (ReadTurns).
    const { port, listener } = await startAdapters({ maxResets: 1, lingerTime: 100 });
    const unknown = h2.frame(UNKNOWN, 0, 0, Buffer.alloc(16_384));
    // Enough for the kernel to accept some MiB at a time.
    const ignored = Array.from({ length: 512 }, () => unknown);
    const request = h2.get(1, '/healthz');
    const flood = Array.from({ length: 20_000 }, (_each, at) => [
      Buffer.concat([request.subarray(0, 5), h2.uint32(2 * at + 1), request.subarray(9)]),
      h2.frame(h2.RST_STREAM, 0, 2 * at + 1, h2.uint32(CANCEL)),
    ]);
    const flooder = new Worker(FLOODER, {
      eval: true,
      workerData: {
        port,
        alpn,
        opening: Buffer.concat([h2.PREFACE, h2.frame(h2.SETTINGS, 0, 0), ...ignored, ping(0)]),
        pong: ping(ACK),
        flood: Buffer.concat(flood.flat()),
      },
    });
    await once(flooder, 'message');
    // While a write is in progress, the session takes no bytes: reads are kept, not processed.
    await new Promise<void>((resolve) => {
      afterIterations(WRITE_ITERATIONS, resolve);
    });
    const [connection] = listener.connections;
    let read = connection?.socket.bytesRead ?? 0;
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker, and no window
    flooder.postMessage('send');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ARRIVAL);
    // Checks once per iteration of the event loop, after its reads.
    while (connection?.closeCause.reason !== 'resets') {
      read = connection?.socket.bytesRead ?? 0;
      await turn();
    }
    // libuv reads 64 KiB at a time, otherwise up to 32 times per iteration.
    expect(connection.socket.bytesRead - read).toBeLessThanOrEqual(64 * 1024);
    await until(() => listener.connections.size === 0);
    await flooder.terminate();
  });

  test.each([NO_ERROR, PROTOCOL_ERROR])(
    'GOAWAY with code %i, followed by invalid frames in the same bytes',
    async (code) => {
      const goaway = Buffer.concat([h2.uint32(0), h2.uint32(code)]);
      const client = new h2.FrameClient(
        await openSocket(adapters().port, alpn),
        Buffer.concat([
          h2.PREFACE,
          h2.frame(h2.SETTINGS, 0, 0),
          h2.frame(h2.GOAWAY, 0, 0, goaway),
          h2.get(3, '/healthz'),
          // PRIORITY has five bytes (RFC 9113 6.3). Found by fuzzing: Node 20 aborted.
          h2.frame(h2.PRIORITY, 0, 5, Buffer.alloc(6)),
        ]),
      );
      await until(() => client.goaway() !== undefined && client.ended);
      await until(allClosed);
    },
  );

  // Node 20 makes no event of them.
  test.each([
    ['DATA on stream 0', h2.frame(h2.DATA, 0, 0, Buffer.from('a'))],
    ['DATA with more padding than content', h2.frame(h2.DATA, PADDED, 3, Buffer.from([9, 0]))],
    ['DATA above SETTINGS_MAX_FRAME_SIZE', h2.frame(h2.DATA, 0, 1, Buffer.alloc(16_385))],
    ['a short PING', h2.frame(h2.PING, 0, 0, Buffer.alloc(4))],
    ['SETTINGS of five bytes', h2.frame(h2.SETTINGS, 0, 0, Buffer.alloc(5))],
    ['an acknowledgement of SETTINGS with content', h2.frame(h2.SETTINGS, ACK, 0, Buffer.alloc(6))],
    ['DATA on an idle stream', h2.frame(h2.DATA, 0, 9, Buffer.from('a'))],
    ['WINDOW_UPDATE of nothing', h2.frame(h2.WINDOW_UPDATE, 0, 0, h2.uint32(0))],
    ['a stream of the server', h2.get(2, '/healthz')],
    ['malformed HPACK', h2.frame(h2.HEADERS, h2.END_HEADERS, 5, Buffer.from([0xff, 0xff]))],
    ['CONTINUATION alone', h2.frame(h2.CONTINUATION, h2.END_HEADERS, 1, Buffer.from([0x82]))],
  ])('%s is a protocol error, after a request too', async (_name, invalid) => {
    const client = new h2.FrameClient(await openSocket(adapters().port, alpn));
    client.send(h2.get(1, '/healthz'));
    await until(() => client.isDone(1));
    const [connection] = adapters().listener.connections;
    client.send(h2.post(3, '/anything'), invalid);
    await until(() => client.goaway() !== undefined);
    // What arrives then is not read.
    client.send(ping(0));
    await until(() => client.ended);
    // The client may know before the service does: with --inspect, the error is emitted once FIN has been sent.
    await until(allClosed);
    expect(connection?.closeCause).toEqual({ by: 'wirebin', reason: 'protocol-error' });
  });

  // Node 20 does not report most connection errors: wirebin finds that the session has failed.
  test('a protocol error is reported, even if a drain closes the connection', async () => {
    const rejected: Error[] = [];
    const observer = { rejected: (_connection: unknown, error: Error) => rejected.push(error) };
    const limits = { silence: 200, lingerTime: 100 };
    const draining = await startAdapters(limits, [], [observer]);
    const client = new h2.FrameClient(await openSocket(draining.port, alpn));
    client.send(h2.get(1, '/hold'));
    await until(() => draining.held.length === 1);
    const [connection] = draining.listener.connections;
    draining.http2.drain();
    await until(() => client.goaway() !== undefined);
    client.send(h2.frame(h2.SETTINGS, 0, 0, Buffer.alloc(5)));
    await until(() => draining.listener.connections.size === 0);
    expect(connection?.closeCause).toEqual({ by: 'wirebin', reason: 'draining' });
    expect(rejected.map((error) => Reflect.get(error, 'code'))).toEqual(['ERR_HTTP2_ERROR']);
  });
});

const nothing = endpoint({
  methods: 'any',
  path: '/nothing',
  group: 'content',
  summary: '',
  responses: {},
  handle: () => empty(204),
});

// Its response counts as sent, and its content never ends.
test.each(HTTP2)(
  'an error after half a request and a GOAWAY ends the session: %s',
  async (_, alpn) => {
    const adapters = await startAdapters({ silence: 100, requestTimeout: 150, lingerTime: 100 }, [
      nothing,
    ]);
    const client = new h2.FrameClient(await openSocket(adapters.port, alpn));
    client.socket.on('error', () => undefined);
    await until(() => client.got(h2.SETTINGS).length > 1);
    client.send(
      h2.post(1, '/nothing'),
      h2.frame(h2.GOAWAY, 0, 0, Buffer.alloc(8)),
      // On a stream that is not open.
      h2.frame(h2.CONTINUATION, h2.END_HEADERS, 3, Buffer.from([0x82])),
    );
    await until(() => adapters.listener.connections.size === 1);
    await until(() => adapters.listener.connections.size === 0);
  },
);
