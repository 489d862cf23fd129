import type { IncomingHttpHeaders } from 'node:http';

// The object of wirebin's echo (src/echo/echo-schema.ts), made anew for each request as most would make it. What
// wirebin remembers of a connection is given.

/** What is known of a connection before its first request. */
export interface Connection {
  readonly id: string;
  readonly protocol: string;
  readonly openedAt: number;
  readonly remote: string;
  readonly local: string;
  requests: number;
  open: number;
  /** Where the protocol has them. */
  readonly tls: object | undefined;
  readonly http2: object | undefined;
}

/** A request, as far as it is echoed. */
export interface Echoed {
  readonly method: string;
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly receivedAt: number;
  readonly connection: Connection;
  /** Of the connection. */
  readonly number: number;
  /** On HTTP/2. */
  readonly stream: number | undefined;
}

const PROCESS = 'a64dcd57-678b-4796-ac8e-474f096be598';

/** As wirebin shows that of the load of this folder. */
export const TLS = {
  version: 'TLSv1.3',
  cipher_suite: 'TLS_AES_256_GCM_SHA384',
  alpn: 'h2',
  client_cert_present: false,
  client_certs: [],
  client_certs_complete: true,
  sni: null,
  session_reused: false,
  ja3: '771,4866-4867-4865-49199-49195-49200-49196-158-49191-103-49192-107-163-159-52393-52392-52394-49327-49325-49315-49311-49245-49249-49239-49235-162-49326-49324-49314-49310-49244-49248-49238-49234-49188-106-49187-64-49162-49172-57-56-49161-49171-51-50-157-49313-49309-49233-156-49312-49308-49232-61-60-53-47-255,11-10-35-16-22-23-13-43-45-51,29-23-30-25-24-256-257-258-259-260,0-1-2',
  ja3_hash: '44f88fca027f27bab4bb08d4af15f23e',
  ja3n: '771,4866-4867-4865-49199-49195-49200-49196-158-49191-103-49192-107-163-159-52393-52392-52394-49327-49325-49315-49311-49245-49249-49239-49235-162-49326-49324-49314-49310-49244-49248-49238-49234-49188-106-49187-64-49162-49172-57-56-49161-49171-51-50-157-49313-49309-49233-156-49312-49308-49232-61-60-53-47-255,10-11-13-16-22-23-35-43-45-51,29-23-30-25-24-256-257-258-259-260,0-1-2',
  ja3n_hash: 'aebae76cf0384bfda378485143196c66',
  ja4: 't13i591000_a33745022dd6_1f22a2ca17c4',
};

export const HTTP2 = {
  akamai_fingerprint: '2:0;4:1073741824|1073676289|0|m,p,a,s',
  akamai_fingerprint_hash: 'fd07c74c4990fc43ef9f4b3277cf3cf2',
  first_flight: { complete: true },
};

function pairsOf(rawHeaders: readonly string[]): string[][] {
  const pairs: string[][] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) pairs.push(rawHeaders.slice(at, at + 2));
  return pairs;
}

/** Without pseudo-header fields. */
function fieldsOf(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const fields: IncomingHttpHeaders = {};
  for (const name in headers) if (!name.startsWith(':')) fields[name] = headers[name];
  return fields;
}

const since = (time: number): number => Math.round((performance.now() - time) * 1000) / 1000;

/** Members that are undefined have no text. */
export function echoOf(request: Echoed): object {
  const { method, target, headers, rawHeaders, receivedAt, connection, stream } = request;
  const { tls, http2 } = connection;
  const mark = target.indexOf('?');
  const query = mark < 0 ? '' : target.slice(mark + 1);
  return {
    method,
    http_version: http2 ? 'HTTP/2.0' : 'HTTP/1.1',
    url: `${tls ? 'https' : 'http'}://${headers.host ?? String(headers[':authority'])}${target}`,
    path: mark < 0 ? target : target.slice(0, mark),
    query,
    args: query === '' ? {} : Object.fromEntries(new URLSearchParams(query)),
    headers: http2 ? fieldsOf(headers) : headers,
    raw_headers: pairsOf(rawHeaders),
    origin: '127.0.0.1',
    body: '',
    body_encoding: 'utf8',
    data: '',
    form: {},
    files: {},
    json: null,
    timing: { duration_ms: since(receivedAt) },
    process: PROCESS,
    conn: {
      id: connection.id,
      protocol: connection.protocol,
      request: request.number,
      stream,
      open_streams: http2 && connection.open,
      age_ms: since(connection.openedAt),
      remote: connection.remote,
      local: connection.local,
    },
    tls,
    http2,
  };
}
