import {
  caddy,
  envoy,
  haproxy,
  hitch,
  nginx,
  traefik,
  varnish,
  type ConfiguredProxy,
} from '../proxies/_configured.ts';

/** A port of the proxy, and what a request to it becomes. */
export interface Front {
  /** As in the configuration. */
  readonly port: number;
  readonly secure: boolean;
  /** The protocol in which the proxy sends requests to wirebin. */
  readonly origin: 'http/1.1' | 'h2c' | 'as the client';
  /** Whether trailers of responses to HTTP/1.1 clients arrive. */
  readonly trailers: boolean;
  /** The version of the PROXY header that the proxy sends. */
  readonly proxyProtocol?: 1 | 2;
}

/** A proxy of docs/recipes/, in front of a wirebin on port 8080. */
export interface Recipe extends ConfiguredProxy {
  readonly title: string;
  /** The command line of wirebin. */
  readonly settings: readonly string[];
  readonly fronts: readonly Front[];
  /** The URL to check. */
  readonly checked: string;
  /** What limits how long a connection to wirebin is idle; and what tests have in its place, for a second. */
  readonly idle?: readonly [string, string];
  /** The server in the configuration, and what there is in its place for a second wirebin on port 8090. */
  readonly second: readonly [string, string];
  /** Whether that limits connections of HTTP/1.1 only, in some versions. */
  readonly keepsIdleHttp2?: boolean;
}

const SETTINGS = ['--tap', '--trust-proxy', '127.0.0.1'] as const;

/** A server, and the same with a second one on port 8090. */
function twice(server: string): readonly [string, string] {
  return [server, server + server.replace('8080', '8090')];
}

/** In cleartext, over TLS, and over TLS with HTTP/2 to wirebin, all of which forward trailers. */
const FRONTS = [
  { port: 8081, secure: false, origin: 'http/1.1', trailers: true },
  { port: 8443, secure: true, origin: 'http/1.1', trailers: true },
  { port: 8444, secure: true, origin: 'h2c', trailers: true },
] as const;

/** By the names of their pages and folders. */
export const recipes = {
  nginx: {
    title: 'nginx',
    configuration: ['nginx.conf'],
    commands: [nginx(8081, 8443, 8444)],
    settings: SETTINGS,
    fronts: [
      { port: 8081, secure: false, origin: 'http/1.1', trailers: false },
      { port: 8443, secure: true, origin: 'http/1.1', trailers: false },
      { port: 8444, secure: true, origin: 'h2c', trailers: true },
    ],
    checked: 'https://localhost:8443',
    idle: ['keepalive_timeout 60s', 'keepalive_timeout 1s'],
    second: twice('server 127.0.0.1:8080 max_fails=0;'),
  },
  haproxy: {
    title: 'HAProxy',
    configuration: ['haproxy.cfg'],
    commands: [haproxy(8081, 8443, 8444, 8445)],
    settings: [...SETTINGS, '--proxy-protocol', 'optional'],
    fronts: [
      ...FRONTS,
      { port: 8445, secure: true, origin: 'http/1.1', trailers: true, proxyProtocol: 2 },
    ],
    checked: 'https://localhost:8443',
    second: [
      'server wirebin 127.0.0.1:8080\n',
      'server wirebin 127.0.0.1:8080\n  server second 127.0.0.1:8090\n',
    ],
  },
  envoy: {
    title: 'Envoy',
    configuration: ['envoy.yaml'],
    commands: [envoy(8081, 8443)],
    settings: SETTINGS,
    fronts: [
      { port: 8081, secure: false, origin: 'as the client', trailers: true },
      { port: 8443, secure: true, origin: 'as the client', trailers: true },
    ],
    checked: 'https://localhost:8443',
    idle: ['idle_timeout: 60s', 'idle_timeout: 1s'],
    second: twice(
      `
              - endpoint:
                  address: { socket_address: { address: 127.0.0.1, port_value: 8080 } }`,
    ),
  },
  traefik: {
    title: 'Traefik',
    configuration: ['traefik.yaml', 'routes.yaml'],
    commands: [traefik(8081, 8443, 8444)],
    settings: SETTINGS,
    fronts: FRONTS,
    checked: 'https://localhost:8443',
    idle: ['idleConnTimeout: 60s', 'idleConnTimeout: 1s'],
    second: twice('\n          - url: http://127.0.0.1:8080'),
  },
  caddy: {
    title: 'Caddy',
    configuration: ['Caddyfile'],
    commands: [caddy(8081, 8443, 8444)],
    settings: SETTINGS,
    fronts: FRONTS,
    checked: 'https://localhost:8443',
    idle: ['keepalive 60s', 'keepalive 1s'],
    second: ['reverse_proxy 127.0.0.1:8080', 'reverse_proxy 127.0.0.1:8080 127.0.0.1:8090'],
    keepsIdleHttp2: true,
  },
  varnish: {
    title: 'Varnish and hitch',
    configuration: ['default.vcl', 'hitch.conf'],
    commands: [
      varnish(
        ['-a', '127.0.0.1:8081', '-a', '127.0.0.1:8444,PROXY', '-p', 'backend_idle_timeout=60'],
        8081,
        8444,
      ),
      hitch(8443),
    ],
    settings: SETTINGS,
    fronts: [
      { port: 8081, secure: false, origin: 'http/1.1', trailers: false },
      { port: 8443, secure: true, origin: 'http/1.1', trailers: false },
    ],
    checked: 'https://localhost:8443',
    idle: ['backend_idle_timeout=60', 'backend_idle_timeout=1'],
    second: [
      'sub vcl_recv {',
      `import directors;
backend second {
  .host = "127.0.0.1";
  .port = "8090";
  .probe = { .url = "/readyz"; .interval = 2s; .timeout = 1s; .threshold = 1; .window = 1; }
}
sub vcl_init {
  new both = directors.round_robin();
  both.add_backend(wirebin);
  both.add_backend(second);
}
sub vcl_recv {
  set req.backend_hint = both.backend();`,
    ],
  },
} as const satisfies Readonly<Record<string, Recipe>>;

/** The commands that start wirebin, and check the proxy. */
export function commandsOf({ settings, checked }: Recipe): { start: string; check: string } {
  return {
    start: ['wirebin', ...settings].join(' '),
    check: `wirebin check ${checked} --insecure --origin http://localhost:8080`,
  };
}

export type RecipeName = keyof typeof recipes;
