import type { Logger } from '../telemetry/logger.ts';

// Written from the table of settings by `npx vitest run test/options.test.ts --update`.

/** The settings of the command line by their camelCase names. A string is read as it is there. */
export interface ServiceOptions {
  /** What is logged; without it nothing is. `console` and the loggers of pino fit. */
  readonly logger?: Logger | undefined;
  /** Port to listen on; 0 picks a free one. Default: 0. */
  readonly port?: number | undefined;
  /** Address to listen on; `::` is all, IPv4 and IPv6. Default: 127.0.0.1. */
  readonly host?: string | undefined;
  /** Certificate chain in PEM; needs tlsKey. The path of a file. */
  readonly tlsCert?: string | undefined;
  /** Private key in PEM; needs tlsCert. The path of a file. */
  readonly tlsKey?: string | undefined;
  /** Least TLS version; below TLSv1.2 with `@SECLEVEL=0`. Default: TLSv1.2. */
  readonly tlsMin?: 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3' | undefined;
  /** Highest TLS version. Default: TLSv1.3. */
  readonly tlsMax?: 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3' | undefined;
  /** OpenSSL cipher list; without it Node's. */
  readonly tlsCiphers?: string | undefined;
  /** Whether TLS clients are asked for a certificate. Default: none. */
  readonly clientCert?: 'none' | 'request' | 'require' | undefined;
  /** Authorities for client certificates; without it the public ones. The path of a file. */
  readonly tlsCa?: string | undefined;
  /** Append TLS secrets, for Wireshark: they open every connection. The path of a file. */
  readonly tlsKeylog?: string | undefined;
  /** Whose answers to give; docs/coming-from.md has all. Default: wirebin. */
  readonly dialect?: 'wirebin' | 'httpbin' | 'go-httpbin' | 'gateway-api' | undefined;
  /** What gateway-api answers call the namespace. */
  readonly namespace?: string | undefined;
  /** What gateway-api answers call the pod. */
  readonly podName?: string | undefined;
  /** What gateway-api answers call the ingress. */
  readonly ingressName?: string | undefined;
  /** What gateway-api answers call the service. */
  readonly serviceName?: string | undefined;
  /** PROXY header in front of connections, 1 or 2. Default: off. */
  readonly proxyProtocol?: 'off' | 'optional' | 'require' | undefined;
  /** Proxies whose Forwarded or X-Forwarded-* fields are believed. */
  readonly trustProxy?: readonly string[] | undefined;
  /** Serve /metrics. */
  readonly metricsEnabled?: boolean | undefined;
  /** Serve /env: the variables whose names begin so. */
  readonly envPrefix?: string | undefined;
  /** Serve /hostname. */
  readonly hostnameEnabled?: boolean | undefined;
  /** Serve /tap and /connections. */
  readonly tap?: boolean | undefined;
  /** Show queries and secret fields in /tap as they are; needs tap. */
  readonly tapSecrets?: boolean | undefined;
  /** Send X-Conn-Id and X-Conn-Request with every response. */
  readonly connHeaders?: boolean | undefined;
  /** Answer these paths, and what is below them, with 404. */
  readonly disable?: readonly string[] | undefined;
  /** Other hosts that /redirect-to may lead to; * is any. */
  readonly allowedRedirectDomains?: readonly string[] | undefined;
  /**
   * Longest delay or duration that may be asked for.
   * In seconds, or with units: `'1m30s'`. Default: 5m.
   */
  readonly maxDuration?: number | string | undefined;
  /** Most content that a request may have. In bytes, or with a unit: `'64K'`. Default: 2M. */
  readonly maxBodySize?: number | string | undefined;
  /** Most that large contents and answers take. In MB, or with a unit: `'64M'`. Default: 512. */
  readonly maxContentMemory?: number | string | undefined;
  /** Most content for /upload. In bytes, or with a unit: `'64K'`. Default: 10G. */
  readonly maxUploadSize?: number | string | undefined;
  /** Longest request target. In bytes, or with a unit: `'64K'`. Default: 16K. */
  readonly maxTargetSize?: number | string | undefined;
  /** Largest header section. In bytes, or with a unit: `'64K'`. Default: 32K. */
  readonly maxHeaderSize?: number | string | undefined;
  /** Most fields of a header section. Default: 2000. */
  readonly maxFields?: number | undefined;
  /**
   * Time a connection may take to send a header section.
   * In seconds, or with units: `'1m30s'`. Default: 10s.
   */
  readonly headerTimeout?: number | string | undefined;
  /**
   * Time a request may take to arrive in full.
   * In seconds, or with units: `'1m30s'`. Default: 5m.
   */
  readonly requestTimeout?: number | string | undefined;
  /**
   * Time a connection without a request is kept.
   * In seconds, or with units: `'1m30s'`. Default: 75s.
   */
  readonly idleTimeout?: number | string | undefined;
  /**
   * Time an answer waits for a client that takes none of it.
   * In seconds, or with units: `'1m30s'`. Default: 1m.
   */
  readonly stallTimeout?: number | string | undefined;
  /** Longest time an answer may take. In seconds, or with units: `'1m30s'`. Default: 1h. */
  readonly answerTimeout?: number | string | undefined;
  /** Most connections at once; 0 is no limit. Default: 50000. */
  readonly maxConnections?: number | undefined;
  /** Most requests open at once. Default: 10000. */
  readonly maxOpenRequests?: number | undefined;
  /** Most streams at once on an HTTP/2 connection. Default: 250. */
  readonly maxStreams?: number | undefined;
  /**
   * Most that Node may hold for an HTTP/2 connection.
   * In MB, or with a unit: `'64M'`. Default: 64.
   */
  readonly maxSessionMemory?: number | string | undefined;
  /** Most streams a second of an HTTP/2 connection that end in error. Default: 100. */
  readonly maxResets?: number | undefined;
  /** Most PING and SETTINGS frames a second of an HTTP/2 connection. Default: 1000. */
  readonly maxControlFrames?: number | undefined;
  /** Most requests of a connection; 0 is no limit. Default: 0. */
  readonly maxRequestsPerConnection?: number | undefined;
  /**
   * Time between not being ready and accepting no more.
   * In seconds, or with units: `'1m30s'`. Default: 0s.
   */
  readonly drainDelay?: number | string | undefined;
  /**
   * Time that open requests get to finish on a stop.
   * In seconds, or with units: `'1m30s'`. Default: 10s.
   */
  readonly drainTimeout?: number | string | undefined;
  /** Log a line for each request. */
  readonly logRequests?: boolean | undefined;
}
