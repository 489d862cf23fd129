import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { Http2LoadConnection } from '../../../src/bench/load/http2-load-connection.ts';
import {
  Flag,
  frame,
  FrameSplitter,
  FrameType,
  PREFACE,
  uint32,
} from '../../../src/wire/http2/frame.ts';
import { fieldBlock } from '../../../src/wire/http2/hpack-encoder.ts';
import { REQUEST } from './_request.ts';

const HEADERS = frame(FrameType.headers, Flag.endHeaders, 1, fieldBlock([[':status', '200']]));
const DATA = frame(FrameType.data, 0, 1, Buffer.from('OK'));
const LAST_DATA = frame(FrameType.data, Flag.endStream, 1, Buffer.from('OK'));
const reset = (code: number): Buffer => frame(FrameType.rstStream, 0, 1, uint32(code));

function hasRequest(bytes: Buffer): boolean {
  const frames = new FrameSplitter().push(bytes.subarray(PREFACE.length));
  return frames.some(({ type }) => type === FrameType.headers);
}

/** Sends a request to a server that sends these frames. @returns why it failed */
async function send(...frames: readonly Buffer[]) {
  const server = createServer((socket: Socket) => {
    let received = Buffer.alloc(0);
    socket.write(frame(FrameType.settings, 0, 0));
    socket
      .on('error', () => undefined)
      .on('data', (piece: Buffer) => {
        received = Buffer.concat([received, piece]);
        if (hasRequest(received)) socket.write(Buffer.concat(frames));
      });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  await once(socket, 'connect');
  const opened = { stream: socket, tcp: socket, tls: undefined };
  const connection = new Http2LoadConnection(opened, REQUEST);
  onTestFinished(() => connection.destroy());
  return new Promise((resolve) => void connection.send(resolve));
}

test('a response', async () => {
  expect(await send(HEADERS, LAST_DATA)).toBeUndefined();
  // RFC 9113 8.1: the rest of the request is not needed.
  expect(await send(HEADERS, LAST_DATA, reset(0))).toBeUndefined();
});

test.each([
  [2, 'stream reset (INTERNAL_ERROR)'],
  [8, 'stream reset (CANCEL)'],
])('a response that RST_STREAM with error code %i ends is not complete', async (code, reason) => {
  expect(await send(HEADERS, DATA, reset(code))).toBe(reason);
});

test('interim responses without end', async () => {
  const interim = frame(FrameType.headers, Flag.endHeaders, 1, fieldBlock([[':status', '103']]));
  expect(await send(...Array.from({ length: 1000 }, () => interim), HEADERS, LAST_DATA)).toBe(
    undefined,
  );
  expect(await send(...Array.from({ length: 1001 }, () => interim))).toBe(
    'too many interim responses',
  );
});
