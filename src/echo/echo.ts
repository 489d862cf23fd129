import { readMessageContent } from '../http/content.ts';
import { jsonResponse, queryOf, type Input } from '../server/endpoint.ts';
import { protocolOf } from '../net/connection.ts';
import type { Request } from '../server/request.ts';
import { fieldValue, combinedFields } from '../http/fields.ts';
import { clientAddress, forwardingOf } from '../server/forwarding.ts';
import { groupByName, type QueryPairs } from '../http/query.ts';
import { millisecondsSince } from '../server/timing.ts';
import { prettyJson, reply, type Reply } from '../server/reply.ts';
import { hostPort } from '../http/ip-address.ts';
import type { RequestView } from '../inspect/request-view.ts';
import { DigestCheck } from './digest-check.ts';
import { echoSchema, HTTP_VERSIONS, REQUEST_PROTOCOLS, type Echo } from './echo-schema.ts';
import { withFieldLines } from './field-lines.ts';
import { http2View } from './http2.ts';
import { proxyProtocolView } from './proxy-protocol.ts';
import { traceView } from './trace.ts';
import { tlsView } from './tls.ts';

/** The echo as JSON text: the request as received, and its connection. */
export function echoText(request: Request, content: Buffer): string {
  const { fields, trailers } = request;
  const text = withFieldLines(prettyJson(echo(request, content)), 'raw_headers', fields);
  return trailers.length === 0 ? text : withFieldLines(text, 'raw_trailers', trailers);
}

/** The echo, with empty `raw_headers` and `raw_trailers` for `withFieldLines()`. */
function echo(request: Request, content: Buffer): Echo {
  const { method, version, target, fields, trailers, connection } = request;
  const args = queryOf(request);
  const digests = DigestCheck.of(request);
  digests?.update(content);
  const trace = traceView(request);
  const tls = tlsView(connection);
  const http2 = http2View(request);
  const wire = wireView(request);
  return {
    method,
    http_version: knownMember(HTTP_VERSIONS, version),
    url: urlOf(request),
    path: target?.path ?? '',
    query: target?.query ?? '',
    args: groupByName(args),
    headers: combinedFields(fields),
    raw_headers: [],
    origin: clientAddress(request),
    ...readMessageContent(content, fieldValue(fields, 'content-type')),
    ...(trailers.length > 0 && {
      trailers: combinedFields(trailers),
      raw_trailers: [],
    }),
    ...(digests && { digest: digests.results() }),
    ...(trace && { trace }),
    timing: { duration_ms: millisecondsSince(request.receivedAt) },
    ...(connection.instance !== undefined && { instance: connection.instance }),
    process: connection.process,
    conn: connView(request),
    ...(tls && { tls }),
    ...(http2 && { http2 }),
    ...(wire && { wire }),
    ...(wantsClose(args) && {
      connection: version === 'HTTP/2.0' ? 'close (ignored: HTTP/2)' : 'close',
    }),
  };
}

/** Common declaration of the endpoints that echo the request. */
export const echoDeclaration = {
  group: 'echo',
  additionalQuery: 'Echoed in `args`; `connection=close` closes the connection on HTTP/1.x.',
  content: true,
  handle: ({ request, content }: Input<unknown, unknown>) => echoReply(request, content),
  responses: { 200: jsonResponse('The request as received.', echoSchema) },
} as const;

/** The echo as a response. With `?connection=close`, the connection is closed after it. */
export function echoReply(request: Request, content: Buffer): Reply {
  return {
    ...reply('application/json', echoText(request, content)),
    close: wantsClose(queryOf(request)),
  };
}

/** Whether the query has `connection=close` (the value without regard to case). */
export function wantsClose(pairs: QueryPairs): boolean {
  return pairs.some(([name, value]) => name === 'connection' && value.toLowerCase() === 'close');
}

/** The request URL. Each part is from fields of a trusted proxy, or else from the request or the connection. */
export function urlOf(request: Request): string {
  const { target } = request;
  if (!target) return '';
  return target.form === 'absolute' ? target.raw : `${originOf(request)}${target.raw}`;
}

/** Scheme and authority of the request URL. */
export function originOf(request: Request): string {
  const { target, fields, connection } = request;
  if (target?.form === 'absolute') return `${target.scheme}://${target.authority}`;
  const forwarding = forwardingOf(request);
  const scheme = forwarding.scheme ?? (connection.tls ? 'https' : 'http');
  const sent = fieldValue(fields, ':authority') ?? fieldValue(fields, 'host');
  const authority = forwarding.authority ?? sent;
  return `${scheme}://${authority || hostPort(connection.localAddress, connection.localPort)}`;
}

/** The `wire` object of the echo; undefined without --inspect. */
function wireView({ connection, requestNumber, stream }: Request): Echo['wire'] {
  const { inspector, notInspected } = connection;
  if (!inspector) return notInspected === undefined ? undefined : { missing: notInspected };
  const view: RequestView | undefined = inspector.requestView(requestNumber, stream?.id);
  return view ?? { missing: 'the request is no longer kept' };
}

/** The `conn` object of the echo. */
function connView(request: Request): Echo['conn'] {
  const { connection, requestNumber, stream } = request;
  const proxyProtocol = proxyProtocolView(connection);
  return {
    id: connection.id,
    ...(connection.worker !== undefined && { worker: connection.worker }),
    protocol: knownMember(REQUEST_PROTOCOLS, protocolOf(request)),
    request: requestNumber,
    ...(stream && { stream: stream.id, open_streams: stream.open }),
    age_ms: millisecondsSince(connection.openedAt),
    remote: hostPort(connection.remoteAddress, connection.remotePort),
    local: hostPort(connection.localAddress, connection.localPort),
    ...(proxyProtocol && { proxy_protocol: proxyProtocol }),
  };
}

function knownMember<const T extends string>(all: readonly T[], text: string): T {
  const member = all.find((each) => each === text);
  if (member === undefined) throw new TypeError(`${text} is not one of ${all.join(', ')}`);
  return member;
}
