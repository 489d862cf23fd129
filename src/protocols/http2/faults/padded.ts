import { setTimeout as pause } from 'node:timers/promises';
import { fieldPairs } from '../../../http/fields.ts';
import { isWhole, trailersOf, type Payload } from '../../../server/payload.ts';
import { Flag, frame, FrameType } from '../../../wire/http2/frame.ts';
import { fieldBlock } from '../../../wire/http2/hpack-encoder.ts';
import type { DetachedConnection } from '../detached-connection.ts';
import type { Http2Step } from '../../http2-shared/faults/plan.ts';

const POLL_INTERVAL = 5;

/**
 * Sends a response in DATA frames with padding, as fast as the windows allow. Without nghttp2, which can pad only all
 * frames of a session. The connection is closed after a while.
 *
 * @param id of the stream
 * @param payload in memory
 * @param windows bytes of DATA that the client currently accepts; modified
 */
export async function sendPadded(
  connection: DetachedConnection,
  id: number,
  { head, size, padding }: Extract<Http2Step, { readonly kind: 'padded' }>,
  payload: Payload,
  windows: { connection: number; stream: number },
): Promise<void> {
  connection.keep((stream, increment) => {
    if (stream === 0) windows.connection += increment;
    else if (stream === id) windows.stream += increment;
  });
  const whole = isWhole(payload) ? payload : 'content' in payload ? payload.content : '';
  const content = Buffer.from(whole ?? '');
  if (!(await connection.send([frame(FrameType.headers, Flag.endHeaders, id, head)]))) return;
  // The length of the padding takes a byte of its own (RFC 9113 6.1).
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
