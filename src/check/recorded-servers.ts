import type { Records } from './recorded.ts';

/** `npm run docs` writes this file. */
export const servers: Records = {
  'nginx-1.22': {
    version: '1.22.1',
    origin: 'http/1.1',
    findings: {
      both: `hop/via-request hop/response-connection-listed field/underscore field/dot field/token-characters forwarding/spoofed-forwarded method/max-forwards method/max-forwards-zero interim/103 interim/102 interim/several interim/unregistered
interim/101-unrequested origin/two-lengths-first origin/two-lengths-last origin/no-colon origin/garbage origin/no-status`,
      'http/1.1': `framing/no-colon hop/connection-listed hop/proxy-connection target/fragment`,
      h2: `trailer/request h2/connection h2/transfer-encoding h2/keep-alive h2/upgrade h2/te h2/late-pseudo h2/authority-userinfo h2/rst-idle h2/data-idle h2/window-idle h2/hpack-size-update h2/hpack-padding`,
    },
    capabilities: {
      yes: `ranges client-address`,
      no: `post-retried request-trailers response-trailers interim websocket-http1 upload-streamed`,
      partly: `get-retried tls`,
    },
    later: {
      version: '1.30.6',
      passes: `interim/103 origin/two-lengths-first origin/two-lengths-last h2/authority-userinfo`,
    },
  },
  nginx: {
    version: '1.30.6',
    origin: 'http/1.1',
    findings: {
      both: `hop/via-request hop/response-connection-listed field/underscore field/dot field/token-characters forwarding/spoofed-forwarded method/max-forwards method/max-forwards-zero interim/102 interim/several interim/unregistered
interim/103-forwarded interim/101-unrequested origin/no-colon origin/garbage origin/no-status`,
      'http/1.1': `framing/no-colon hop/connection-listed hop/proxy-connection target/fragment`,
      h2: `trailer/request h2/connection h2/transfer-encoding h2/keep-alive h2/upgrade h2/te h2/late-pseudo h2/rst-idle h2/data-idle h2/window-idle h2/hpack-size-update h2/hpack-padding`,
    },
    capabilities: {
      yes: `ranges client-address tls`,
      no: `post-retried request-trailers response-trailers interim websocket-http1 upload-streamed`,
      partly: `get-retried`,
    },
  },
  'haproxy-h1-2.6': {
    version: '2.6.12',
    origin: 'http/1.1',
    findings: {
      both: `hop/via-request hop/response-connection-listed forwarding/spoofed-forwarded forwarding/spoofed-proto method/max-forwards method/max-forwards-zero interim/103-content interim/103-hop response/date-added origin/nul`,
      'http/1.1': `framing/nul hop/connection-listed hop/connection-itself hop/keep-alive hop/proxy-connection hop/version-request hop/version-response host/missing host/malformed method/connect-rejected tls/alpn-unknown upgrade/h2c`,
      h2: `truncation/chunked truncation/chunked-end origin/chunk-size origin/chunk-overflow retry/processed backpressure/stream-upload h2/authority-userinfo h2/padded`,
    },
    capabilities: {
      yes: `request-trailers response-trailers interim websocket-http1 websocket-h2 ranges upload-streamed client-address tls`,
      no: `post-retried get-retried`,
    },
    later: {
      version: '3.2.26',
      passes: `framing/nul host/malformed interim/103-content truncation/chunked truncation/chunked-end origin/nul origin/chunk-size origin/chunk-overflow h2/authority-userinfo h2/padded`,
    },
  },
  'haproxy-h1': {
    version: '3.2.26',
    origin: 'http/1.1',
    findings: {
      both: `hop/via-request hop/response-connection-listed forwarding/spoofed-forwarded forwarding/spoofed-proto method/max-forwards method/max-forwards-zero interim/103-hop response/date-added`,
      'http/1.1': `hop/connection-listed hop/connection-itself hop/keep-alive hop/proxy-connection hop/version-request hop/version-response host/missing method/connect-rejected tls/alpn-unknown`,
      h2: `retry/processed backpressure/stream-upload`,
    },
    capabilities: {
      yes: `request-trailers response-trailers interim websocket-http1 websocket-h2 ranges upload-streamed client-address tls`,
      no: `post-retried get-retried`,
    },
  },
  'haproxy-h2-2.6': {
    version: '2.6.12',
    origin: 'h2c',
    findings: {
      both: `hop/via-request forwarding/spoofed-forwarded forwarding/spoofed-proto method/max-forwards method/max-forwards-zero interim/103-content truncation/request`,
      'http/1.1': `framing/nul hop/connection-listed host/missing host/malformed method/connect-rejected expect/http10 interim/http10 connection/http10 tls/alpn-unknown`,
      h2: `retry/processed backpressure/stream-unread backpressure/stream-upload backpressure/frames-read flow/header-table h2/authority-userinfo h2/padded grpc/cut-off grpc/padded-response`,
    },
    capabilities: {
      yes: `request-trailers response-trailers interim grpc-unary grpc-streams grpc-status ranges upload-streamed client-address tls`,
      no: `post-retried get-retried`,
    },
    later: {
      version: '3.2.26',
      passes: `framing/nul host/malformed interim/103-content truncation/request backpressure/stream-unread backpressure/frames-read h2/authority-userinfo h2/padded grpc/cut-off grpc/padded-response`,
    },
  },
  'haproxy-h2': {
    version: '3.2.26',
    origin: 'h2c',
    findings: {
      both: `hop/via-request forwarding/spoofed-forwarded forwarding/spoofed-proto method/max-forwards method/max-forwards-zero`,
      'http/1.1': `hop/connection-listed host/missing method/connect-rejected expect/http10 interim/http10 connection/http10 tls/alpn-unknown`,
      h2: `retry/processed backpressure/stream-upload flow/header-table`,
    },
    capabilities: {
      yes: `request-trailers response-trailers interim grpc-unary grpc-streams grpc-status ranges upload-streamed client-address tls`,
      no: `post-retried get-retried`,
    },
  },
  apache: {
    version: '2.4.71',
    origin: 'http/1.1',
    findings: {
      both: `hop/via-request forwarding/spoofed-forwarded forwarding/spoofed-proto origin/two-lengths origin/two-lengths-first origin/two-lengths-last`,
      'http/1.1': `framing/http10-chunked`,
      h2: `interim/103-forwarded interim/several-forwarded truncation/request idle/stale-get`,
    },
    capabilities: {
      yes: `ranges client-address tls`,
      no: `post-retried get-retried request-trailers websocket-http1 upload-streamed`,
      partly: `response-trailers interim`,
    },
  },
  'caddy-2.6': {
    version: '2.6.2',
    origin: 'http/1.1',
    findings: {
      both: `hop/via-request forwarding/spoofed-forwarded method/max-forwards method/max-forwards-zero interim/103-hop coding/decoded truncation/chunked truncation/chunked-end origin/chunk-size origin/chunk-overflow`,
      'http/1.1': `framing/length-empty framing/http10-chunked target/fragment method/connect-rejected expect/http10 interim/http10 origin/nul connection/empty-lines upgrade/h2c`,
      h2: `backpressure/stream-upload h2/authority-userinfo h2/length-twice h2/hpack-size-update h2/continuation-flood`,
    },
    capabilities: {
      yes: `response-trailers interim websocket-http1 ranges upload-streamed client-address tls`,
      no: `post-retried request-trailers`,
      partly: `get-retried`,
    },
    later: {
      version: '2.11.7',
      passes: `framing/length-empty hop/via-request truncation/chunked truncation/chunked-end origin/nul origin/chunk-size origin/chunk-overflow h2/authority-userinfo h2/continuation-flood`,
    },
  },
  caddy: {
    version: '2.11.7',
    origin: 'http/1.1',
    findings: {
      both: `field/underscore field/dot forwarding/spoofed-forwarded method/max-forwards method/max-forwards-zero interim/103-hop coding/decoded`,
      'http/1.1': `framing/http10-chunked target/fragment method/connect-rejected expect/http10 interim/http10 connection/empty-lines upgrade/h2c`,
      h2: `backpressure/stream-upload h2/length-twice h2/hpack-size-update`,
    },
    capabilities: {
      yes: `response-trailers interim websocket-http1 ranges upload-streamed client-address tls`,
      no: `post-retried request-trailers`,
      partly: `get-retried`,
    },
  },
  'nghttpx-1.52': {
    version: '1.52.0',
    origin: 'h2c',
    findings: {
      both: `forwarding/spoofed-forwarded method/max-forwards method/max-forwards-zero`,
      'http/1.1': `framing/space-before-colon framing/http10-chunked hop/connection-listed target/fragment host/repeated host/malformed method/connect-rejected tls/alpn-unknown`,
      h2: `backpressure/stream-upload h2/authority-userinfo`,
    },
    capabilities: {
      yes: `request-trailers response-trailers interim grpc-unary grpc-streams grpc-status ranges upload-streamed client-address tls`,
      no: `post-retried get-retried`,
    },
    later: {
      version: '1.70.0',
      passes: `framing/space-before-colon framing/http10-chunked host/malformed method/connect-rejected h2/authority-userinfo`,
    },
  },
  nghttpx: {
    version: '1.70.0',
    origin: 'h2c',
    findings: {
      both: `forwarding/spoofed-forwarded method/max-forwards method/max-forwards-zero`,
      'http/1.1': `hop/connection-listed target/fragment host/repeated tls/alpn-unknown`,
      h2: `backpressure/stream-upload h2/name-space h2/name-colon h2/name-empty h2/value-crlf h2/value-lf h2/value-nul`,
    },
    capabilities: {
      yes: `request-trailers response-trailers interim grpc-unary grpc-streams grpc-status ranges upload-streamed client-address tls`,
      no: `post-retried get-retried`,
    },
  },
  h2o: {
    version: '2.2.5',
    origin: 'http/1.1',
    findings: {
      both: `hop/response-connection-listed target/asterisk forwarding/spoofed-forwarded method/max-forwards method/max-forwards-zero interim/103-forwarded interim/102-forwarded interim/several-forwarded interim/unregistered-forwarded
interim/101-unrequested truncation/chunked-end origin/obs-fold idle/stale-get`,
      'http/1.1': `framing/two-lengths framing/chunk-size-prefix framing/obs-fold framing/http10-chunked hop/connection-listed hop/proxy-connection target/fragment host/missing host/repeated host/malformed host/absolute-form method/malformed
method/connect-rejected expect/http10 origin/length-and-chunked tls/alpn-unknown`,
      h2: `trailer/request h2/name-empty h2/keep-alive h2/empty-path h2/path-space h2/method-space h2/authority-userinfo`,
    },
    capabilities: {
      yes: `ranges client-address tls`,
      no: `post-retried get-retried request-trailers response-trailers interim websocket-http1 upload-streamed`,
    },
  },
  varnish: {
    version: '7.1.1',
    origin: 'http/1.1',
    findings: {
      both: `hop/via-request field/many forwarding/spoofed-forwarded forwarding/spoofed-proto method/max-forwards method/max-forwards-zero interim/103 interim/102 interim/several interim/unregistered cache/expires cache/vary-list-star
cache/must-revalidate-stale cache/invalidation trailer/request trailer/response truncation/request origin/two-lengths origin/two-lengths-first origin/two-lengths-last`,
      'http/1.1': `framing/chunk-size-prefix framing/chunk-size-sign framing/chunk-size-overflow framing/chunk-extension framing/coding-two-lines framing/chunk-extension-lf framing/chunk-no-crlf framing/chunk-too-long framing/http10-chunked
hop/proxy-connection target/fragment host/malformed host/absolute-form method/malformed tls/alpn-unknown`,
      h2: `truncation/chunked truncation/chunked-end origin/chunk-size origin/chunk-overflow h2/connection h2/transfer-encoding h2/keep-alive h2/upgrade h2/te h2/late-pseudo h2/no-scheme h2/authority-userinfo h2/hpack-size-update h2/continuation-flood`,
    },
    capabilities: {
      yes: `upload-streamed client-address tls`,
      no: `post-retried request-trailers response-trailers interim websocket-http1`,
      partly: `get-retried ranges`,
    },
  },
  'lighttpd-1.4.69': {
    version: '1.4.69',
    origin: 'http/1.1',
    findings: {
      both: `hop/via-request hop/response-connection-listed field/empty-value target/encoded-slash target/encoded-slash-case target/query-encoded target/query-brackets target/malformed-percent forwarding/spoofed-forwarded method/max-forwards
method/max-forwards-zero interim/103-hop interim/101-unrequested trailer/response truncation/chunked truncation/chunked-end origin/two-lengths origin/two-lengths-first origin/two-lengths-last origin/obs-fold origin/nul origin/chunk-size
origin/chunk-overflow`,
      'http/1.1': `hop/connection-listed hop/keep-alive target/fragment target/space connection/empty-lines`,
      h2: `h2/keep-alive`,
    },
    capabilities: {
      yes: `interim websocket-http1 websocket-h2 ranges client-address tls`,
      no: `post-retried get-retried request-trailers response-trailers upload-streamed`,
    },
    later: {
      version: '1.4.85',
      passes: `truncation/chunked truncation/chunked-end origin/obs-fold origin/chunk-size origin/chunk-overflow`,
    },
  },
  lighttpd: {
    version: '1.4.85',
    origin: 'http/1.1',
    findings: {
      both: `hop/via-request hop/response-connection-listed field/empty-value target/encoded-slash target/encoded-slash-case target/query-encoded target/query-brackets target/malformed-percent forwarding/spoofed-forwarded method/max-forwards
method/max-forwards-zero interim/103-hop interim/101-unrequested trailer/response origin/two-lengths origin/two-lengths-first origin/two-lengths-last`,
      'http/1.1': `hop/connection-listed hop/keep-alive target/fragment target/space connection/empty-lines`,
      h2: `h2/keep-alive h2/canceled-uploads`,
    },
    capabilities: {
      yes: `interim websocket-http1 websocket-h2 ranges client-address`,
      no: `post-retried get-retried request-trailers response-trailers upload-streamed`,
      partly: `tls`,
    },
  },
  envoy: {
    version: '1.40.0',
    origin: 'http/1.1',
    findings: {
      both: `hop/via-request hop/response-connection-listed forwarding/spoofed-forwarded method/max-forwards method/max-forwards-zero interim/103-forwarded interim/102-forwarded interim/several-forwarded interim/unregistered-forwarded
interim/101-unrequested idle/stale-get`,
      'http/1.1': `framing/bare-cr framing/chunk-too-long host/repeated tls/alpn-unknown`,
      h2: ``,
    },
    capabilities: {
      yes: `ranges upload-streamed client-address tls`,
      no: `post-retried get-retried request-trailers response-trailers interim websocket-http1`,
    },
  },
  traefik: {
    version: '3.7.15',
    origin: 'http/1.1',
    findings: {
      both: `hop/via-request target/query-question forwarding/spoofed-forwarded method/max-forwards method/max-forwards-zero interim/103-hop coding/decoded`,
      'http/1.1': `framing/http10-chunked expect/http10 interim/http10 connection/empty-lines`,
      h2: `backpressure/stream-upload h2/length-twice h2/hpack-size-update`,
    },
    capabilities: {
      yes: `response-trailers interim websocket-http1 ranges upload-streamed client-address tls`,
      no: `post-retried request-trailers`,
      partly: `get-retried`,
    },
  },
  trafficserver: {
    version: '9.2.9',
    origin: 'http/1.1',
    findings: {
      both: `hop/response-connection-listed forwarding/spoofed-forwarded forwarding/spoofed-proto interim/102 interim/several interim/unregistered interim/101-unrequested origin/304-with-content connection/mixed-up backend/unfinished`,
      'http/1.1': `hop/connection-listed target/fragment host/missing method/connect-rejected expect/http10 expect/content-later interim/103-joined connection/empty-lines`,
      h2: `target/asterisk interim/103-hop h2/name-colon h2/authority-userinfo`,
    },
    capabilities: {
      yes: `websocket-http1 ranges upload-streamed client-address tls`,
      no: `post-retried`,
      partly: `get-retried request-trailers response-trailers interim`,
    },
  },
  squid: {
    version: '5.7',
    origin: 'http/1.1',
    findings: {
      both: ``,
      'http/1.1': `framing/coding-spelling framing/coding-obfuscated framing/http10-chunked field/authorization target/fragment target/space target/asterisk host/missing host/repeated host/malformed forwarding/spoofed-forwarded forwarding/spoofed-proto
method/case expect/http10 origin/204-with-content origin/304-with-content tls/version-1.0 tls/version-1.1`,
      h2: ``,
    },
    capabilities: {
      yes: `interim ranges upload-streamed client-address`,
      no: `post-retried request-trailers response-trailers websocket-http1`,
      partly: `get-retried tls`,
    },
  },
  tinyproxy: {
    version: '1.11.1',
    origin: 'http/1.1',
    findings: {
      both: ``,
      'http/1.1': `framing/length-and-chunked framing/two-lengths framing/length-list framing/length-sign framing/length-hex framing/length-empty framing/coding-unknown framing/coding-after-chunked framing/chunked-twice framing/coding-spelling
framing/coding-space-before-colon framing/chunk-size-prefix framing/chunk-size-sign framing/chunk-bare-lf framing/obs-fold framing/space-before-colon framing/nul framing/bare-cr framing/first-line-space framing/name-empty
framing/coding-obfuscated framing/coding-two-lines framing/chunk-extension-lf framing/chunk-no-crlf framing/chunk-too-long hop/connection-several hop/connection-content-length hop/version-request hop/version-response field/repeated
field/equal-lines cookie/set-cookie target/fragment target/control host/missing host/repeated host/malformed forwarding/spoofed-for forwarding/spoofed-forwarded forwarding/spoofed-proto method/max-forwards method/max-forwards-zero
method/malformed interim/101-unrequested response/repeated response/date-added response/field-vary response/field-link response/field-www-authenticate response/field-content-security-policy trailer/request origin/length-and-chunked
origin/two-lengths origin/two-lengths-first origin/two-lengths-last origin/space-before-colon origin/obs-fold origin/nul origin/no-status origin/bytes-after origin/204-with-content origin/304-with-content origin/head-with-content
connection/close-announced`,
      h2: ``,
    },
    capabilities: {
      yes: `response-trailers interim ranges upload-streamed`,
      no: `post-retried get-retried request-trailers websocket-http1 client-address`,
    },
  },
  mitmproxy: {
    version: '12.3.1',
    origin: 'http/1.1',
    findings: {
      both: `hop/via-request hop/response-connection-listed forwarding/spoofed-for forwarding/spoofed-forwarded forwarding/spoofed-proto method/max-forwards method/max-forwards-zero interim/103 interim/102 interim/several interim/unregistered
response/date-added trailer/response origin/obs-fold origin/nul`,
      'http/1.1': `framing/coding-spelling framing/chunk-bare-lf framing/obs-fold framing/nul framing/bare-cr framing/version hop/connection-listed hop/connection-itself hop/keep-alive hop/proxy-connection hop/version-request hop/version-response
target/fragment target/control host/missing host/repeated host/malformed host/absolute-form method/malformed expect/http10 interim/101-unrequested trailer/request connection/empty-lines idle/stale-get tls/alpn-unknown tls/close-notify
websocket/compressed-fragments`,
      h2: `content/upload-unknown-length content/get-whole content/upload-untyped content/upload-trailers content/upload-untyped-trailers h2/path-space h2/method-space h2/reset-flood`,
    },
    capabilities: {
      yes: `ranges tls`,
      no: `post-retried get-retried request-trailers response-trailers interim upload-streamed client-address`,
      partly: `websocket-http1`,
    },
  },
  'proxy-py': {
    version: '2.4.10',
    origin: 'http/1.1',
    findings: {
      both: ``,
      'http/1.1': `framing/length-and-chunked framing/length-sign framing/chunk-size-prefix framing/chunk-size-sign framing/chunk-extension framing/obs-fold framing/space-before-colon framing/no-colon framing/nul framing/bare-cr framing/first-line-space
framing/name-empty framing/coding-obfuscated framing/coding-two-lines framing/chunk-too-long hop/connection-listed hop/connection-itself hop/keep-alive hop/proxy-connection hop/via-request hop/response-connection-listed hop/version-request
hop/version-response field/repeated field/equal-lines target/fragment target/control host/missing host/repeated host/malformed forwarding/spoofed-for forwarding/spoofed-forwarded forwarding/spoofed-proto method/max-forwards
method/max-forwards-zero method/malformed interim/103-hop interim/101-unrequested response/date-added content/upload-empty-unknown-length origin/length-and-chunked origin/two-lengths origin/two-lengths-first origin/two-lengths-last
origin/space-before-colon origin/obs-fold origin/nul origin/no-colon origin/garbage origin/no-status origin/bytes-after origin/204-with-content origin/304-with-content origin/head-with-content connection/pipelining
connection/pipelining-later connection/empty-lines upgrade/h2c`,
      h2: ``,
    },
    capabilities: {
      yes: `response-trailers interim websocket-http1 ranges`,
      no: `post-retried get-retried request-trailers upload-streamed client-address`,
      partly: `tls`,
    },
  },
};
