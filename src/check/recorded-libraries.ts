import type { Records } from './recorded.ts';

/** `npm run docs` writes this file. */
export const libraries: Records = {
  go: {
    version: '1.26.8',
    origin: 'http/1.1',
    findings: {
      both: `hop/via-request target/query-question method/max-forwards method/max-forwards-zero interim/103-hop coding/decoded`,
      'http/1.1': `framing/http10-chunked target/fragment method/connect-rejected expect/http10 interim/http10 connection/empty-lines upgrade/h2c`,
      h2: `backpressure/stream-upload h2/length-twice h2/hpack-size-update`,
    },
    capabilities: {
      yes: `response-trailers interim websocket-http1 ranges upload-streamed client-address tls`,
      no: `post-retried request-trailers`,
      partly: `get-retried`,
    },
  },
  fiber: {
    version: '3.1.0',
    origin: 'http/1.1',
    findings: {
      both: ``,
      'http/1.1': `framing/coding-space-before-colon framing/chunk-size-prefix framing/space-before-colon framing/version framing/coding-two-lines framing/http10-chunked hop/connection-listed hop/keep-alive hop/proxy-connection hop/via-request
hop/response-connection-listed hop/version-request field/long target/long target/fragment host/missing host/repeated forwarding/spoofed-for forwarding/spoofed-forwarded forwarding/spoofed-proto method/max-forwards method/max-forwards-zero
method/connect-rejected expect/http10 interim/103 interim/102 interim/several interim/unregistered interim/101-unrequested origin/two-lengths-first origin/two-lengths-last origin/space-before-colon idle/closed upgrade/h2c
websocket/handshake limit/target`,
      h2: ``,
    },
    capabilities: {
      yes: `ranges client-address`,
      no: `post-retried request-trailers response-trailers interim websocket-http1 upload-streamed`,
      partly: `get-retried tls`,
    },
  },
  pingora: {
    version: '0.9.1',
    origin: 'http/1.1',
    findings: {
      both: `hop/via-request hop/response-connection-listed forwarding/spoofed-for forwarding/spoofed-forwarded forwarding/spoofed-proto method/max-forwards method/max-forwards-zero`,
      'http/1.1': `framing/same-length-twice framing/length-list hop/version-response target/fragment target/space target/control host/missing expect/http10 interim/http10 interim/103-hop interim/101-unrequested connection/pipelining-later connection/http10
tls/alpn-unknown`,
      h2: `cookie/crumbs interim/103-forwarded interim/102-forwarded interim/several-forwarded interim/unregistered-forwarded backpressure/stream-upload`,
    },
    capabilities: {
      yes: `websocket-http1 ranges upload-streamed tls`,
      no: `post-retried request-trailers response-trailers client-address`,
      partly: `get-retried interim`,
    },
  },
  jetty: {
    version: '12.1.14',
    origin: 'http/1.1',
    findings: {
      both: `hop/response-connection-listed target/encoded-slash target/encoded-slash-case forwarding/spoofed-for forwarding/spoofed-proto method/case method/max-forwards method/max-forwards-zero interim/unregistered interim/second-continue
interim/101-unrequested response/not-modified idle/stale-get limit/target`,
      'http/1.1': `framing/http10-chunked method/connect-rejected interim/http10 interim/103-hop`,
      h2: `cookie/crumbs response/204-without-content content/upload-unknown-length content/upload-untyped content/upload-trailers content/upload-untyped-trailers h2/transfer-encoding h2/keep-alive h2/upgrade h2/method-space websocket/extended-connect`,
    },
    capabilities: {
      yes: `interim ranges upload-streamed client-address tls`,
      no: `post-retried get-retried request-trailers response-trailers websocket-http1 websocket-h2`,
    },
  },
  undertow: {
    version: '2.4.4',
    origin: 'http/1.1',
    findings: {
      both: `hop/via-request hop/response-connection-listed forwarding/spoofed-forwarded method/max-forwards method/max-forwards-zero interim/103 interim/102 interim/several interim/unregistered response/not-modified-length trailer/several
truncation/request origin/two-lengths origin/two-lengths-first origin/two-lengths-last idle/stale-get`,
      'http/1.1': `framing/coding-after-chunked framing/chunked-twice framing/chunk-size-prefix framing/chunk-size-overflow framing/chunk-no-crlf framing/chunk-too-long framing/http10-chunked hop/connection-listed hop/connection-itself hop/keep-alive
hop/proxy-connection field/whitespace-inside interim/http10 connection/http10 connection/empty-lines tls/hello-records upgrade/h2c`,
      h2: `h2/name-colon h2/value-crlf h2/value-lf h2/value-nul h2/keep-alive h2/upgrade h2/repeated-authority h2/authority-userinfo h2/length-long h2/canceled-uploads h2/reset-flood tls/renegotiation-h2`,
    },
    capabilities: {
      yes: `request-trailers response-trailers websocket-http1 ranges upload-streamed client-address tls`,
      no: `post-retried get-retried interim`,
    },
  },
  vertx: {
    version: '5.2.3',
    origin: 'http/1.1',
    findings: {
      both: `hop/via-request hop/response-connection-listed forwarding/spoofed-forwarded method/max-forwards method/max-forwards-zero interim/102 interim/several interim/unregistered interim/103-forwarded interim/101-unrequested limit/target`,
      'http/1.1': `framing/name-empty hop/connection-listed hop/proxy-connection target/long target/fragment host/missing host/repeated host/malformed method/connect-rejected expect/continue websocket/handshake`,
      h2: `h2/path-space tls/renegotiation-h2`,
    },
    capabilities: {
      yes: `response-trailers ranges upload-streamed client-address tls`,
      no: `post-retried get-retried request-trailers interim websocket-http1`,
    },
  },
  'http-proxy-3': {
    version: '2.0.1',
    origin: 'http/1.1',
    findings: {
      both: `hop/via-request hop/response-connection-listed target/backslash target/asterisk forwarding/spoofed-forwarded forwarding/spoofed-proto method/max-forwards method/max-forwards-zero interim/103-forwarded interim/102-forwarded
interim/several-forwarded interim/unregistered-forwarded`,
      'http/1.1': `framing/http10-chunked hop/connection-listed hop/keep-alive hop/proxy-connection target/fragment host/repeated host/malformed host/absolute-form`,
      h2: `target/non-ascii method/case truncation/request h2/name-space h2/name-colon h2/name-empty h2/value-crlf h2/value-lf h2/value-nul`,
    },
    capabilities: {
      yes: `websocket-http1 ranges upload-streamed client-address tls`,
      no: `post-retried get-retried request-trailers response-trailers interim`,
    },
  },
  'http2-proxy': {
    version: '5.0.53',
    origin: 'http/1.1',
    findings: {
      both: `hop/via-request forwarding/spoofed-for forwarding/spoofed-proto method/max-forwards method/max-forwards-zero interim/103-forwarded interim/102-forwarded interim/several-forwarded interim/unregistered-forwarded content/options idle/stale-get`,
      'http/1.1': `framing/http10-chunked hop/connection-added target/fragment host/repeated host/malformed`,
      h2: `method/case h2/name-space h2/name-colon h2/name-empty h2/value-crlf h2/value-lf h2/value-nul`,
    },
    capabilities: {
      yes: `response-trailers websocket-http1 ranges upload-streamed tls`,
      no: `post-retried get-retried request-trailers interim`,
      partly: `client-address`,
    },
  },
  fastify: {
    version: '11.6.3',
    origin: 'http/1.1',
    findings: {
      both: `hop/via-request target/backslash target/asterisk forwarding/spoofed-for forwarding/spoofed-forwarded forwarding/spoofed-proto method/max-forwards method/max-forwards-zero interim/103-forwarded interim/102-forwarded interim/several-forwarded
interim/unregistered-forwarded response/not-modified-length coding/upload idle/stale-get`,
      'http/1.1': `framing/http10-chunked hop/keep-alive hop/proxy-connection hop/response-connection-listed target/fragment host/repeated host/malformed expect/continue`,
      h2: `target/non-ascii trailer/request content/upload-untyped content/upload-untyped-trailers truncation/request h2/name-space h2/name-colon h2/name-empty h2/value-crlf h2/value-lf h2/value-nul h2/length-short h2/length-long`,
    },
    capabilities: {
      yes: `ranges upload-streamed tls`,
      no: `post-retried request-trailers response-trailers interim websocket-http1 client-address`,
      partly: `get-retried`,
    },
  },
};
