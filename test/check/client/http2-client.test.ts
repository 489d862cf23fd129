import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { Http2Client } from '../../../src/check/client/http2-client.ts';
import { FrameSplitter } from '../../../src/check/client/http2-frames.ts';
import { FrameType } from '../../../src/net/http2-frame.ts';

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
