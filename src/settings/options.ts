import type { Logger } from '../telemetry/logger.ts';

// Generated from settings.ts by `npx vitest run test/settings/options.test.ts --update`.

/** The command-line settings, by their camelCase names. Strings have the syntax of the command line. */
export interface ServiceOptions {
  /** Receives the log, for example `console` or a pino logger. Default: no log. */
  readonly logger?: Logger | undefined;
  /** Port to listen on; 0 picks a free one. Default: 0. */
  readonly port?: number | undefined;
  /** Address to listen on; `::` for all IPv4 and IPv6 addresses. Default: 127.0.0.1. */
  readonly host?: string | undefined;
  /** Transports of the port. Default: http/1.1,h2c,https/1.1,h2. */
  readonly transports?: readonly string[] | undefined;
  /** Certificate chain (PEM), or several for SNI: a,b; requires tlsKey. File path. */
  readonly tlsCert?: string | undefined;
  /** Private key (PEM), or one per certificate: a,b; requires tlsCert. File path. */
  readonly tlsKey?: string | undefined;
  /** Minimum TLS version; versions below TLSv1.2 imply `@SECLEVEL=0`. Default: TLSv1.2. */
  readonly tlsMin?: 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3' | undefined;
  /** Maximum TLS version. Default: TLSv1.3. */
  readonly tlsMax?: 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3' | undefined;
  /** OpenSSL cipher list; Node's default if not set. */
  readonly tlsCiphers?: readonly string[] | undefined;
  /** Request or require client certificates. Default: none. */
  readonly clientCert?: 'none' | 'request' | 'require' | undefined;
  /** CA bundle for client certificates; the public CAs if not set. File path. */
  readonly tlsCa?: string | undefined;
  /** Append TLS secrets for Wireshark; they decrypt all connections. File path. */
  readonly tlsKeylog?: string | undefined;
  /** Service to imitate. Default: wirebin. */
  readonly dialect?:
    | 'wirebin'
    | 'httpbin'
    | 'go-httpbin'
    | 'gateway-api'
    | 'postman-echo'
    | undefined;
  /** Namespace in the responses of gateway-api. */
  readonly namespace?: string | undefined;
  /** Pod name in the responses of gateway-api. */
  readonly podName?: string | undefined;
  /** Ingress name in the responses of gateway-api. */
  readonly ingressName?: string | undefined;
  /** Service name in the responses of gateway-api. */
  readonly serviceName?: string | undefined;
  /** Accept PROXY headers, versions 1 and 2. Default: off. */
  readonly proxyProtocol?: 'off' | 'optional' | 'require' | undefined;
  /** Proxies whose Forwarded or X-Forwarded-* fields are trusted. */
  readonly trustProxy?: readonly string[] | undefined;
  /** Serve gRPC and gRPC-Web. Default: on. */
  readonly grpc?: boolean | undefined;
  /** Serve /metrics. */
  readonly metricsEnabled?: boolean | undefined;
  /** Serve /env: environment variables with this prefix. */
  readonly envPrefix?: string | undefined;
  /** Serve /hostname. */
  readonly hostnameEnabled?: boolean | undefined;
  /** Name of this instance in echoes; with hostnameEnabled the host name. */
  readonly name?: string | undefined;
  /** Serve /control to those who send this token. */
  readonly control?: string | undefined;
  /** Serve /tap and /connections. */
  readonly tap?: boolean | undefined;
  /** Do not redact secrets in /tap and /connections/{id}; requires tap. */
  readonly tapSecrets?: boolean | undefined;
  /** Read every byte; serve /connections/{id} and show `wire`. */
  readonly inspect?: boolean | undefined;
  /** Memory for inspected connections. In MB, or with a unit: `'64M'`. Default: 64. */
  readonly inspectMemory?: number | string | undefined;
  /** Memory for one inspected connection. In bytes, or with a unit: `'64K'`. Default: 256K. */
  readonly inspectConnectionMemory?: number | string | undefined;
  /** Write captures and TLS secrets; requires inspect. */
  readonly inspectFile?: string | undefined;
  /** Size at which the next capture file begins. In MB, or with a unit: `'64M'`. Default: 100. */
  readonly inspectFileSize?: number | string | undefined;
  /** Capture files to keep. Default: 10. */
  readonly inspectFileCount?: number | undefined;
  /** Serve /raw and /frames: anyone can forge responses. */
  readonly allowRaw?: boolean | undefined;
  /** Maximum keys in the journal. Default: 10000. */
  readonly journalKeys?: number | undefined;
  /** Maximum journal entries of a key; 0 keeps none. Default: 100. */
  readonly journalEntries?: number | undefined;
  /** Memory for all journal entries. In MB, or with a unit: `'64M'`. Default: 16. */
  readonly journalMemory?: number | string | undefined;
  /** Do not redact secrets in queries and fields in /journal. */
  readonly journalSecrets?: boolean | undefined;
  /** Time after which the journal forgets. In seconds, or with units: `'1m30s'`. Default: 10m. */
  readonly journalTime?: number | string | undefined;
  /** Send X-Conn-Id, X-Conn-Request and X-Instance with every response. */
  readonly connHeaders?: boolean | undefined;
  /** Send Server-Timing with every response. */
  readonly serverTiming?: boolean | undefined;
  /** Leave X-Request-Id and X-Response-Time out; HTTP/2 by wirebin's frames. */
  readonly lean?: boolean | undefined;
  /** Respond so: "GET /api/*: status=503"; repeatable; `@FILE` has rules. */
  readonly respond?: readonly string[] | undefined;
  /** Disturb these shares of the requests, such as status=503:5%,reset:1%. */
  readonly chaos?: readonly string[] | undefined;
  /** Disturb only these paths, and all below them; requires chaos. */
  readonly chaosPaths?: readonly string[] | undefined;
  /** Seed of chaos; another one in every run if not set. */
  readonly chaosSeed?: number | undefined;
  /** Serve below this path alone, for a proxy that forwards it. */
  readonly pathPrefix?: string | undefined;
  /** Respond to these paths, and all below them, with 404. */
  readonly disable?: readonly string[] | undefined;
  /** Other hosts that redirects and Refresh may lead to; * allows any. */
  readonly allowedRedirectDomains?: readonly string[] | undefined;
  /** Origins whose web pages may use /tap, /journal etc.; * allows any. */
  readonly allowOrigin?: string | undefined;
  /** Own host names, for browsers on this machine; * allows any. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Maximum delay or duration in a request. In seconds, or with units: `'1m30s'`. Default: 5m. */
  readonly maxDuration?: number | string | undefined;
  /** Maximum size of a request body. In bytes, or with a unit: `'64K'`. Default: 2M. */
  readonly maxBodySize?: number | string | undefined;
  /** Memory for large request and response bodies. In MB, or with a unit: `'64M'`. Default: 512. */
  readonly maxContentMemory?: number | string | undefined;
  /** Maximum size of a body for /upload. In bytes, or with a unit: `'64K'`. Default: 10G. */
  readonly maxUploadSize?: number | string | undefined;
  /** Maximum size of a request target. In bytes, or with a unit: `'64K'`. Default: 16K. */
  readonly maxTargetSize?: number | string | undefined;
  /** Maximum size of a header section. In bytes, or with a unit: `'64K'`. Default: 32K. */
  readonly maxHeaderSize?: number | string | undefined;
  /** Maximum fields in a header section. Default: 2000. */
  readonly maxFields?: number | undefined;
  /** Timeout for receiving a header section. In seconds, or with units: `'1m30s'`. Default: 10s. */
  readonly headerTimeout?: number | string | undefined;
  /**
   * Timeout for receiving a complete request.
   * In seconds, or with units: `'1m30s'`. Default: 5m.
   */
  readonly requestTimeout?: number | string | undefined;
  /**
   * Time after which an idle connection is closed.
   * In seconds, or with units: `'1m30s'`. Default: 75s.
   */
  readonly idleTimeout?: number | string | undefined;
  /**
   * Time after which a response that is not read is aborted.
   * In seconds, or with units: `'1m30s'`. Default: 1m.
   */
  readonly stallTimeout?: number | string | undefined;
  /** Maximum duration of a response. In seconds, or with units: `'1m30s'`. Default: 1h. */
  readonly answerTimeout?: number | string | undefined;
  /** Maximum connections; 0 is unlimited. Default: 50000. */
  readonly maxConnections?: number | undefined;
  /** Maximum open requests. Default: 10000. */
  readonly maxOpenRequests?: number | undefined;
  /** Maximum concurrent streams on an HTTP/2 connection. Default: 250. */
  readonly maxStreams?: number | undefined;
  /** HTTP/2 by Node, or by wirebin's frames as with lean. Default: node. */
  readonly h2Engine?: 'node' | 'wirebin' | undefined;
  /** SETTINGS_INITIAL_WINDOW_SIZE of HTTP/2. Default: 65535. */
  readonly h2InitialWindowSize?: number | undefined;
  /** SETTINGS_MAX_FRAME_SIZE of HTTP/2. Default: 16384. */
  readonly h2MaxFrameSize?: number | undefined;
  /** SETTINGS_HEADER_TABLE_SIZE of HTTP/2. Default: 4096. */
  readonly h2HeaderTableSize?: number | undefined;
  /** Send SETTINGS_ENABLE_CONNECT_PROTOCOL (breaks wss: in Node 26.10). */
  readonly h2EnableConnectProtocol?: boolean | undefined;
  /** Accept permessage-deflate of WebSockets. */
  readonly websocketDeflate?: boolean | undefined;
  /**
   * Maximum memory of Node for an HTTP/2 connection.
   * In MB, or with a unit: `'64M'`. Default: 64.
   */
  readonly maxSessionMemory?: number | string | undefined;
  /** Maximum stream resets per second on an HTTP/2 connection. Default: 100. */
  readonly maxResets?: number | undefined;
  /** Maximum PING and SETTINGS frames per second on a connection. Default: 1000. */
  readonly maxControlFrames?: number | undefined;
  /** Request limit per connection; 0 is unlimited. Default: 0. */
  readonly maxRequestsPerConnection?: number | undefined;
  /**
   * Age at which a connection is closed; 0 is unlimited.
   * In seconds, or with units: `'1m30s'`. Default: 0s.
   */
  readonly maxConnectionAge?: number | string | undefined;
  /**
   * On a stop, time between failing /readyz and closing the port.
   * In seconds, or with units: `'1m30s'`. Default: 0s.
   */
  readonly drainDelay?: number | string | undefined;
  /**
   * On a stop, time for open requests to complete.
   * In seconds, or with units: `'1m30s'`. Default: 10s.
   */
  readonly drainTimeout?: number | string | undefined;
  /** Log a line for each request. */
  readonly logRequests?: boolean | undefined;
  /** Format of the lines of logRequests. Default: json. */
  readonly logFormat?: 'json' | 'common' | 'combined' | undefined;
}
