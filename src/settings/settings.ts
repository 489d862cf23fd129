import { DIALECT_NAMES } from '../server/dialect.ts';
import {
  MB,
  bearerToken,
  cipherList,
  domains,
  duration,
  instanceName,
  integer,
  commaList,
  networks,
  oneOf,
  origins,
  pathPrefix,
  rules,
  size,
  string,
  toggle,
  wordList,
  workerCount,
  type Setting,
} from './setting.ts';
import { chaosShares } from './chaos-shares.ts';
import { DEFAULT_MAX_FRAME_SIZE, DEFAULT_WINDOW } from '../wire/http2/frame.ts';
import { PROTOCOLS } from '../net/connection.ts';
import { LOG_FORMATS } from '../telemetry/access-log.ts';
import { PROXY_PROTOCOL } from '../wire/proxy-protocol/read.ts';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

const CLIENT_CERT = ['none', 'request', 'require'] as const;
/** What can serve HTTP/2. */
export const H2_ENGINES = ['node', 'wirebin'] as const;
export type H2Engine = (typeof H2_ENGINES)[number];
export const TLS_VERSIONS = ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as const;

/** All settings. Flags, environment variables, --help, options and tables in docs/ are derived from this. */
export const settings = {
  port: { ...integer(8080, 0, 65_535, 'Port to listen on; 0 picks a free one.'), short: 'p' },
  host: string(undefined, 'ADDRESS', 'Address to listen on; all IPv4 and IPv6 if not set.'),
  transports: wordList(PROTOCOLS, 'Transports of the port.'),
  workers: workerCount('Number of processes; auto starts one per available CPU.'),
  tlsCert: string(
    undefined,
    'FILE',
    'Certificate chain (PEM), or several for SNI: a,b; requires --tls-key.',
  ),
  tlsKey: string(
    undefined,
    'FILE',
    'Private key (PEM), or one per certificate: a,b; requires --tls-cert.',
  ),
  certs: string(
    undefined,
    'DIR',
    'Where to keep the self-signed certificate; in certs/ if not set.',
  ),
  tlsMin: oneOf(
    TLS_VERSIONS,
    'TLSv1.2',
    'TLSv1.3',
    'Minimum TLS version; versions below TLSv1.2 imply @SECLEVEL=0.',
  ),
  tlsMax: oneOf(TLS_VERSIONS, 'TLSv1.3', 'TLSv1.2', 'Maximum TLS version.'),
  tlsCiphers: cipherList("OpenSSL cipher list; Node's default if not set."),
  clientCert: oneOf(CLIENT_CERT, 'none', 'request', 'Request or require client certificates.'),
  tlsCa: string(undefined, 'FILE', 'CA bundle for client certificates; the public CAs if not set.'),
  tlsKeylog: {
    ...string(undefined, 'FILE', 'Append TLS secrets for Wireshark; they decrypt all connections.'),
    commonVariable: 'SSLKEYLOGFILE',
  },
  dialect: oneOf(DIALECT_NAMES, 'wirebin', 'httpbin', 'Service to imitate.'),
  namespace: {
    ...string(undefined, 'NAME', 'Namespace in the responses of gateway-api.'),
    commonVariable: 'NAMESPACE',
  },
  podName: {
    ...string(undefined, 'NAME', 'Pod name in the responses of gateway-api.'),
    commonVariable: 'POD_NAME',
  },
  ingressName: {
    ...string(undefined, 'NAME', 'Ingress name in the responses of gateway-api.'),
    commonVariable: 'INGRESS_NAME',
  },
  serviceName: {
    ...string(undefined, 'NAME', 'Service name in the responses of gateway-api.'),
    commonVariable: 'SERVICE_NAME',
  },
  proxyProtocol: oneOf(
    PROXY_PROTOCOL,
    'off',
    'optional',
    'Accept PROXY headers, versions 1 and 2.',
  ),
  trustProxy: networks('Proxies whose Forwarded or X-Forwarded-* fields are trusted.'),
  grpc: { ...toggle('Serve gRPC and gRPC-Web.'), default: true, defaultText: 'on' },
  metricsEnabled: toggle('Serve /metrics.'),
  envPrefix: string(undefined, 'PREFIX', 'Serve /env: environment variables with this prefix.'),
  hostnameEnabled: toggle('Serve /hostname.'),
  name: instanceName('Name of this instance in echoes; with --hostname-enabled the host name.'),
  control: bearerToken('Serve /control to those who send this token.'),
  tap: toggle('Serve /tap and /connections.'),
  tapSecrets: toggle('Do not redact secrets in /tap and /connections/{id}; requires --tap.'),
  inspect: toggle('Read every byte; serve /connections/{id} and show `wire`.'),
  inspectMemory: size(64, 1, 2 ** 20, 'Memory for inspected connections, per worker.', MB),
  inspectConnectionMemory: size(256 * 1024, 4096, 2 ** 30, 'Memory for one inspected connection.'),
  inspectFile: string(undefined, 'DIR', 'Write captures and TLS secrets; requires --inspect.'),
  inspectFileSize: size(100, 1, 2 ** 20, 'Size at which the next capture file begins.', MB),
  inspectFileCount: integer(10, 2, 10_000, 'Capture files to keep, per worker.'),
  allowRaw: toggle('Serve /raw and /frames: anyone can forge responses.'),
  journalKeys: integer(10_000, 1, 1_000_000, 'Maximum keys in the journal.'),
  journalEntries: integer(100, 0, 10_000, 'Maximum journal entries of a key; 0 keeps none.'),
  journalMemory: size(16, 1, 2 ** 20, 'Memory for all journal entries.', MB),
  journalSecrets: toggle('Do not redact secrets in queries and fields in /journal.'),
  journalTime: duration(600, 1, 86_400, 'Time after which the journal forgets.'),
  connHeaders: toggle('Send X-Conn-Id, X-Conn-Request and X-Instance with every response.'),
  serverTiming: toggle('Send Server-Timing with every response.'),
  lean: toggle("Leave X-Request-Id and X-Response-Time out; HTTP/2 by wirebin's frames."),
  respond: rules('Respond so: "GET /api/*: status=503"; repeatable; @FILE has rules.'),
  chaos: chaosShares('Disturb these shares of the requests, such as status=503:5%,reset:1%.'),
  chaosPaths: commaList('PATHS', 'Disturb only these paths, and all below them; requires --chaos.'),
  chaosSeed: {
    ...integer(0, 0, 2 ** 32 - 1, 'Seed of --chaos; another one in every run if not set.'),
    default: undefined,
    defaultText: '',
  },
  pathPrefix: pathPrefix('Serve below this path alone, for a proxy that forwards it.'),
  disable: commaList('PATHS', 'Respond to these paths, and all below them, with 404.'),
  allowedRedirectDomains: domains(
    'Other hosts that redirects and Refresh may lead to; * allows any.',
  ),
  allowOrigin: origins('Origins whose web pages may use /tap, /journal etc.; * allows any.'),
  allowedHosts: domains('Own host names, for browsers on this machine; * allows any.'),
  maxDuration: duration(300, 0, 86_400, 'Maximum delay or duration in a request.'),
  // Limited, because the echo of 48 MiB of NUL would exceed V8's longest string, and take seconds.
  maxBodySize: size(2 * 1024 ** 2, 0, 16 * 1024 ** 2, 'Maximum size of a request body.'),
  maxContentMemory: size(
    512,
    8,
    2 ** 20,
    'Memory for large request and response bodies, per worker.',
    MB,
  ),
  maxUploadSize: size(10 * 1024 ** 3, 0, 2 ** 40, 'Maximum size of a body for /upload.'),
  maxTargetSize: size(16 * 1024, 64, 1024 ** 2, 'Maximum size of a request target.'),
  maxHeaderSize: size(32 * 1024, 1024, 1024 ** 2, 'Maximum size of a header section.'),
  maxFields: integer(2000, 10, 10_000, 'Maximum fields in a header section.'),
  headerTimeout: duration(10, 1, 3600, 'Timeout for receiving a header section.'),
  requestTimeout: duration(300, 1, 86_400, 'Timeout for receiving a complete request.'),
  idleTimeout: duration(75, 1, 86_400, 'Time after which an idle connection is closed.'),
  stallTimeout: duration(60, 1, 86_400, 'Time after which a response that is not read is aborted.'),
  answerTimeout: duration(3600, 1, 2 ** 31, 'Maximum duration of a response.'),
  maxConnections: integer(50_000, 0, 2 ** 24, 'Maximum connections, per worker; 0 is unlimited.'),
  maxOpenRequests: integer(10_000, 1, 2 ** 24, 'Maximum open requests, per worker.'),
  maxStreams: integer(250, 1, 1000, 'Maximum concurrent streams on an HTTP/2 connection.'),
  h2Engine: {
    ...oneOf(
      H2_ENGINES,
      'node',
      'wirebin',
      "HTTP/2 by Node, or by wirebin's frames as with --lean.",
    ),
    default: undefined,
  },
  h2InitialWindowSize: integer(
    DEFAULT_WINDOW,
    0,
    2 ** 31 - 1,
    'SETTINGS_INITIAL_WINDOW_SIZE of HTTP/2.',
  ),
  h2MaxFrameSize: integer(
    DEFAULT_MAX_FRAME_SIZE,
    DEFAULT_MAX_FRAME_SIZE,
    2 ** 24 - 1,
    'SETTINGS_MAX_FRAME_SIZE of HTTP/2.',
  ),
  h2HeaderTableSize: integer(4096, 0, 1024 ** 2, 'SETTINGS_HEADER_TABLE_SIZE of HTTP/2.'),
  h2EnableConnectProtocol: toggle(
    'Send SETTINGS_ENABLE_CONNECT_PROTOCOL (breaks wss: in Node 26.10).',
  ),
  websocketDeflate: toggle('Accept permessage-deflate of WebSockets.'),
  maxSessionMemory: size(64, 1, 4096, 'Maximum memory of Node for an HTTP/2 connection.', MB),
  maxResets: integer(
    100,
    1,
    1_000_000,
    'Maximum stream resets per second on an HTTP/2 connection.',
  ),
  maxControlFrames: integer(
    1000,
    10,
    1_000_000,
    'Maximum PING and SETTINGS frames per second on a connection.',
  ),
  maxRequestsPerConnection: integer(0, 0, 2 ** 31, 'Request limit per connection; 0 is unlimited.'),
  maxConnectionAge: duration(0, 0, 86_400, 'Age at which a connection is closed; 0 is unlimited.'),
  drainDelay: duration(0, 0, 3600, 'On a stop, time between failing /readyz and closing the port.'),
  drainTimeout: duration(10, 0, 3600, 'On a stop, time for open requests to complete.'),
  logLevel: oneOf(LOG_LEVELS, 'info', 'debug', 'Minimum level to log.'),
  logRequests: toggle('Log a line for each request.'),
  logFormat: oneOf(LOG_FORMATS, 'json', 'combined', 'Format of the lines of --log-requests.'),
} satisfies Record<string, Setting<unknown>>;

export type Values = {
  readonly [Name in keyof typeof settings]: (typeof settings)[Name] extends Setting<infer T>
    ? T
    : never;
};

export interface Settings extends Values {
  /** As set, or 'wirebin' with `lean`, otherwise 'node'. */
  readonly h2Engine: H2Engine;
  /** Environment variables that `envPrefix` exposes; undefined without it. */
  readonly environment: Readonly<Record<string, string>> | undefined;
}

/** The flag of a setting: `maxBodySize` → `max-body-size`. */
export function flagOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The environment variable of a setting: `maxBodySize` → `WIREBIN_MAX_BODY_SIZE`. */
export function variableOf(name: string): string {
  return `WIREBIN_${flagOf(name).replaceAll('-', '_').toUpperCase()}`;
}

/** How error messages name a setting. */
export interface Naming {
  readonly short: (name: keyof Values) => string;
  /** Name with the environment variable, if there is one. */
  readonly full: (name: string) => string;
}

/** Names for the command line: `--tls-cert`, in full `--tls-cert (WIREBIN_TLS_CERT)`. */
export const FLAGS: Naming = {
  short: (name) => `--${flagOf(name)}`,
  full: (name) => `--${flagOf(name)} (${variableOf(name)})`,
};
