import { hostPort } from '../http/ip-address.ts';
import { protocolOf, type Connection } from '../net/connection.ts';
import type { Request } from '../server/request.ts';
import { REQUEST_PROTOCOLS, type Echo } from './echo-schema.ts';
import { http2View } from './http2.ts';
import type { Http2View } from './http2-schema.ts';
import { proxyProtocolView } from './proxy-protocol.ts';
import { tlsView } from './tls.ts';

/** JSON text of the echo's members from `instance` to `http2`, without what each request of a connection changes. */
interface ConnectionText {
  /** Up to the members of `conn` that come before `request`. */
  readonly start: string;
  /** From the members of `conn` that come after `age_ms`. */
  readonly end: string;
  /** What it is made for. HTTP/1.x: each request has its own version. */
  readonly version: string;
  readonly http2: Http2View | undefined;
}

const cache = new WeakMap<Connection, ConnectionText>();

/** The text of a request's connection. It is made again only if version or order of pseudo-header fields change. */
export function connectionText(request: Request): ConnectionText {
  const { connection, version } = request;
  const http2 = http2View(request);
  const cached = cache.get(connection);
  if (cached?.version === version && cached.http2 === http2) return cached;
  const text = makeText(request, http2);
  cache.set(connection, text);
  return text;
}

type Conn = Echo['conn'];

function makeText(request: Request, http2: Http2View | undefined): ConnectionText {
  const { connection, version } = request;
  const { instance, process, id, worker } = connection;
  const before: Pick<Conn, 'id' | 'worker' | 'protocol'> = {
    id,
    worker,
    protocol: knownMember(REQUEST_PROTOCOLS, protocolOf(request)),
  };
  const after: Pick<Conn, 'remote' | 'local' | 'proxy_protocol'> = {
    remote: hostPort(connection.remoteAddress, connection.remotePort),
    local: hostPort(connection.localAddress, connection.localPort),
    proxy_protocol: proxyProtocolView(connection),
  };
  const start = { instance, process, conn: before };
  const end: Pick<Echo, 'tls' | 'http2'> = { tls: tlsView(connection), http2 };
  return {
    start: JSON.stringify(start, null, 2).slice('{\n'.length, -'\n  }\n}'.length),
    end: JSON.stringify({ conn: after, ...end }, null, 2).slice(
      '{\n  "conn": {\n'.length,
      -'\n}'.length,
    ),
    version,
    http2,
  };
}

function knownMember<const T extends string>(all: readonly T[], text: string): T {
  const member = all.find((each) => each === text);
  if (member === undefined) throw new TypeError(`${text} is not one of ${all.join(', ')}`);
  return member;
}
