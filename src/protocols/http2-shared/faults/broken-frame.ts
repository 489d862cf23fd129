import {
  Flag,
  frame,
  FrameType,
  MAX_STREAM,
  MAX_WINDOW,
  uint32,
} from '../../../wire/http2/frame.ts';
import type { BrokenFrame } from '../../../server/fault.ts';
import { fieldBlock } from '../../../wire/http2/hpack-encoder.ts';

/** An unregistered frame type, which recipients must ignore (RFC 9113 4.1). */
const UNKNOWN_TYPE = 0xfa;
/** Id of the first stream that a server can open. */
const PUSHED = 2;

/** A response without content. */
export interface FramedResponse {
  readonly stream: number;
  readonly head: Buffer;
}

export function responseFrame({ stream, head }: FramedResponse): Buffer {
  return frame(FrameType.headers, Flag.endHeaders | Flag.endStream, stream, head);
}

/**
 * The frames of a response, and one frame that violates RFC 9113 or that recipients must ignore. It comes first if
 * possible, so that a client that ignores it gets the response.
 *
 * @param maxFrameSize maximum payload in bytes that the client accepts (RFC 9113 6.5.2)
 */
export function framesWith(
  how: BrokenFrame,
  response: FramedResponse,
  maxFrameSize: number,
): Buffer[] {
  const { stream } = response;
  const valid = responseFrame(response);
  switch (how) {
    case 'data-on-stream-0':
      return [frame(FrameType.data, 0, 0, Buffer.from('data')), valid];
    case 'window-0':
      return [frame(FrameType.windowUpdate, 0, 0, uint32(0)), valid];
    case 'window-overflow':
      // Added to the window, which is above 0, this exceeds 2^31 - 1 (RFC 9113 6.9.1).
      return [frame(FrameType.windowUpdate, 0, 0, uint32(MAX_WINDOW)), valid];
    case 'too-large': {
      const payload = Buffer.alloc(maxFrameSize + 1);
      const head = frame(FrameType.headers, Flag.endHeaders, stream, response.head);
      return [head, frame(FrameType.data, Flag.endStream, stream, payload)];
    }
    case 'unknown-type':
      return [frame(UNKNOWN_TYPE, 0xff, stream, Buffer.from('unknown')), valid];
    case 'rst-idle':
      return [frame(FrameType.rstStream, 0, MAX_STREAM, uint32(0)), valid];
    case 'push-promise':
      return [frame(FrameType.pushPromise, Flag.endHeaders, stream, promise()), valid];
    case 'data-after-end':
      return [valid, frame(FrameType.data, Flag.endStream, stream, Buffer.from('data'))];
  }
}

function promise(): Buffer {
  const request = fieldBlock([
    [':method', 'GET'],
    [':scheme', 'https'],
    [':authority', 'localhost'],
    [':path', '/'],
  ]);
  return Buffer.concat([uint32(PUSHED), request]);
}
