import { describe, expect, test } from 'vitest';
import type { FrontName } from '../../src/check/front.ts';
import { knownProxies } from './_proxies.ts';
import { recorded } from './_records.ts';

type Deviation = readonly [front: FrontName, id: string, outcome: 'fail' | 'differs'];

const h1 = (id: string, outcome: Deviation[2] = 'fail'): Deviation => ['http/1.1', id, outcome];
const h2 = (id: string, outcome: Deviation[2] = 'fail'): Deviation => ['h2', id, outcome];

/*
 * What is known of these proxies from their manuals, sources and issues, not from a report: what they do with
 * the configurations in docs/proxies/. Old versions do what the new ones do, and more.
 */

const nginx: readonly Deviation[] = [
  h1('field/underscore'), // underscores_in_headers is off.
  h1('field/dot'), // ignore_invalid_headers is on.
  h1('hop/connection-listed'),
  h1('hop/via-request'),
  h1('trailer/response', 'differs'),
  h2('trailer/request'),
  h1('retry/get-close', 'differs'), // A connection of the pool that is closed is no failed attempt.
  h2('origin/garbage'), // HTTP/0.9.
  h2('h2/connection'),
  h1('field/token-characters'),
  h1('hop/proxy-connection'),
  h1('hop/response-connection-listed'),
  h1('response/server', 'differs'),
  h1('response/long-field', 'differs'), // proxy_buffer_size is 4 or 8 KiB.
  h1('streaming/events', 'differs'), // proxy_buffering is on.
  h1('tls/misdirected', 'differs'),
  h1('method/max-forwards'),
  h1('streaming/upload', 'differs'), // proxy_request_buffering is on.
];

const haproxyToHttp1: readonly Deviation[] = [
  h1('hop/connection-listed'),
  h1('hop/via-request'),
  h1('hop/keep-alive'),
  h1('hop/proxy-connection'),
  h1('hop/response-connection-listed'),
  h1('field/name-case', 'differs'), // h1-case-adjust is off.
  h1('forwarding/spoofed-proto'),
  h1('limit/fields', 'differs'), // tune.http.maxhdr is 101.
  h1('hop/version-request'),
  h1('hop/version-response'),
  h1('response/date-added'),
  h1('tls/alpn-unknown'),
];

/** HAProxy 2.6 forwards them, and the origin refuses them. That is no refusal by the proxy. */
const forwarded = [h1('framing/nul'), h1('host/missing'), h1('host/malformed')];

const haproxyToHttp2: readonly Deviation[] = [
  h1('hop/connection-listed'),
  h1('interim/http10'),
  h1('goaway/get-unprocessed', 'differs'), // retry-on is conn-failure.
];

const nghttpx: readonly Deviation[] = [
  h1('host/repeated'),
  h1('target/encoded-slash-case', 'differs'),
  h1('target/dot-segments', 'differs'),
  h1('target/encoded-unreserved', 'differs'),
  h1('hop/connection-listed'),
  h1('response/server', 'differs'),
];

const lighttpd: readonly Deviation[] = [
  h1('target/encoded-slash'),
  h1('target/dot-segments', 'differs'),
  h1('target/double-slash', 'differs'),
  h1('field/empty-value'),
  h1('streaming/response', 'differs'),
  h2('h2/concurrent', 'differs'),
  h1('target/encoded-unreserved', 'differs'),
  h1('backend/sequential', 'differs'), // A connection for each request.
  h1('hop/via-request'),
  h1('hop/keep-alive'),
  h1('streaming/upload', 'differs'), // server.stream-request-body is 0.
];

const known: Readonly<Record<string, readonly Deviation[]>> = {
  nginx,
  'nginx-1.22': [
    ...nginx,
    h1('interim/103'), // Not before 1.29.
    h1('tls/version-1.3', 'differs'), // Not by default before 1.23.4.
  ],
  'haproxy-h1-2.6': [
    ...haproxyToHttp1,
    ...forwarded,
    h1('upgrade/h2c'), // The known way to smuggle h2c.
    h2('truncation/chunked'),
    h2('truncation/chunked-end'),
  ],
  'haproxy-h1': [...haproxyToHttp1, h1('upgrade/h2c', 'differs')], // Without Upgrade.
  'haproxy-h2-2.6': [...haproxyToHttp2, ...forwarded],
  'haproxy-h2': haproxyToHttp2,
  apache: [
    h1('hop/via-request'), // ProxyVia is off.
    h1('field/max-forwards', 'differs'),
    h1('trailer/request', 'differs'),
    h1('trailer/response', 'differs'),
    h2('interim/103-forwarded'), // H2EarlyHints is off.
    h1('forwarding/spoofed-proto'),
    h1('limit/fields', 'differs'), // LimitRequestFields is 100.
  ],
  'caddy-2.6': [
    h1('truncation/chunked'),
    h2('truncation/chunked'),
    h1('hop/via-request'),
    h1('upgrade/h2c'),
    h1('target/fragment'),
  ],
  caddy: [
    h1('upgrade/h2c'),
    h1('interim/http10'),
    h1('trailer/request', 'differs'),
    h1('method/trace', 'differs'),
    h1('coding/decoded'), // Go's transport asks for gzip, and keeps the ETag.
  ],
  nghttpx,
  'nghttpx-1.52': [...nghttpx, h1('framing/space-before-colon')],
  h2o: [
    h2('h2/method-space'), // This and the next three are refused by the origin only.
    h2('h2/path-space'),
    h2('h2/name-empty'),
    h1('framing/obs-fold'),
    h1('host/missing'),
    h1('framing/two-lengths'),
    h1('truncation/chunked-end'),
    h1('interim/103-forwarded'),
    h1('trailer/request', 'differs'),
    h1('trailer/response', 'differs'),
    h1('hop/connection-listed'),
    h1('hop/proxy-connection'),
    h1('response/server', 'differs'),
    h1('idle/stale-get'),
    h1('target/asterisk'),
    h1('streaming/upload', 'differs'),
  ],
  varnish: [
    h1('host/malformed'), // Refused by the origin only.
    h1('interim/103'),
    h1('cache/invalidation'),
    h1('field/many'), // http_max_hdr is 64.
    h1('content/get', 'differs'),
    h1('trailer/response'),
    h1('upgrade/h2c', 'differs'), // It upgrades itself.
    h1('hop/via-request'),
    h1('coding/accept-encoding', 'differs'), // http_gzip_support is on.
    h1('framing/chunk-size-prefix'),
    h1('limit/fields', 'differs'),
    h1('truncation/request'),
    h1('cache/must-revalidate-stale'), // Grace is 10 s.
    h1('cache/stale', 'differs'),
  ],
  'lighttpd-1.4.69': [...lighttpd, h1('truncation/chunked')],
  lighttpd,
  envoy: [
    h1('host/repeated'), // Refused by the origin only.
    h1('connection/http10', 'differs'), // accept_http_10 is off.
    h1('trailer/response', 'differs'), // enable_trailers is off.
    h1('hop/via-request'),
    h1('response/server', 'differs'),
    h1('field/name-case', 'differs'),
    h1('interim/103-forwarded'),
    h1('interim/102-forwarded'),
    h1('hop/response-connection-listed'),
    h1('limit/fields', 'differs'), // max_headers_count is 100.
    h1('idle/stale-get'), // Without a retry policy.
    h1('forwarding/spoofed-host', 'differs'),
    h1('tls/alpn-unknown'),
  ],
  traefik: [
    h1('hop/via-request'),
    h1('trailer/request', 'differs'),
    h1('target/dot-segments', 'differs'), // sanitizePath is on.
    h1('field/name-case', 'differs'), // Go writes names in their canonical form.
    h1('coding/decoded'),
  ],
  go: [
    h1('hop/via-request'),
    h1('field/name-case', 'differs'),
    h1('target/query-question'), // It cleans queries that Go's url.ParseQuery does not take whole.
    h1('coding/decoded'),
    h1('trailer/request', 'differs'),
    h1('upgrade/h2c'), // It forwards Upgrade, whatever is asked for.
    h1('interim/http10'),
  ],
  trafficserver: [
    h1('forwarding/spoofed-forwarded'), // proxy.config.http.insert_forwarded is none.
    h1('response/server', 'differs'), // proxy.config.http.response_server_enabled is 1.
    h1('coding/accept-encoding', 'differs'), // proxy.config.http.normalize_ae is 1.
    h2('trailer/request', 'differs'),
    h2('trailer/response', 'differs'),
    h1('hop/response-connection-listed'),
  ],
  squid: [
    h1('field/authorization'), // cache_peer without login=PASS.
    h1('target/space'), // uri_whitespace is strip.
    h1('forwarding/spoofed-forwarded'),
    h1('trailer/request', 'differs'),
    h1('trailer/response', 'differs'),
    h1('tls/alpn-h2', 'differs'), // HTTP/1.1 only.
  ],
  tinyproxy: [
    h1('hop/version-request'), // It speaks HTTP/1.0 to origins.
    h1('hop/version-response'),
    h1('field/repeated'), // It keeps one line of each name.
    h1('cookie/set-cookie'),
    h1('connection/persistent', 'differs'), // A connection for each request.
    h1('forwarding/client-address', 'differs'), // XTinyproxy is off.
  ],
  mitmproxy: [
    h1('hop/via-request'),
    h1('hop/connection-listed'),
    h1('streaming/response', 'differs'), // stream_large_bodies is not set.
    h1('streaming/upload', 'differs'),
    h1('trailer/response'),
  ],
  'proxy-py': [
    h1('hop/via-request'), // Only as a forward proxy.
    h1('field/repeated'), // It keeps one line of each name.
    h1('trailer/request', 'differs'),
    h1('backend/sequential', 'differs'), // No pool.
    h1('tls/alpn-h2', 'differs'), // No ALPN.
  ],
  fiber: [
    h1('hop/via-request'),
    h1('hop/keep-alive'), // It removes Connection only.
    h1('field/name-case', 'differs'), // Names are written in their canonical form.
    h1('limit/field', 'differs'), // ReadBufferSize is 4096.
    h1('method/propfind', 'differs'), // Not among RequestMethods.
    h1('streaming/response', 'differs'), // StreamResponseBody is off.
    h1('tls/alpn-h2', 'differs'), // HTTP/1.1 only.
  ],
  pingora: [
    h1('hop/via-request'), // No field is added but by the program.
    h1('forwarding/client-address', 'differs'),
    h1('hop/response-connection-listed'),
    h1('trailer/request', 'differs'),
    h1('trailer/response', 'differs'),
  ],
  jetty: [
    h1('target/encoded-slash'), // UriCompliance.DEFAULT refuses ambiguous paths.
    h2('host/preserved', 'differs'), // It looks for Host, not for :authority.
    h1('trailer/request', 'differs'),
    h1('trailer/response', 'differs'),
    h1('interim/101-unrequested'),
  ],
  undertow: [
    h1('hop/via-request'),
    h1('hop/connection-listed'),
    h1('field/order', 'differs'), // Fields are in a hash table.
    h1('interim/103'),
    h1('upgrade/h2c'), // It forwards Upgrade, whatever is asked for.
  ],
  vertx: [
    h1('hop/via-request'),
    h1('host/preserved', 'differs'), // Only with an interceptor.
    h1('trailer/request', 'differs'),
    h1('interim/103-forwarded'),
    h1('connection/http10', 'differs'), // 501.
  ],
  'http-proxy-3': [
    h1('hop/via-request'),
    h1('hop/connection-listed'),
    h1('interim/103-forwarded'),
    h1('trailer/request', 'differs'),
    h1('backend/sequential', 'differs'), // Connection: close, without an agent.
  ],
  'http2-proxy': [
    h1('hop/via-request'), // Without proxyName.
    h1('host/preserved', 'differs'),
    h1('interim/103-forwarded'),
    h1('trailer/request', 'differs'),
  ],
  fastify: [
    h1('hop/via-request'),
    h1('host/preserved', 'differs'),
    h1('forwarding/client-address', 'differs'), // No field is added but by rewriteRequestHeaders.
    h1('hop/keep-alive'), // undici refuses the field.
    h1('expect/continue'), // undici refuses the field.
    h1('interim/103-forwarded'),
    h1('trailer/request', 'differs'),
  ],
};

describe('known deviations are found', () => {
  test.each(knownProxies)('$title: $name', (proxy) => {
    const outcomes = recorded(proxy)?.outcomes;
    const deviations = known[proxy.name] ?? [];
    const found = deviations.map(([front, id]) => [front, id, outcomes?.get(`${front} ${id}`)]);
    expect(found).toEqual(deviations);
    expect(deviations.length).toBeGreaterThan(0);
  });
});
