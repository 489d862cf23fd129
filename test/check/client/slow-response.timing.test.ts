import { createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { Target } from '../../../src/check/target.ts';
import { FRONTS, type FrontName } from '../../../src/check/front.ts';
import { Flag, frame, FrameType } from '../../../src/wire/http2/frame.ts';
import { fieldBlock } from '../../../src/wire/http2/hpack-encoder.ts';
import { listening } from '../_gateway-server.ts';

const PIECES = 6;
/** Milliseconds between two pieces, and within which a client expects one. */
const BETWEEN = 100;
const TIME = 300;

function head(socket: Socket, front: FrontName): void {
  if (front === 'http/1.1') socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${PIECES}\r\n\r\n`);
  else {
    socket.write(frame(FrameType.settings, 0, 0, Buffer.alloc(0)));
    const block = fieldBlock([[':status', '200']]);
    socket.write(frame(FrameType.headers, Flag.endHeaders, 1, block));
  }
}

function piece(socket: Socket, front: FrontName, isLast: boolean): void {
  const bytes = Buffer.from('x');
  const flags = isLast ? Flag.endStream : 0;
  socket.write(front === 'http/1.1' ? bytes : frame(FrameType.data, flags, 1, bytes));
}

/** Gets a response whose pieces come one by one. @param count after which no more comes */
async function transferOf(front: FrontName, count: number, isLarge: boolean) {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    if (front === 'h2') socket.write(frame(FrameType.settings, 0, 0, Buffer.alloc(0)));
    socket.once('data', () => void send(socket));
  });
  const send = async (socket: Socket): Promise<void> => {
    await pause(BETWEEN / 2);
    head(socket, front);
    for (let at = 1; at <= count; at++) {
      await pause(BETWEEN);
      piece(socket, front, at === PIECES);
    }
  };
  const proxy = await listening(server, 'http');
  onTestFinished(() => proxy.close());
  const client = await new Target({ url: proxy.url, insecure: false }).open(front, 5000);
  onTestFinished(() => client.close());
  return client.send({ target: '/' }, { time: TIME, isLarge });
}

test.each(FRONTS)('a large response may take as long as it makes progress: %s', async (front) => {
  const { ending, response } = await transferOf(front, PIECES, true);
  expect(ending).toBe('complete');
  expect(response?.content).toHaveLength(PIECES);
});

test.each(FRONTS)('a large response that stalls is not waited for: %s', async (front) => {
  const { ending, response, duration } = await transferOf(front, PIECES / 2, true);
  expect(ending).toBe('timeout');
  expect(response?.content).toHaveLength(PIECES / 2);
  expect(duration).toBeGreaterThanOrEqual(TIME);
});

test.each(FRONTS)('any other response has one limit of time: %s', async (front) => {
  const { ending } = await transferOf(front, PIECES, false);
  expect(ending).toBe('timeout');
});
