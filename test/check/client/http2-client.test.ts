import { once } from 'node:events';
import type { ServerHttp2Stream } from 'node:http2';
import { connect, createServer, Socket, type AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Http2Client } from '../../../src/check/client/http2-client.ts';
import { frameText } from '../../../src/check/client/http2-frames.ts';
import { createHttp2Server } from '../../../src/net/http2-sessions.ts';
import { Flag, frame, FrameSplitter, FrameType } from '../../../src/wire/http2/frame.ts';

type Callback = (error?: Error | null) => void;

/** A socket that is not connected, and keeps what is sent in one call of the system. */
class RecordingSocket extends Socket {
  readonly writes: Buffer[] = [];

  override _write(piece: Buffer | string, _encoding: BufferEncoding, done: Callback): void {
    this.writes.push(Buffer.from(piece));
    done();
  }

  override _writev(pieces: readonly { readonly chunk: Buffer | string }[], done: Callback): void {
    this.writes.push(Buffer.concat(pieces.map(({ chunk }) => Buffer.from(chunk))));
    done();
  }
}

test.each([
  ['content', undefined, [FrameType.headers, FrameType.data]],
  [
    'content and trailers',
    [['x-trailer', '1']] as const,
    [FrameType.headers, FrameType.data, FrameType.headers],
  ],
])('sends a request with %s at once', async (_, trailers, types) => {
  const tcp = new RecordingSocket();
  const client = new Http2Client(
    { stream: tcp, tcp, tls: undefined },
    { authority: 'localhost', scheme: 'http' },
  );
  tcp.writes.length = 0;
  const sending = client.send(
    { method: 'POST', target: '/', content: 'content', ...(trailers && { trailers }) },
    { time: 1000 },
  );
  client.close();
  await sending;
  expect(tcp.writes).toHaveLength(1);
  const [sent = Buffer.alloc(0)] = tcp.writes;
  expect(new FrameSplitter().push(sent).map(({ type }) => type)).toEqual(types);
});

describe('closes the connection of a server that sends without end', () => {
  const settings = frame(FrameType.settings, 0, 0, Buffer.alloc(0));
  /** `:status: 200`, by its index in the static table (RFC 7541 A). */
  const status = Buffer.from([0x88]);
  const head = frame(FrameType.headers, Flag.endHeaders, 1, status);
  /** A field of 4,000 bytes for the dynamic table, and a thousand references to it. */
  const bomb = Buffer.concat([
    Buffer.from([0x88, 0x40, 1, 0x78, 0x7f, 0xa1, 0x1e]),
    Buffer.alloc(4000, 'a'),
    Buffer.alloc(1000, 0xbe),
  ]);

  test.each([
    ['SETTINGS', settings, settings],
    ['PING', settings, frame(FrameType.ping, 0, 0, Buffer.alloc(8))],
    ['empty DATA', Buffer.concat([settings, head]), frame(FrameType.data, 0, 1, Buffer.alloc(0))],
    ['DATA', Buffer.concat([settings, head]), frame(FrameType.data, 0, 1, Buffer.alloc(16_384))],
    [
      'CONTINUATION',
      Buffer.concat([settings, frame(FrameType.headers, 0, 1, status)]),
      frame(FrameType.continuation, 0, 1, status),
    ],
    [
      'interim responses',
      settings,
      frame(FrameType.headers, Flag.endHeaders, 1, Buffer.from([0x08, 3, 0x31, 0x30, 0x33])),
    ],
    [
      'field blocks that are greater decoded',
      settings,
      frame(FrameType.headers, Flag.endHeaders, 1, bomb),
    ],
  ])('%s', async (_name, start, unit) => {
    const server = createServer((socket) => {
      const many = Buffer.concat(
        Array.from({ length: Math.ceil(1_000_000 / unit.length) }, () => unit),
      );
      const send = (): void => {
        while (!socket.destroyed && socket.write(many));
      };
      socket
        .on('error', () => undefined)
        .on('drain', send)
        .resume()
        .write(start);
      send();
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const tcp = connect((server.address() as AddressInfo).port, '127.0.0.1');
    tcp.on('error', () => undefined);
    await once(tcp, 'connect');
    const client = new Http2Client(
      { stream: tcp, tcp, tls: undefined },
      { authority: 'localhost', scheme: 'http' },
    );
    const { ending } = await client.send({ target: '/' }, { time: 20_000 });
    expect(ending).toBe('malformed');
  });
});

/** Sends a request to a server. @returns the streams of WINDOW_UPDATE, and the transfer */
async function updatesFor(serve: (stream: ServerHttp2Stream) => void) {
  const server = createHttp2Server().on('stream', serve).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const tcp = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(tcp, 'connect');
  const client = new Http2Client(
    { stream: tcp, tcp, tls: undefined },
    { authority: 'localhost', scheme: 'http' },
  );
  const transfer = await client.send({ target: '/' }, { time: 20_000, isLarge: true });
  client.close();
  const updates = transfer.sent.matchAll(/^WINDOW_UPDATE stream=(\d+)/gm);
  return { transfer, updates: Array.from(updates, ([, stream]) => Number(stream)) };
}

describe('sends WINDOW_UPDATE once for a quarter of a window', () => {
  const MiB = 2 ** 20;

  test('none for many small frames', async () => {
    const { transfer, updates } = await updatesFor((stream) => {
      stream.respond();
      let left = 100;
      const write = (): void => {
        if (left-- > 0) stream.write('0123456789', () => setImmediate(write));
        else stream.end();
      };
      write();
    });
    expect(transfer).toMatchObject({ ending: 'complete', response: { content: { length: 1000 } } });
    expect(updates).toEqual([0]);
  });

  test('so that a response larger than the window arrives', async () => {
    const { transfer, updates } = await updatesFor((stream) => {
      stream.respond();
      stream.end(Buffer.alloc(20 * MiB));
    });
    expect(transfer.ending).toBe('complete');
    expect(transfer.response?.content).toHaveLength(20 * MiB);
    // The first one, then two for each quarter of 16 MiB that has arrived.
    expect(updates.toSorted((a, b) => a - b)).toEqual([0, 0, 0, 0, 0, 1, 1, 1, 1]);
  });
});

test('of a field block whose decoded form is large, evidence has a part', () => {
  const value = 'a'.repeat(4000);
  const fields = Array.from({ length: 1000 }, () => ['x', value] as const);
  const received = {
    type: FrameType.headers,
    flags: Flag.endHeaders,
    stream: 1,
    payload: Buffer.alloc(9),
  };
  const text = frameText(received, fields);
  expect(text.length).toBeLessThan(100_000);
  expect(text.endsWith(`  x: ${value}\n  …`)).toBe(true);
});

test('what a server sends cannot look like a frame', () => {
  const forged = 'x\r\nRST_STREAM stream=1 flags=0x0 length=4 CANCEL\rGOAWAY stream=0 flags=0x0';
  const fields = [[forged, forged]] as const;
  const payload = Buffer.concat([Buffer.alloc(8), Buffer.from(forged)]);
  const frameOf = (type: number) => ({ type, flags: 0, stream: 1, payload });
  for (const text of [
    frameText(frameOf(FrameType.data)),
    frameText(frameOf(FrameType.goaway)),
    frameText(frameOf(FrameType.headers), fields),
  ]) {
    expect(text.split(/[\r\n]+/).filter((line) => /^\S/.test(line))).toHaveLength(1);
  }
});
