import { HpackEncoder, type Fields } from '../../wire/http2/hpack-encoder.ts';
import { WEBSOCKET_VERSION } from '../../http/websocket.ts';
import { messageFrame } from './web-socket-echo.ts';
import { fieldLinesOf, type LoadRequest, type PreparedRequest } from './load-connection.ts';

/** A request on HTTP/2, whose field block every connection can send at any time. */
export function prepareHttp2(request: LoadRequest): PreparedRequest {
  const { content, isStreamed = false, isWebSocket = false } = request;
  const isMeasured = content && !isStreamed && !isWebSocket;
  const fields: Fields = [
    ...pseudoFields(request),
    ...fieldLinesOf(request).map(([name, value]) => [name.toLowerCase(), value] as const),
    ...(isWebSocket ? [['sec-websocket-version', WEBSOCKET_VERSION] as const] : []),
    ...(isMeasured ? [['content-length', String(content.length)] as const] : []),
  ];
  const block = new HpackEncoder({ maxTableSize: 0 }).encode(fields.flat());
  const message = isWebSocket ? messageFrame(content ?? Buffer.alloc(0)) : undefined;
  return { request, bytes: block, ...(message && { message }) };
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
