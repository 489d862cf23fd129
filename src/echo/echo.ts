import { readMessageContent } from '../http/content.ts';
import { jsonResponse, queryOf, type Input } from '../server/endpoint.ts';
import { protocolOf, type Request } from '../server/request.ts';
import { fieldValue, combinedFields } from '../http/fields.ts';
import { clientAddress, forwardingOf } from '../server/forwarding.ts';
import { groupByName, type QueryPairs } from '../http/query.ts';
import { millisecondsSince } from '../server/duration.ts';
import { prettyJson, reply, type Reply } from '../server/reply.ts';
import { hostPort } from '../http/ip-address.ts';
import {
  arrayOf,
  COUNT,
  enumOf,
  mapSchema,
  NUMBER,
  objectSchema,
  stringOrStrings,
  TEXT,
} from '../server/schema.ts';
import { DigestCheck, digestSchema } from './digest-check.ts';
import { withFieldLines } from './field-lines.ts';
import { http2Schema, http2View } from './http2.ts';
import { proxyProtocolSchema, proxyProtocolView } from './proxy-protocol.ts';
import { traceSchema, traceView } from './trace.ts';
import { tlsView } from './tls.ts';

const POSITIVE = { ...COUNT, minimum: 1 };
/** Values by name. */
const GROUPED = mapSchema(stringOrStrings());

const connSchema = objectSchema(
  'Conn',
  {
    id: TEXT,
    worker: { ...POSITIVE, description: 'The worker that responds, if there are several.' },
    protocol: {
      ...enumOf('http/1.0', 'http/1.1', 'https/1.0', 'https/1.1', 'h2', 'h2c'),
      description: 'The transport, with the HTTP version of this request.',
    },
    request: { ...POSITIVE, description: '1 for the first request of the connection.' },
    stream: { ...POSITIVE, description: 'HTTP/2 only.' },
    open_streams: { ...POSITIVE, description: 'HTTP/2 only.' },
    age_ms: NUMBER,
    remote: { ...TEXT, description: "The client's address, from a PROXY header if present." },
    local: TEXT,
    proxy_protocol: proxyProtocolSchema,
  },
  ['worker', 'stream', 'open_streams', 'proxy_protocol'],
);

const RAW_FIELDS = {
  ...arrayOf(arrayOf(TEXT)),
  description: 'Name and value of each field line as sent, one character per byte.',
};

/** The response of the endpoints that echo the request. */
export const echoSchema = objectSchema(
  'Echo',
  {
    method: TEXT,
    http_version: enumOf('HTTP/1.0', 'HTTP/1.1', 'HTTP/2.0'),
    url: TEXT,
    path: { ...TEXT, description: 'As sent, neither decoded nor normalized.' },
    query: { ...TEXT, description: 'As sent.' },
    args: GROUPED,
    headers: { ...mapSchema(TEXT), description: 'By lowercase name, with combined field lines.' },
    raw_headers: RAW_FIELDS,
    origin: TEXT,
    body: TEXT,
    body_encoding: enumOf('utf8', 'base64'),
    data: TEXT,
    form: {
      ...GROUPED,
      description: 'Also empty if the form has more than 50,000 pairs; it is in `data` then.',
    },
    files: GROUPED,
    json: {
      description:
        'The value if the body is JSON; also null if it would take more than 8 MiB when indented.',
    },
    trailers: { ...mapSchema(TEXT), description: 'Like `headers`, if there are trailers.' },
    raw_trailers: RAW_FIELDS,
    digest: digestSchema,
    trace: traceSchema,
    timing: { type: 'object', properties: { duration_ms: NUMBER }, required: ['duration_ms'] },
    instance: { ...TEXT, description: 'The name of the service, if it has one.' },
    process: { ...TEXT, description: 'New with every start.' },
    conn: connSchema,
    tls: { type: 'object', description: 'TLS only.' },
    http2: { ...http2Schema, description: 'HTTP/2 only.' },
    wire: {
      type: 'object',
      description:
        'The request as sent, byte by byte or frame by frame, or why it is `missing`; with --inspect only.',
    },
    connection: { ...TEXT, description: 'Only if the query has `connection=close`.' },
  },
  ['trailers', 'raw_trailers', 'digest', 'trace', 'instance', 'tls', 'http2', 'wire', 'connection'],
);

/** The echo as JSON text: the request as received, and its connection. */
export function echoText(request: Request, content: Buffer): string {
  const { fields, trailers } = request;
  const text = withFieldLines(prettyJson(echo(request, content)), 'raw_headers', fields);
  return trailers.length === 0 ? text : withFieldLines(text, 'raw_trailers', trailers);
}

/** Leaves `raw_headers` and `raw_trailers` empty for `withFieldLines()`. */
function echo(request: Request, content: Buffer): Record<string, unknown> {
  const { method, version, target, fields, trailers, connection } = request;
  const args = queryOf(request);
  const digests = DigestCheck.of(request);
  digests?.update(content);
  const trace = traceView(request);
  const view: Record<string, unknown> = {
    method,
    http_version: version,
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
  };
  const tls = tlsView(connection);
  if (tls) view['tls'] = tls;
  const http2 = http2View(request);
  if (http2) view['http2'] = http2;
  const wire = wireView(request);
  if (wire) view['wire'] = wire;
  if (wantsClose(args)) {
    view['connection'] = version === 'HTTP/2.0' ? 'close (ignored: HTTP/2)' : 'close';
  }
  return view;
}

/** Common declaration of the endpoints that echo the request. */
export const echoDeclaration = {
  group: 'echo',
  additionalQuery: 'Echoed in `args`; `connection=close` closes the connection on HTTP/1.x.',
  content: true,
  handle: ({ request, content }: Input<unknown, unknown>) => echoReply(request, content),
  responses: { 200: jsonResponse('The request as received.', echoSchema) },
} as const;

/** The echo as a response, after which the connection is closed with `?connection=close`. */
export function echoReply(request: Request, content: Buffer): Reply {
  return {
    ...reply('application/json', echoText(request, content)),
    close: wantsClose(queryOf(request)),
  };
}

/** Whether the query has `connection=close`; the value is case-insensitive. */
export function wantsClose(pairs: QueryPairs): boolean {
  return pairs.some(([name, value]) => name === 'connection' && value.toLowerCase() === 'close');
}

/** The request URL, from a trusted proxy's fields, the request or the connection, in this order. */
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
function wireView({ connection, requestNumber, stream }: Request) {
  const { inspector, notInspected } = connection;
  if (!inspector) return notInspected === undefined ? undefined : { missing: notInspected };
  const view = inspector.requestView(requestNumber, stream?.id);
  return view ?? { missing: 'the request is no longer kept' };
}

/** The `conn` object of the echo. */
function connView(request: Request): Record<string, unknown> {
  const { connection, requestNumber, stream } = request;
  const proxyProtocol = proxyProtocolView(connection);
  return {
    id: connection.id,
    ...(connection.worker !== undefined && { worker: connection.worker }),
    protocol: protocolOf(request),
    request: requestNumber,
    ...(stream && { stream: stream.id, open_streams: stream.open }),
    age_ms: millisecondsSince(connection.openedAt),
    remote: hostPort(connection.remoteAddress, connection.remotePort),
    local: hostPort(connection.localAddress, connection.localPort),
    ...(proxyProtocol && { proxy_protocol: proxyProtocol }),
  };
}
