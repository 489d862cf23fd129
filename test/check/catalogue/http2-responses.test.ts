import { get } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { checks } from '../../../src/check/catalogue/all.ts';
import { FrameSplitter, PREFACE } from '../../../src/wire/http2/frame.ts';
import { HpackDecoder } from '../../../src/wire/http2/hpack-decoder.ts';
import { JOURNAL_FIELD } from '../../../src/server/observer.ts';
import * as h2 from '../../_frames.ts';
import { listening, type Proxy } from '../_gateway-server.ts';
import { bench } from '../_run.ts';

const started = bench();

/** Forwards the fields of a request to the origin, and serves these frames in place of its response. */
async function gatewaySending(originPort: number, ...frames: readonly Buffer[]): Promise<Proxy> {
  const server = createServer((socket: Socket) => {
    const splitter = new FrameSplitter();
    const hpack = new HpackDecoder();
    let preface = PREFACE.length;
    socket.on('error', () => undefined).write(h2.frame(h2.SETTINGS, 0, 0));
    socket.on('data', (piece: Buffer) => {
      const received = splitter.push(piece.subarray(preface));
      preface = Math.max(0, preface - piece.length);
      const request = received.find(({ type }) => type === h2.HEADERS);
      if (!request) return;
      const tag = hpack.decode(request.payload).fields.find(({ name }) => name === JOURNAL_FIELD);
      const headers = { [JOURNAL_FIELD]: tag?.value };
      get({ host: '127.0.0.1', port: originPort, headers }, (response) => {
        response.resume().once('end', () => socket.write(Buffer.concat(frames)));
      });
    });
  });
  const proxy = await listening(server, 'http');
  onTestFinished(() => proxy.close());
  return proxy;
}

const status = (code: string): Buffer =>
  h2.frame(h2.HEADERS, h2.END_HEADERS, 1, h2.fieldBlock([[':status', code]]));
const content = (text: string, flags = 0): Buffer => h2.frame(h2.DATA, flags, 1, Buffer.from(text));
const FORWARDED = 'HTTP/1.1\r\nContent-Length: 2\r\n\r\nab';
const INVALID = 'a response with the status 000';

test.each([
  [
    'interim/103',
    'the final response as content',
    [status('103'), content('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab')],
    ['fail', '103, then content in place of the final header section'],
  ],
  [
    'origin/no-status',
    'an invalid status',
    [status('000'), content(FORWARDED, h2.END_STREAM)],
    ['fail', INVALID],
  ],
  [
    'origin/no-status',
    'an invalid status, and then nothing',
    [status('000'), content(FORWARDED)],
    ['fail', INVALID],
  ],
  [
    'origin/no-status',
    'an invalid status, and then INTERNAL_ERROR',
    [status('000'), content(FORWARDED), h2.frame(h2.RST_STREAM, 0, 1, h2.uint32(2))],
    ['pass', 'reset'],
  ],
  [
    'interim/103',
    'GOAWAY with ENHANCE_YOUR_CALM',
    [h2.frame(h2.GOAWAY, 0, 0, Buffer.concat([h2.uint32(0), h2.uint32(11)]))],
    ['fail', 'no response (goaway), after GOAWAY with ENHANCE_YOUR_CALM'],
  ],
])('%s: %s', async (id, _what, frames, verdict) => {
  const { facts } = await started().run(await started().gateway({ scheme: 'http' }), []);
  const chosen = checks.filter((each) => each.id === id);
  const known = { ...facts, fronts: ['h2'] as const };
  const { results } = await started().run(
    await gatewaySending(started().originPort, ...frames),
    chosen,
    known,
    500,
  );
  expect(results.map(({ outcome, found }) => [outcome, found])).toEqual([verdict]);
});
