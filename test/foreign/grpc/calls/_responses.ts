import { frameMessage } from '../../../../src/wire/grpc/message.ts';
import {
  DEFAULT_MAX_FRAME_SIZE,
  Flag,
  frame,
  FrameType,
  uint32,
} from '../../../../src/wire/http2/frame.ts';
import { fieldBlock, type Fields } from '../../../../src/wire/http2/hpack-encoder.ts';

/** A bytes field of Protocol Buffers that no message in proto/ has, so that every type can be decoded from it. */
export function unknownField(content: Uint8Array): Buffer {
  const length = [];
  let rest = content.length;
  for (; rest > 0x7f; rest >>>= 7) length.push((rest & 0x7f) | 0x80);
  // Number 15, wire type 2.
  return Buffer.concat([Buffer.from([0x7a, ...length, rest]), content]);
}

export const MESSAGE = frameMessage(unknownField(Buffer.from('a message')));

const HEAD = [
  [':status', '200'],
  ['content-type', 'application/grpc'],
] as const;

/** HEADERS, and CONTINUATION if they are long. @param padding bytes */
export function fields(stream: number, lines: Fields, flags = 0, padding = 0): Buffer {
  const block = fieldBlock(lines);
  const first = block.subarray(0, DEFAULT_MAX_FRAME_SIZE);
  const rest = block.subarray(DEFAULT_MAX_FRAME_SIZE);
  const end = rest.length === 0 ? Flag.endHeaders : 0;
  const padded =
    padding === 0 ? first : Buffer.concat([Buffer.of(padding), first, Buffer.alloc(padding)]);
  const headers = frame(
    FrameType.headers,
    flags | end | (padding === 0 ? 0 : Flag.padded),
    stream,
    padded,
  );
  if (rest.length === 0) return headers;
  return Buffer.concat([headers, frame(FrameType.continuation, Flag.endHeaders, stream, rest)]);
}

/** The header section of a response. @param more replaces a line of the same name */
export function head(stream: number, more: Fields = []): Buffer {
  const names = new Set(more.map(([name]) => name));
  const lines = [...HEAD.filter(([name]) => !names.has(name)), ...more];
  return fields(
    stream,
    lines.toSorted(([one], [other]) => Number(other.startsWith(':')) - Number(one.startsWith(':'))),
  );
}

/** A response without content, which ends with its header section. */
export function only(stream: number, lines: Fields): Buffer {
  return fields(stream, lines, Flag.endStream);
}

export function data(stream: number, content: Uint8Array, flags = 0): Buffer {
  return frame(FrameType.data, flags, stream, content);
}

export function trailers(stream: number, lines: Fields = [['grpc-status', '0']]): Buffer {
  return fields(stream, lines, Flag.endStream);
}

export function reset(stream: number, code: number): Buffer {
  return frame(FrameType.rstStream, 0, stream, uint32(code));
}

/** A call that succeeds with these fields and bytes of content. */
export function response(stream: number, more: Fields = [], content: Buffer = MESSAGE): Buffer {
  return Buffer.concat([head(stream, more), data(stream, content), trailers(stream)]);
}
