import { setTimeout as pause } from 'node:timers/promises';
import { fieldPairs } from '../../../http/fields.ts';
import { isWhole, trailersOf, type Payload } from '../../../server/payload.ts';
import { Flag, frame, FRAME_HEADER_LENGTH, FrameType, uint32 } from '../../../wire/http2/frame.ts';
import { fieldBlock } from '../../../wire/http2/hpack-encoder.ts';
import type { DetachedConnection } from '../detached-connection.ts';

const POLL_INTERVAL = 5;

/** A response whose content is in memory. */
interface PaddedResponse {
  /** Stream identifier. */
  readonly id: number;
  /** The header section. */
  readonly head: Buffer;
  readonly payload: Payload;
  /** Bytes of content and of padding of each frame. */
  readonly size: number;
  readonly padding: number;
}

/** Bytes that the client accepts. */
interface OpenWindows {
  connection: number;
  stream: number;
}

/**
 * Sends a response in DATA frames with padding, as fast as the windows allow, since nghttp2 pads only whole sessions.
 * The connection is closed after a while.
 */
export async function sendPadded(
  connection: DetachedConnection,
  { id, head, payload, size, padding }: PaddedResponse,
  windows: OpenWindows,
): Promise<void> {
  connection.keep(windowReader(id, windows));
  const whole = isWhole(payload) ? payload : 'content' in payload ? payload.content : '';
  const content = Buffer.from(whole ?? '');
  if (!(await connection.send([frame(FrameType.headers, Flag.endHeaders, id, head)]))) return;
  // Padding has a byte for its length.
  const padded = padding > 0 ? [Buffer.from([padding]), Buffer.alloc(padding)] : [];
  const [prefix = Buffer.alloc(0), suffix = prefix] = padded;
  for (let at = 0; at < content.length; at += size) {
    const data = Buffer.concat([prefix, content.subarray(at, at + size), suffix]);
    while (Math.min(windows.connection, windows.stream) < data.length) {
      await pause(POLL_INTERVAL, undefined, { ref: false });
      if (!(await connection.send())) return;
    }
    windows.connection -= data.length;
    windows.stream -= data.length;
    const flags = padding > 0 ? Flag.padded : 0;
    if (!(await connection.send([frame(FrameType.data, flags, id, data)]))) return;
  }
  const trailers = fieldBlock([...fieldPairs(trailersOf(payload) ?? [])]);
  const flags = Flag.endHeaders | Flag.endStream;
  await connection.send([frame(FrameType.headers, flags, id, trailers)]);
}

function windowUpdateHeader(stream: number): Buffer {
  return Buffer.concat([Buffer.from([0, 0, 4, FrameType.windowUpdate, 0]), uint32(stream)]);
}

/**
 * Makes a function that finds WINDOW_UPDATE frames in received bytes. These may begin in the middle of a frame, so it
 * searches for the headers.
 */
function windowReader(id: number, windows: OpenWindows): (bytes: Buffer) => void {
  const length = FRAME_HEADER_LENGTH + 4;
  let rest = Buffer.alloc(0);
  return (piece) => {
    const bytes = Buffer.concat([rest, piece]);
    let end = 0;
    for (const [name, header] of [
      ['connection', windowUpdateHeader(0)],
      ['stream', windowUpdateHeader(id)],
    ] as const) {
      for (let at = bytes.indexOf(header); at >= 0; at = bytes.indexOf(header, at + length)) {
        if (at + length > bytes.length) break;
        windows[name] += bytes.readUInt32BE(at + FRAME_HEADER_LENGTH);
        end = Math.max(end, at + length);
      }
    }
    rest = Buffer.from(bytes.subarray(Math.max(end, bytes.length - length + 1)));
  };
}
