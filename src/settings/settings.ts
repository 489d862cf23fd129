import { unknownPaths } from '../endpoints/all.ts';
import { DIALECT_NAMES } from '../server/dialect.ts';
import {
  cipherList,
  domains,
  duration,
  integer,
  list,
  networks,
  oneOf,
  size,
  string,
  toggle,
  workerCount,
  type Setting,
} from './setting.ts';
import { SettingsError } from './settings-error.ts';
import { PROXY_PROTOCOL } from '../net/proxy-protocol/read.ts';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

const MB = 1_000_000;

const CLIENT_CERT = ['none', 'request', 'require'] as const;
const TLS_VERSIONS = ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as const;

/** Every setting. Flag, variable, help and the README's table come from here and nowhere else. */
export const settings = {
  port: { ...integer(8080, 0, 65_535, 'Port to listen on; 0 picks a free one.'), short: 'p' },
  host: string(undefined, 'ADDRESS', 'Address to listen on; without it all, IPv4 and IPv6.'),
  workers: workerCount('Processes that serve the port; auto is one for each core.'),
  tlsCert: string(undefined, 'FILE', 'Certificate chain in PEM; needs --tls-key.'),
  tlsKey: string(undefined, 'FILE', 'Private key in PEM; needs --tls-cert.'),
  tlsMin: oneOf(
    TLS_VERSIONS,
    'TLSv1.2',
    'TLSv1.3',
    'Least TLS version; below TLSv1.2 with @SECLEVEL=0.',
  ),
  tlsMax: oneOf(TLS_VERSIONS, 'TLSv1.3', 'TLSv1.2', 'Highest TLS version.'),
  tlsCiphers: cipherList("OpenSSL cipher list; without it Node's."),
  clientCert: oneOf(
    CLIENT_CERT,
    'none',
    'request',
    'Whether TLS clients are asked for a certificate.',
  ),
  tlsCa: string(
    undefined,
    'FILE',
    'Authorities for client certificates; without it the public ones.',
  ),
  tlsKeylog: {
    ...string(undefined, 'FILE', 'Append TLS secrets, for Wireshark: they open every connection.'),
    commonVariable: 'SSLKEYLOGFILE',
  },
  dialect: oneOf(
    DIALECT_NAMES,
    'wirebin',
    'httpbin',
    'Whose answers to give; docs/coming-from.md has all.',
  ),
  namespace: {
    ...string(undefined, 'NAME', 'What gateway-api answers call the namespace.'),
    commonVariable: 'NAMESPACE',
  },
  podName: {
    ...string(undefined, 'NAME', 'What gateway-api answers call the pod.'),
    commonVariable: 'POD_NAME',
  },
  ingressName: {
    ...string(undefined, 'NAME', 'What gateway-api answers call the ingress.'),
    commonVariable: 'INGRESS_NAME',
  },
  serviceName: {
    ...string(undefined, 'NAME', 'What gateway-api answers call the service.'),
    commonVariable: 'SERVICE_NAME',
  },
  proxyProtocol: oneOf(
    PROXY_PROTOCOL,
    'off',
    'optional',
    'PROXY header in front of connections, 1 or 2.',
  ),
  trustProxy: networks('Proxies whose Forwarded or X-Forwarded-* fields are believed.'),
  metricsEnabled: toggle('Serve /metrics.'),
  envPrefix: string(undefined, 'PREFIX', 'Serve /env: the variables whose names begin so.'),
  hostnameEnabled: toggle('Serve /hostname.'),
  tap: toggle('Serve /tap and /connections.'),
  tapSecrets: toggle('Show queries and secret fields in /tap as they are; needs --tap.'),
  connHeaders: toggle('Send X-Conn-Id and X-Conn-Request with every response.'),
  disable: list('PATHS', 'Answer these paths, and what is below them, with 404.'),
  allowedRedirectDomains: domains('Other hosts that /redirect-to may lead to; * is any.'),
  maxDuration: duration(300, 0, 86_400, 'Longest delay or duration that may be asked for.'),
  maxBodySize: size(2 * 1024 ** 2, 0, 1024 ** 3, 'Most content that a request may have.'),
  maxContentMemory: size(
    512,
    8,
    2 ** 20,
    'Most that large contents and answers take, of each worker.',
    MB,
  ),
  maxUploadSize: size(10 * 1024 ** 3, 0, 2 ** 40, 'Most content for /upload.'),
  maxTargetSize: size(16 * 1024, 64, 1024 ** 2, 'Longest request target.'),
  maxHeaderSize: size(32 * 1024, 1024, 1024 ** 2, 'Largest header section.'),
  maxFields: integer(2000, 10, 10_000, 'Most fields of a header section.'),
  headerTimeout: duration(10, 1, 3600, 'Time a connection may take to send a header section.'),
  requestTimeout: duration(300, 1, 86_400, 'Time a request may take to arrive in full.'),
  idleTimeout: duration(75, 1, 86_400, 'Time a connection without a request is kept.'),
  stallTimeout: duration(60, 1, 86_400, 'Time an answer waits for a client that takes none of it.'),
  answerTimeout: duration(3600, 1, 2 ** 31, 'Longest time an answer may take.'),
  maxConnections: integer(
    50_000,
    0,
    2 ** 24,
    'Most connections at once, of each worker; 0 is no limit.',
  ),
  maxOpenRequests: integer(10_000, 1, 2 ** 24, 'Most requests open at once, of each worker.'),
  maxStreams: integer(250, 1, 1000, 'Most streams at once on an HTTP/2 connection.'),
  maxSessionMemory: size(64, 1, 4096, 'Most that Node may hold for an HTTP/2 connection.', MB),
  maxResets: integer(
    100,
    1,
    1_000_000,
    'Most streams a second of an HTTP/2 connection that end in error.',
  ),
  maxControlFrames: integer(
    1000,
    10,
    1_000_000,
    'Most PING and SETTINGS frames a second of an HTTP/2 connection.',
  ),
  maxRequestsPerConnection: integer(0, 0, 2 ** 31, 'Most requests of a connection; 0 is no limit.'),
  drainDelay: duration(0, 0, 3600, 'Time between not being ready and accepting no more.'),
  drainTimeout: duration(10, 0, 3600, 'Time that open requests get to finish on a stop.'),
  logLevel: oneOf(LOG_LEVELS, 'info', 'debug', 'Least level that is logged.'),
  logRequests: toggle('Log a line for each request.'),
} satisfies Record<string, Setting<unknown>>;

export type Values = {
  readonly [Name in keyof typeof settings]: (typeof settings)[Name] extends Setting<infer T>
    ? T
    : never;
};

export interface Settings extends Values {
  /** The environment variables that `envPrefix` lets be seen; undefined without it. */
  readonly environment: Readonly<Record<string, string>> | undefined;
}

/** `maxBodySize` → `max-body-size`. */
export function flagOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** `maxBodySize` → `WIREBIN_MAX_BODY_SIZE`. */
export function variableOf(name: string): string {
  return `WIREBIN_${flagOf(name).replaceAll('-', '_').toUpperCase()}`;
}

/** How messages name a setting. */
export interface Naming {
  readonly short: (name: keyof Values) => string;
  /** Where nothing else of the message tells how it may be given. */
  readonly full: (name: string) => string;
}

/** For users of the command line: `--tls-cert`, and in full `--tls-cert (WIREBIN_TLS_CERT)`. */
export const FLAGS: Naming = {
  short: (name) => `--${flagOf(name)}`,
  full: (name) => `--${flagOf(name)} (${variableOf(name)})`,
};

/** What no setting can tell by itself. @throws SettingsError */
export function checkTogether(read: Values, { short, full }: Naming): void {
  const { tlsCert, tlsKey, tlsMin, tlsMax, tlsCa, clientCert, disable, tap, tapSecrets } = read;
  if ((tlsCert === undefined) !== (tlsKey === undefined)) {
    const message = `${short('tlsCert')} and ${short('tlsKey')} go together: give both or neither`;
    throw new SettingsError(message, tlsCert === undefined ? 'tlsCert' : 'tlsKey');
  }
  if (TLS_VERSIONS.indexOf(tlsMin) > TLS_VERSIONS.indexOf(tlsMax)) {
    const message = `${short('tlsMin')} ${tlsMin} is above ${short('tlsMax')} ${tlsMax}`;
    throw new SettingsError(message, 'tlsMin');
  }
  if (tlsCa !== undefined && clientCert === 'none') {
    const message = `${short('tlsCa')} needs ${short('clientCert')} request or require`;
    throw new SettingsError(message, 'tlsCa');
  }
  if (tapSecrets && !tap) {
    throw new SettingsError(`${short('tapSecrets')} needs ${short('tap')}`, 'tapSecrets');
  }
  const [unknown] = unknownPaths(disable);
  if (unknown !== undefined) {
    const message = `${full('disable')}: no endpoint has the path ${unknown}`;
    throw new SettingsError(message, 'disable');
  }
}
