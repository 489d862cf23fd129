import {
  DEFAULT_MAX_FRAME_SIZE,
  Flag,
  frame,
  FRAME_HEADER_LENGTH,
  FrameType,
  STREAM_OFFSET,
} from '../../wire/http2/frame.ts';
import { staticBlock } from '../../wire/http2/hpack-encoder.ts';
import { fieldLinesOf, type LoadRequest, type PreparedRequest } from './load-connection.ts';

/** The frames of a request on HTTP/2, without those of its content: HEADERS, and CONTINUATION if it is long. */
export function prepareHttp2(request: LoadRequest): PreparedRequest {
  const { method, path, authority, scheme, content, isStreamed = false } = request;
  const block = staticBlock([
    [':method', method],
    [':path', path],
    [':authority', authority],
    [':scheme', scheme],
    ...fieldLinesOf(request).map(([name, value]) => [name.toLowerCase(), value] as const),
    ...(content && !isStreamed ? [['content-length', String(content.length)] as const] : []),
  ]);
  const frames: Buffer[] = [];
  const streamOffsets: number[] = [];
  for (let at = 0, offset = 0; at < block.length; at += DEFAULT_MAX_FRAME_SIZE) {
    const fragment = block.subarray(at, at + DEFAULT_MAX_FRAME_SIZE);
    const isFirst = at === 0;
    const isLast = at + DEFAULT_MAX_FRAME_SIZE >= block.length;
    const flags =
      (isLast ? Flag.endHeaders : 0) | (isFirst && !hasContent(request) ? Flag.endStream : 0);
    frames.push(frame(isFirst ? FrameType.headers : FrameType.continuation, flags, 0, fragment));
    streamOffsets.push(offset + STREAM_OFFSET);
    offset += FRAME_HEADER_LENGTH + fragment.length;
  }
  return { request, bytes: Buffer.concat(frames), streamOffsets };
}

/** Whether DATA follows HEADERS. */
export const hasContent = ({ content }: LoadRequest): boolean =>
  content !== undefined && content.length > 0;
