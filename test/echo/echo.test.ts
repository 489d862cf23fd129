import { Socket } from 'node:net';
import * as fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { checkDigests } from '../../src/echo/digest-check.ts';
import type { Echo } from '../../src/echo/echo-schema.ts';
import { echoText } from '../../src/echo/echo-text.ts';
import { withFieldLines } from '../../src/echo/field-lines.ts';
import { http2View } from '../../src/echo/http2.ts';
import { proxyProtocolView } from '../../src/echo/proxy-protocol.ts';
import { urlOf } from '../../src/echo/request-url.ts';
import { tlsView } from '../../src/echo/tls.ts';
import { traceView } from '../../src/echo/trace.ts';
import { readMessageContent } from '../../src/http/content.ts';
import { combinedFields, fieldPairs, fieldValue } from '../../src/http/fields.ts';
import { hostPort } from '../../src/http/ip-address.ts';
import { groupByName } from '../../src/http/query.ts';
import { protocolOf } from '../../src/net/connection.ts';
import { TcpConnection } from '../../src/net/tcp-connection.ts';
import { queryOf } from '../../src/server/endpoint.ts';
import { prettyJson } from '../../src/server/reply.ts';
import type { Request } from '../../src/server/request.ts';
import { parseProxyHeader } from '../../src/wire/proxy-protocol/read.ts';
import { echoOf } from '../_echo.ts';
import { everywhere } from '../_everywhere.ts';
import { FakeExchange } from '../_exchange.ts';
import { tlv, v2 } from '../_proxy.ts';

const NOW = 1_234_567.891_234;

afterEach(() => {
  vi.restoreAllMocks();
});

const since = (start: number): number => Math.round((NOW - start) * 1000) / 1000;

/** The object that the text stands for. */
function objectOf(request: Request, content: Buffer): Record<keyof Echo, unknown> {
  const { connection, fields, trailers, stream, version, target } = request;
  const { id, worker, inspector, notInspected } = connection;
  const args = queryOf(request);
  const digests = checkDigests(request, content);
  const hasTrailers = trailers.length > 0;
  const missing = inspector ? 'the request is no longer kept' : notInspected;
  const ignored = version === 'HTTP/2.0' ? ' (ignored: HTTP/2)' : '';
  return {
    method: request.method,
    http_version: version,
    url: urlOf(request),
    path: target?.path ?? '',
    query: target?.query ?? '',
    args: groupByName(args),
    headers: combinedFields(fields),
    raw_headers: Array.from(fieldPairs(fields)),
    origin: connection.remoteAddress,
    ...readMessageContent(content, fieldValue(fields, 'content-type')),
    trailers: hasTrailers ? combinedFields(trailers) : undefined,
    raw_trailers: hasTrailers ? Array.from(fieldPairs(trailers)) : undefined,
    digest: digests,
    trace: traceView(request),
    timing: { duration_ms: since(request.receivedAt) },
    instance: connection.instance,
    process: connection.process,
    conn: {
      id,
      worker,
      protocol: protocolOf(request),
      request: request.requestNumber,
      stream: stream?.id,
      open_streams: stream?.open,
      age_ms: since(connection.openedAt),
      remote: hostPort(connection.remoteAddress, connection.remotePort),
      local: hostPort(connection.localAddress, connection.localPort),
      proxy_protocol: proxyProtocolView(connection),
    },
    tls: tlsView(connection),
    http2: http2View(request),
    wire: missing === undefined ? undefined : { missing },
    explained: undefined,
    field_names: undefined,
    connection: args.some(([name]) => name === 'connection') ? `close${ignored}` : undefined,
  };
}

/** JSON.stringify of an echo, with one field line per line. */
function format(
  echo: Readonly<Record<string, unknown>>,
  lines: Partial<Pick<Request, 'fields' | 'trailers'>>,
) {
  const { fields = [], trailers = [] } = lines;
  const hasTrailers = trailers.length > 0;
  const text = prettyJson({ ...echo, raw_headers: [], ...(hasTrailers && { raw_trailers: [] }) });
  const withHeaders = withFieldLines(text, 'raw_headers', fields);
  return hasTrailers ? withFieldLines(withHeaders, 'raw_trailers', trailers) : withHeaders;
}

const latin1 = fc.string({
  unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCodePoint(code)),
});
const names = fc.oneof(
  fc.constantFrom('Host', 'host', 'X-A', 'x-a', 'cookie', '12', '0', '__proto__', 'constructor'),
  fc.constantFrom('Content-Type', 'Trailer', 'traceparent', 'Content-Digest', 'Repr-Digest'),
  fc.string({
    unit: fc.constantFrom('a', 'B', '1', '-', '_', '!', '#'),
    minLength: 1,
    maxLength: 70,
  }),
);
const values = fc.oneof(
  latin1,
  fc.constantFrom('application/json', 'application/x-www-form-urlencoded', 'a="b\\c"'),
  fc.constantFrom('multipart/form-data; boundary=x', 'sha-256=:4oXb:, md5=:AAAA:'),
  fc.constant('00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'),
);
const sections = fc.array(fc.tuple(names, values), { maxLength: 70 }).map((pairs) => pairs.flat());
const contents = fc
  .oneof(
    fc.constantFrom(
      '',
      'a=b&a=c&1=%zz',
      '--x\r\ncontent-disposition: form-data; name=a\r\n\r\nb\r\n--x--',
    ),
    fc.json(),
    fc.string({ unit: 'binary' }),
    fc.uint8Array(),
  )
  .map((content) => (typeof content === 'string' ? Buffer.from(content) : Buffer.from(content)));
const targets = fc.oneof(
  fc.constantFrom('/anything', '/anything?a=b&a=&1=c', '/x?connection=close', 'http://a/?b', '*'),
  latin1.map((text) => `/${text}`),
);
const connections = fc
  .record({
    worker: fc.option(fc.nat(), { nil: undefined }),
    instance: fc.option(fc.string({ unit: 'binary' }), { nil: undefined }),
    notInspected: fc.option(fc.string(), { nil: undefined }),
    hasProxyHeader: fc.boolean(),
  })
  .map(({ notInspected, hasProxyHeader, ...origin }) => {
    const connection = new TcpConnection(new Socket(), { ...origin, process: 'p' });
    if (notInspected !== undefined) connection.inspect(notInspected);
    const header = parseProxyHeader(v2({ tlvs: [tlv(1, 'h2'), tlv(0xe0, '"')] }));
    if (hasProxyHeader && header.kind === 'header') {
      connection.identifyClient(header.header, undefined);
    }
    return connection;
  });

test('the text is that of JSON.stringify', () => {
  const requests = fc.record({
    target: targets,
    version: fc.constantFrom('HTTP/1.0', 'HTTP/1.1', 'HTTP/2.0'),
    fields: sections,
    trailers: sections,
    content: contents,
    connection: connections,
    receivedAt: fc.double({ min: 0, max: NOW, noNaN: true }),
    isRepeated: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(requests, { minLength: 1, maxLength: 3 }), (several) => {
      const [{ connection } = {}] = several;
      for (const { target, fields, version, isRepeated, ...given } of several) {
        const isHttp2 = version === 'HTTP/2.0';
        const content = isRepeated ? Buffer.alloc(0) : given.content;
        const request = new FakeExchange(target, {
          ...given,
          version,
          connection,
          fields: isHttp2 ? [':method', 'GET', ':path', target, ...fields] : fields,
          stream: isHttp2 ? STREAM : undefined,
          ...(isRepeated && { trailers: [], repeatedSection: {} }),
        });
        vi.spyOn(performance, 'now').mockReturnValue(NOW);
        const texts = [echoText(request, content), echoText(request, content)];
        vi.restoreAllMocks();
        const text = format(objectOf(request, content), request);
        expect(texts).toEqual([text, text]);
      }
    }),
  );
});

const STREAM = {
  id: 3,
  open: 2,
  errorCode: 0,
  session: { maxWindow: 0, acknowledgedSettings: undefined, sendSettings: none, ping: none },
  opening: { frames: undefined, sendWindow: undefined },
  windows: () => undefined,
};

async function none(): Promise<undefined> {}

everywhere(({ client }) => {
  test.each([
    ['no content', { headers: { 'x-a': 'a"b\\\tc\u00e9', 'x-b': ['1', '2'], 12: 'c' } }],
    [
      'a form',
      {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'a=b',
      },
    ],
    ['text', { method: 'PUT', headers: { 'content-digest': 'sha-256=:AAAA:' }, body: '\u20ac"' }],
    ['octets', { method: 'POST', headers: {}, body: Buffer.from([0xff, 0]) }],
  ])('an echo is formatted as JSON.stringify formats it: %s', async (_, options) => {
    const { body } = await client().request('/anything?a=%22&b', options);
    const echo = echoOf(body);
    expect(body.toString()).toBe(format({ ...echo }, { fields: echo.raw_headers.flat() }));
  });
});
