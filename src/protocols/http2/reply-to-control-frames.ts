import {
  Flag,
  frame,
  FRAME_HEADER_LENGTH,
  FRAMES,
  FrameType,
  TYPE_OFFSET,
} from '../../wire/http2/frame.ts';
import { isControlLength } from '../../wire/http2/frame-payload.ts';

const PING_LENGTH = 8;
const MAX_SETTINGS_LENGTH = 255;
/** Flags (none) and stream id (0) of PING and SETTINGS frames that have to be acknowledged. */
const NO_FLAGS = Buffer.alloc(FRAME_HEADER_LENGTH - TYPE_OFFSET - 1);

/**
 * Makes a function that finds PING and SETTINGS frames in received bytes, and returns the replies. The bytes may begin
 * in the middle of a frame, so it searches for headers of these frames. Request content that looks like one is replied
 * to as well.
 *
 * @param isFlood counts a frame, and returns whether there are too many; then no further ones are searched
 * @returns a function that returns the replies to a piece
 */
export function createReplier(isFlood: () => boolean): (bytes: Buffer) => Buffer {
  let rest: Buffer = Buffer.alloc(0);
  return (piece) => {
    const replies: Buffer[] = [];
    const bytes = Buffer.concat([rest, piece]);
    let at = 0;
    while (at + FRAME_HEADER_LENGTH <= bytes.length) {
      const payload = at + FRAME_HEADER_LENGTH;
      const type = typeAt(bytes, at);
      const end = payload + PING_LENGTH;
      if (type === FrameType.ping && end > bytes.length) break;
      if (type !== undefined && isFlood()) break;
      if (type === FrameType.settings) replies.push(frame(FrameType.settings, Flag.ack, 0));
      if (type === FrameType.ping) {
        replies.push(frame(FrameType.ping, Flag.ack, 0, bytes.subarray(payload, end)));
      }
      at = type === undefined ? at + 1 : payload;
    }
    rest = Buffer.from(bytes.subarray(at));
    return Buffer.concat(replies);
  };
}

/** The type of the PING or SETTINGS frame that seems to begin here; undefined without one. */
function typeAt(bytes: Buffer, at: number): number | undefined {
  const type = bytes[at + TYPE_OFFSET];
  if (type !== FrameType.ping && type !== FrameType.settings) return undefined;
  const flags = bytes.subarray(at + TYPE_OFFSET + 1, at + FRAME_HEADER_LENGTH);
  if (!flags.equals(NO_FLAGS)) return undefined;
  const length = FRAMES.lengthOf(bytes, at);
  const isPlausible = length <= MAX_SETTINGS_LENGTH && isControlLength(type, false, length);
  return isPlausible ? type : undefined;
}
