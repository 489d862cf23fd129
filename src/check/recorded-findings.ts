import type { FrontName } from './front.ts';

/** What a recorded report has. */
export interface Recorded {
  /** Of the product. */
  readonly version: string;
  /** The protocol of the connections to the origin. */
  readonly origin: string;
  /** The checks that failed, of all levels. */
  readonly findings: Readonly<Record<FrontName, string>>;
}

/** The reports in docs/proxies/, by folder. `npm run docs` writes this file. */
export const recorded: Readonly<Record<string, Recorded>> = {
  nginx: {
    version: '1.22.1',
    origin: 'http/1.1',
    findings: {
      'http/1.1': `framing/no-colon hop/connection-listed hop/proxy-connection hop/via-request
hop/response-connection-listed field/underscore field/dot field/token-characters
forwarding/spoofed-forwarded method/max-forwards method/max-forwards-zero interim/103 interim/102
interim/several interim/unregistered origin/no-colon origin/garbage`,
      h2: `hop/via-request hop/response-connection-listed field/underscore field/dot field/token-characters
forwarding/spoofed-forwarded method/max-forwards method/max-forwards-zero interim/103 interim/102
interim/several interim/unregistered trailer/request origin/no-colon origin/garbage origin/no-status
h2/connection h2/late-pseudo h2/rst-idle`,
    },
  },
  'haproxy-h1': {
    version: '2.6.12',
    origin: 'http/1.1',
    findings: {
      'http/1.1': `hop/connection-listed hop/connection-itself hop/keep-alive hop/proxy-connection hop/via-request
hop/response-connection-listed hop/version-request hop/version-response forwarding/spoofed-forwarded
forwarding/spoofed-proto method/max-forwards method/max-forwards-zero response/date-added origin/nul
tls/alpn-unknown upgrade/h2c`,
      h2: `hop/via-request hop/response-connection-listed forwarding/spoofed-forwarded forwarding/spoofed-proto
method/max-forwards method/max-forwards-zero response/date-added truncation/chunked
truncation/chunked-end origin/nul origin/chunk-size origin/chunk-overflow backpressure/stream-upload`,
    },
  },
  'haproxy-h2': {
    version: '2.6.12',
    origin: 'h2c',
    findings: {
      'http/1.1': `hop/connection-listed hop/via-request forwarding/spoofed-forwarded forwarding/spoofed-proto
method/max-forwards method/max-forwards-zero expect/http10 interim/http10 truncation/request
connection/http10 tls/alpn-unknown`,
      h2: `hop/via-request forwarding/spoofed-forwarded forwarding/spoofed-proto method/max-forwards
method/max-forwards-zero truncation/request backpressure/stream-unread backpressure/stream-upload
flow/header-table`,
    },
  },
  apache: {
    version: '2.4.71',
    origin: 'http/1.1',
    findings: {
      'http/1.1': `hop/via-request forwarding/spoofed-forwarded forwarding/spoofed-proto origin/two-lengths`,
      h2: `hop/via-request forwarding/spoofed-forwarded forwarding/spoofed-proto interim/103-forwarded
interim/several-forwarded truncation/request origin/two-lengths idle/stale-get`,
    },
  },
  'caddy-2.6': {
    version: '2.6.2',
    origin: 'http/1.1',
    findings: {
      'http/1.1': `framing/length-empty hop/via-request target/fragment forwarding/spoofed-forwarded
method/max-forwards method/max-forwards-zero expect/http10 interim/http10 coding/decoded
truncation/chunked truncation/chunked-end origin/nul origin/chunk-size origin/chunk-overflow
connection/empty-lines upgrade/h2c`,
      h2: `hop/via-request forwarding/spoofed-forwarded method/max-forwards method/max-forwards-zero
coding/decoded truncation/chunked truncation/chunked-end origin/chunk-size origin/chunk-overflow
backpressure/stream-upload h2/length-twice`,
    },
  },
  caddy: {
    version: '2.11.7',
    origin: 'http/1.1',
    findings: {
      'http/1.1': `field/underscore field/dot target/fragment forwarding/spoofed-forwarded method/max-forwards
method/max-forwards-zero expect/http10 interim/http10 coding/decoded connection/empty-lines
upgrade/h2c`,
      h2: `field/underscore field/dot forwarding/spoofed-forwarded method/max-forwards method/max-forwards-zero
coding/decoded backpressure/stream-upload h2/length-twice`,
    },
  },
  nghttpx: {
    version: '1.52.0',
    origin: 'h2c',
    findings: {
      'http/1.1': `framing/space-before-colon hop/connection-listed target/fragment host/repeated
forwarding/spoofed-forwarded method/max-forwards method/max-forwards-zero tls/alpn-unknown`,
      h2: `forwarding/spoofed-forwarded method/max-forwards method/max-forwards-zero backpressure/stream-upload`,
    },
  },
  h2o: {
    version: '2.2.5',
    origin: 'http/1.1',
    findings: {
      'http/1.1': `framing/two-lengths framing/chunk-size-prefix hop/connection-listed hop/proxy-connection
hop/response-connection-listed target/asterisk host/missing host/repeated
forwarding/spoofed-forwarded method/max-forwards method/max-forwards-zero expect/http10
interim/103-forwarded interim/102-forwarded interim/several-forwarded interim/unregistered-forwarded
truncation/chunked-end idle/stale-get tls/alpn-unknown`,
      h2: `hop/response-connection-listed target/asterisk forwarding/spoofed-forwarded method/max-forwards
method/max-forwards-zero interim/103-forwarded interim/102-forwarded interim/several-forwarded
interim/unregistered-forwarded trailer/request truncation/chunked-end idle/stale-get h2/empty-path`,
    },
  },
  varnish: {
    version: '7.1.1',
    origin: 'http/1.1',
    findings: {
      'http/1.1': `framing/chunk-size-prefix framing/chunk-size-sign framing/chunk-size-overflow
framing/chunk-extension hop/proxy-connection hop/via-request field/many host/absolute-form
forwarding/spoofed-forwarded forwarding/spoofed-proto method/max-forwards method/max-forwards-zero
interim/103 interim/102 interim/several interim/unregistered cache/expires cache/invalidation
cache/must-revalidate-stale trailer/request truncation/request origin/two-lengths tls/alpn-unknown`,
      h2: `hop/via-request field/many forwarding/spoofed-forwarded forwarding/spoofed-proto method/max-forwards
method/max-forwards-zero interim/103 interim/102 interim/several interim/unregistered cache/expires
cache/invalidation cache/must-revalidate-stale trailer/request truncation/chunked
truncation/chunked-end truncation/request origin/two-lengths origin/chunk-size origin/chunk-overflow
h2/late-pseudo h2/no-scheme`,
    },
  },
  lighttpd: {
    version: '1.4.69',
    origin: 'http/1.1',
    findings: {
      'http/1.1': `hop/connection-listed hop/keep-alive hop/via-request hop/response-connection-listed
field/empty-value target/encoded-slash target/encoded-slash-case target/query-brackets
target/fragment target/space target/malformed-percent forwarding/spoofed-forwarded
method/max-forwards method/max-forwards-zero trailer/response truncation/chunked
truncation/chunked-end origin/two-lengths origin/nul origin/chunk-size origin/chunk-overflow
connection/empty-lines`,
      h2: `hop/via-request hop/response-connection-listed field/empty-value target/encoded-slash
target/encoded-slash-case target/query-brackets target/malformed-percent
forwarding/spoofed-forwarded method/max-forwards method/max-forwards-zero trailer/response
truncation/chunked truncation/chunked-end origin/two-lengths origin/nul origin/chunk-size
origin/chunk-overflow h2/keep-alive`,
    },
  },
  envoy: {
    version: '1.40.0',
    origin: 'http/1.1',
    findings: {
      'http/1.1': `hop/via-request hop/response-connection-listed forwarding/spoofed-forwarded method/max-forwards
method/max-forwards-zero interim/103-forwarded interim/102-forwarded interim/several-forwarded
interim/unregistered-forwarded idle/stale-get tls/alpn-unknown`,
      h2: `hop/via-request hop/response-connection-listed forwarding/spoofed-forwarded method/max-forwards
method/max-forwards-zero interim/103-forwarded interim/102-forwarded interim/several-forwarded
interim/unregistered-forwarded idle/stale-get`,
    },
  },
  traefik: {
    version: '3.7.15',
    origin: 'http/1.1',
    findings: {
      'http/1.1': `hop/via-request forwarding/spoofed-forwarded method/max-forwards method/max-forwards-zero
expect/http10 interim/http10 coding/decoded connection/empty-lines`,
      h2: `hop/via-request forwarding/spoofed-forwarded method/max-forwards method/max-forwards-zero
coding/decoded backpressure/stream-upload h2/length-twice`,
    },
  },
};
