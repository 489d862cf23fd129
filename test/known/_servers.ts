import { caddy, envoy, haproxy, hitch, nginx, traefik, varnish } from '../proxies/_configured.ts';
import { program, single, type KnownProxy } from './_known-proxy.ts';

/** The version of Debian stable, which the name of the folder has, and the newest one. */
function oldAndNew(proxy: KnownProxy, old: string, versions: RegExp): KnownProxy[] {
  const isOld = new RegExp(`^${old.replaceAll('.', '\\.')}\\b`);
  return [
    { ...proxy, name: `${proxy.name}-${old}`, versions: isOld },
    { ...proxy, versions },
  ];
}

/** It is configured by flags, not by a file; without the plugin's route it is not a reverse proxy. */
const proxyPy = program(
  'proxy-py',
  '--hostname=127.0.0.1',
  '--port=8443',
  '--cert-file=cert.pem',
  '--key-file=key.pem',
  // Otherwise a client that closes in the handshake can end the loop of all connections of a process.
  '--threaded',
  '--disable-http-proxy',
  '--enable-reverse-proxy',
  '--plugins=wirebin.Origin',
);

/** Programs that are configured. */
export const knownServers: readonly KnownProxy[] = [
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
  {
    name: 'trafficserver',
    title: 'Apache Traffic Server',
    configuration: [
      'records.config',
      'remap.config',
      'ssl_multicert.config',
      'ip_allow.yaml',
      'storage.config',
      'runroot.yaml',
    ],
    commands: [
      {
        program: 'traffic_server',
        ports: [8443],
        args: (directory) => [`--run-root=${directory}`],
      },
    ],
    versionFlag: '--version',
    user: 'nobody',
  },
  single('squid', 'Squid', program('squid', '-N', '-f', 'squid.conf'), '-v', 'squid.conf'),
  {
    ...single(
      'tinyproxy',
      'tinyproxy',
      program('tinyproxy', '-d', '-c', 'tinyproxy.conf'),
      '-v',
      'tinyproxy.conf',
    ),
    isCleartext: true,
  },
  single(
    'mitmproxy',
    'mitmproxy',
    program('mitmproxy', '--set', 'confdir=.'),
    '--version',
    'config.yaml',
  ),
  single('proxy-py', 'proxy.py', proxyPy, '--version', 'wirebin.py'),
];
