import { once } from 'node:events';
import { duplexPair } from 'node:stream';
import type { OutgoingHttpHeaders } from 'node:http2';
import { onTestFinished } from 'vitest';
import { connectHttp2, createHttp2Server } from '../../../src/net/http2-sessions.ts';
import {
  Flag,
  frame,
  FrameSplitter,
  FrameType,
  PREFACE,
  SettingId,
} from '../../../src/wire/http2/frame.ts';
import { parseSettings } from '../../../src/wire/http2/frame-payload.ts';
import { fieldBlock } from '../../../src/wire/http2/hpack-encoder.ts';

const END = Flag.endHeaders | Flag.endStream;

/** The blocks into which nghttp2 encodes these responses, in order. */
export async function nghttp2Blocks(responses: readonly string[][]): Promise<Buffer[]> {
  const [near, far] = duplexPair();
  const server = createHttp2Server();
  server.on('stream', (stream) => {
    const headers: OutgoingHttpHeaders = {};
    const fields = responses[((stream.id ?? 1) - 1) / 2] ?? [];
    for (let at = 0; at < fields.length; at += 2) headers[fields[at] ?? ''] = fields[at + 1];
    stream.respond(headers, { endStream: true });
  });
  server.emit('connection', far);
  onTestFinished(() => void near.destroy());
  const blocks: Buffer[] = [];
  const frames = new FrameSplitter();
  near.on('data', (piece: Buffer) => {
    for (const { type, payload } of frames.push(piece)) {
      if (type !== FrameType.headers) continue;
      blocks.push(payload);
      if (blocks.length === responses.length) near.destroy();
      else near.write(request(2 * blocks.length + 1));
    }
  });
  near.write(Buffer.concat([PREFACE, frame(FrameType.settings, 0, 0), request(1)]));
  await once(near, 'close');
  return blocks;
}

function request(stream: number): Buffer {
  const block = fieldBlock([
    [':method', 'GET'],
    [':scheme', 'http'],
    [':path', '/'],
    [':authority', 'a'],
  ]);
  return frame(FrameType.headers, END, stream, block);
}

/**
 * Has a client of nghttp2 read these responses, one after the other.
 *
 * @param sizes which SETTINGS_HEADER_TABLE_SIZE of the client have, in turn
 * @returns the fields that it has read
 */
export async function readByNghttp2(
  responses: readonly string[][],
  sizes: readonly number[],
  encode: (fields: string[], limit: number) => Buffer,
): Promise<string[][]> {
  const [near, far] = duplexPair();
  let limit = 4096;
  let skipped = 0;
  let responded = 0;
  const frames = new FrameSplitter();
  far.write(frame(FrameType.settings, 0, 0));
  far.on('data', (piece: Buffer) => {
    const preface = Math.min(PREFACE.length - skipped, piece.length);
    skipped += preface;
    for (const { type, flags, stream, payload } of frames.push(piece.subarray(preface))) {
      if (type === FrameType.settings && (flags & Flag.ack) === 0) {
        limit =
          parseSettings(payload).find(({ id }) => id === SettingId.headerTableSize)?.value ?? limit;
        far.write(frame(FrameType.settings, Flag.ack, 0));
      } else if (type === FrameType.headers) {
        far.write(
          frame(FrameType.headers, END, stream, encode(responses[responded++] ?? [], limit)),
        );
      }
    }
  });
  const session = connectHttp2('http://a', { createConnection: () => near });
  onTestFinished(() => session.destroy());
  const seen: string[][] = [];
  for (const at of responses.keys()) {
    if (at % 10 === 0) session.settings({ headerTableSize: sizes[(at / 10) % sizes.length] ?? 0 });
    const stream = session.request({ ':method': 'HEAD' });
    const raw = new Promise<string[]>((resolve) => {
      stream.once('response', (...given: unknown[]) => resolve(given[2] as string[]));
    });
    seen.push(await raw);
    stream.close();
  }
  return seen;
}
