import type { Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { Http2LoadConnection } from '../../../src/bench/load/http2-load-connection.ts';
import { prepareHttp2 } from '../../../src/bench/load/http2-request.ts';
import type { LoadRequest } from '../../../src/bench/load/load-connection.ts';
import {
  frame,
  FrameSplitter,
  FrameType,
  PREFACE,
  type RawFrame,
} from '../../../src/wire/http2/frame.ts';
import { settingsPayload } from '../../../src/wire/http2/frame-payload.ts';
import { openTo } from './_opened.ts';
import { REQUEST } from './_request.ts';

export const settings = (...values: [number, number][]): Buffer =>
  frame(FrameType.settings, 0, 0, settingsPayload(values));

/** A connection to a server that sends this first, and responds to each frame. */
export async function connection(
  first: Buffer,
  onFrame: (frame: RawFrame, server: Socket, all: readonly RawFrame[]) => void,
) {
  const { input, socket, opened } = await openTo((server) => {
    const frames = new FrameSplitter();
    const all: RawFrame[] = [];
    let skipped = 0;
    server.write(first);
    server.on('data', (piece: Buffer) => {
      const preface = Math.min(PREFACE.length - skipped, piece.length);
      skipped += preface;
      for (const each of frames.push(piece.subarray(preface))) {
        all.push(each);
        onFrame(each, server, all);
      }
    });
  });
  const load = new Http2LoadConnection(opened, input);
  onTestFinished(() => load.destroy());
  return {
    load,
    socket,
    send: (request: LoadRequest = REQUEST) =>
      new Promise<string | undefined>((resolve) => {
        load.send(prepareHttp2(request), resolve);
      }),
  };
}
