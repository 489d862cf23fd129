import {
  DEFAULT_MAX_FRAME_SIZE,
  Flag,
  frame,
  FRAME_HEADER_LENGTH,
  FrameType,
  STREAM_OFFSET,
} from '../../wire/http2/frame.ts';
import { HpackEncoder, type Fields } from '../../wire/http2/hpack-encoder.ts';
import { WEBSOCKET_VERSION } from '../../http/websocket.ts';
import { messageFrame } from './web-socket-echo.ts';
import { fieldLinesOf, type LoadRequest, type PreparedRequest } from './load-connection.ts';

/** The frames of a request on HTTP/2, without those of its content: HEADERS, and CONTINUATION if it is long. */
export function prepareHttp2(request: LoadRequest): PreparedRequest {
  const { content, isStreamed = false, isWebSocket = false } = request;
  const isMeasured = content && !isStreamed && !isWebSocket;
  const fields: Fields = [
    ...pseudoFields(request),
    ...fieldLinesOf(request).map(([name, value]) => [name.toLowerCase(), value] as const),
    ...(isWebSocket ? [['sec-websocket-version', WEBSOCKET_VERSION] as const] : []),
    ...(isMeasured ? [['content-length', String(content.length)] as const] : []),
  ];
  // Without a dynamic table, the block is valid at any time of a connection.
  const block = new HpackEncoder({ maxTableSize: 0 }).encode(fields.flat());
  const isEnd = !isWebSocket && (content === undefined || content.length === 0);
  const frames: Buffer[] = [];
  const streamOffsets: number[] = [];
  for (let at = 0, offset = 0; at < block.length; at += DEFAULT_MAX_FRAME_SIZE) {
    const fragment = block.subarray(at, at + DEFAULT_MAX_FRAME_SIZE);
    const isFirst = at === 0;
    const isLast = at + DEFAULT_MAX_FRAME_SIZE >= block.length;
    const flags = (isLast ? Flag.endHeaders : 0) | (isFirst && isEnd ? Flag.endStream : 0);
    frames.push(frame(isFirst ? FrameType.headers : FrameType.continuation, flags, 0, fragment));
    streamOffsets.push(offset + STREAM_OFFSET);
    offset += FRAME_HEADER_LENGTH + fragment.length;
  }
  const message = isWebSocket ? messageFrame(content ?? Buffer.alloc(0)) : undefined;
  return { request, bytes: Buffer.concat(frames), streamOffsets, ...(message && { message }) };
}

/** A WebSocket is opened by extended CONNECT (RFC 8441 4). */
function pseudoFields({
  method,
  path,
  authority,
  scheme,
  isWebSocket = false,
}: LoadRequest): Fields {
  return [
    [':method', isWebSocket ? 'CONNECT' : method],
    [':path', path],
    [':authority', authority],
    [':scheme', scheme],
    ...(isWebSocket ? [[':protocol', 'websocket'] as const] : []),
  ];
}
