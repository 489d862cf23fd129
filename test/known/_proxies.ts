import {
  caddy,
  envoy,
  go,
  haproxy,
  hitch,
  nginx,
  traefik,
  varnish,
  type Command,
  type ConfiguredProxy,
} from '../proxies/_configured.ts';
import type { Program } from '../proxies/_proxy-process.ts';

/** A proxy whose verdicts docs/proxies/ has; it listens on port 8443, and wirebin is on port 8080. */
export interface KnownProxy extends ConfiguredProxy {
  /** The folder of docs/proxies/. */
  readonly name: string;
  /** As the matrix calls it. */
  readonly title: string;
  /** Of the first program. */
  readonly versionFlag: string;
  /** The versions that the configuration is for, if several can be installed. */
  readonly versions?: RegExp;
}

function single(
  name: string,
  title: string,
  command: Command,
  versionFlag: string,
  file: string,
): KnownProxy {
  return { name, title, configuration: [file], commands: [command], versionFlag };
}

/** Debian's stable version, whose folder has it in its name, and the one that is new. */
function oldAndNew(proxy: KnownProxy, old: string, versions: RegExp): KnownProxy[] {
  const isOld = new RegExp(`^${old.replaceAll('.', '\\.')}\\b`);
  return [
    { ...proxy, name: `${proxy.name}-${old}`, versions: isOld },
    { ...proxy, versions },
  ];
}

function program(name: Program, ...args: readonly string[]): Command {
  return { program: name, ports: [8443], args: () => args };
}

export const knownProxies: readonly KnownProxy[] = [
  ...oldAndNew(single('nginx', 'nginx', nginx(8443), '-v', 'nginx.conf'), '1.22', /^1\.[3-9]\d/),
  ...oldAndNew(
    single('haproxy-h1', 'HAProxy to h1', haproxy(8443), '-v', 'haproxy.cfg'),
    '2.6',
    /^3\./,
  ),
  ...oldAndNew(
    single('haproxy-h2', 'HAProxy to h2', haproxy(8443), '-v', 'haproxy.cfg'),
    '2.6',
    /^3\./,
  ),
  {
    name: 'apache',
    title: 'Apache httpd',
    configuration: ['httpd.conf'],
    commands: [
      {
        program: 'apache2',
        ports: [8443],
        args: (directory) => ['-DFOREGROUND', '-d', directory, '-f', 'httpd.conf'],
      },
    ],
    versionFlag: '-v',
  },
  ...oldAndNew(
    single('caddy', 'Caddy', caddy(8443), 'version', 'Caddyfile'),
    '2.6',
    /^2\.[1-9]\d\./,
  ),
  ...oldAndNew(
    single(
      'nghttpx',
      'nghttpx',
      program('nghttpx', '--conf=nghttpx.conf'),
      '--version',
      'nghttpx.conf',
    ),
    '1.52',
    /^1\.[6-9]\d\./,
  ),
  single('h2o', 'h2o', program('h2o', '-c', 'h2o.conf'), '-v', 'h2o.conf'),
  {
    name: 'varnish',
    title: 'hitch and Varnish',
    configuration: ['default.vcl', 'hitch.conf'],
    commands: [varnish(['-a', '127.0.0.1:8444,PROXY'], 8444), hitch(8443)],
    versionFlag: '-V',
  },
  ...oldAndNew(
    single(
      'lighttpd',
      'lighttpd',
      program('lighttpd', '-D', '-f', 'lighttpd.conf'),
      '-v',
      'lighttpd.conf',
    ),
    '1.4.69',
    /^1\.4\.[89]\d/,
  ),
  single('envoy', 'Envoy', envoy(8443), '--version', 'envoy.yaml'),
  {
    ...single('traefik', 'Traefik', traefik(8443), 'version', 'traefik.yaml'),
    configuration: ['traefik.yaml', 'routes.yaml'],
  },
  single('go', "Go's ReverseProxy", go(8443), 'version', 'main.go'),
];
