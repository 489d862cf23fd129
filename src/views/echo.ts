import { readMessageContent } from '../http/content.ts';
import { queryOf } from '../http/endpoint.ts';
import type { Request } from '../http/exchange.ts';
import { fieldPairs, fieldValue, joinedFields } from '../http/fields.ts';
import { grouped, type QueryPairs } from '../http/query.ts';
import { json, type Reply } from '../http/reply.ts';
import { hostPort, type Connection } from '../wire/connection.ts';
import { echoSchema } from './echo-schema.ts';
import { tlsView } from './tls.ts';

/** The echo object: the request as it came, and the connection it came on. */
export function echo(request: Request, content: Buffer): Record<string, unknown> {
  const { method, version, target, fields, connection } = request;
  const args = queryOf(request);
  const view: Record<string, unknown> = {
    method,
    http_version: version,
    url: urlOf(request),
    path: target?.path ?? '',
    query: target?.query ?? '',
    args: grouped(args),
    headers: joinedFields(fields),
    raw_headers: [...fieldPairs(fields)],
    origin: connection.remoteAddress,
    ...readMessageContent(content, fieldValue(fields, 'content-type')),
    timing: { duration_ms: Number((performance.now() - request.receivedAt).toFixed(3)) },
    conn: connView(request),
  };
  const tls = tlsView(connection);
  if (tls) view['tls'] = tls;
  if (closes(args)) {
    view['connection'] = version === 'HTTP/2.0' ? 'close (ignored: HTTP/2)' : 'close';
  }
  return view;
}

/** What the declarations of all endpoints that echo have in common. */
export const echoDeclaration = {
  group: 'echo',
  freeQuery: 'Echoed in `args`; `connection=close` closes the connection on HTTP/1.x.',
  content: true,
  responses: {
    200: {
      description: 'The request as it came.',
      content: ['application/json'],
      schema: echoSchema,
    },
  },
} as const;

/** The echo as an answer, the connection's last where `?connection=close` asks for that. */
export function echoReply(request: Request, content: Buffer): Reply {
  return { ...json(echo(request, content)), close: closes(queryOf(request)) };
}

/** Whether the query has `connection=close`, the value in any case. */
export function closes(pairs: QueryPairs): boolean {
  return pairs.some(([name, value]) => name === 'connection' && value.toLowerCase() === 'close');
}

/** The URL as the server sees it: what was not sent comes from the connection. */
export function urlOf(request: Request): string {
  const { target } = request;
  if (!target) return '';
  return target.form === 'absolute' ? target.raw : `${originOf(request)}${target.raw}`;
}

/** Scheme and authority of that URL. */
export function originOf({ target, fields, connection }: Request): string {
  if (target?.form === 'absolute') return `${target.scheme}://${target.authority}`;
  const scheme = connection.tls ? 'https' : 'http';
  const authority = fieldValue(fields, ':authority') ?? fieldValue(fields, 'host');
  return `${scheme}://${authority || localAuthority(connection)}`;
}

function localAuthority({ localAddress, localPort }: Connection): string {
  return hostPort(localAddress, localPort);
}

/** The connection's ledger as of this request. */
export function connView({ connection, ordinal, stream }: Request): Record<string, unknown> {
  return {
    id: connection.id,
    ...(connection.worker !== undefined && { worker: connection.worker }),
    protocol: connection.protocol,
    request: ordinal,
    ...(stream && { stream: stream.id, open_streams: stream.open }),
    age_ms: Number((performance.now() - connection.openedAt).toFixed(3)),
    remote: hostPort(connection.remoteAddress, connection.remotePort),
    local: hostPort(connection.localAddress, connection.localPort),
  };
}
