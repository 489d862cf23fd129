import type { Program } from '../proxies/_proxy-process.ts';

/** A program of a proxy, whose current directory has the configuration and the certificate. */
export interface Command {
  readonly program: Program;
  /** @param directory the current directory, for programs that want an absolute path */
  readonly args: (directory: string) => readonly string[];
  /** Its own port, as in the configuration. */
  readonly port: number;
}

/** A proxy whose verdicts docs/proxies/ has; its folder there has the configuration. */
export interface KnownProxy {
  /** The folder. */
  readonly name: string;
  /** As the matrix calls it. */
  readonly title: string;
  /** Files of the folder. The proxy listens on port 8443; wirebin is on port 8080. */
  readonly configuration: readonly string[];
  /** In the order in which they are started; the version is that of the first. */
  readonly commands: readonly [Command, ...Command[]];
  readonly versionFlag: string;
  /** The versions that the configuration is for, if several can be installed. */
  readonly versions?: RegExp;
}

function single(
  name: string,
  title: string,
  program: Program,
  versionFlag: string,
  file: string,
  args: Command['args'],
): KnownProxy {
  const commands = [{ program, args, port: 8443 }] as const;
  return { name, title, configuration: [file], commands, versionFlag };
}

/** Arguments that only root needs. */
function asRoot(...args: readonly string[]): readonly string[] {
  return process.getuid?.() === 0 ? args : [];
}

const haproxy = ['-db', '-f', 'haproxy.cfg'];
const caddy = ['run', '--adapter', 'caddyfile', '--config', 'Caddyfile'];
const envoy = ['--concurrency', '1', '--use-dynamic-base-id', '--log-level', 'error'];

export const knownProxies: readonly KnownProxy[] = [
  // Debian's nginx would start its workers as a user who cannot write to the directory.
  single('nginx', 'nginx', 'nginx', '-v', 'nginx.conf', (directory) =>
    ['-e', 'stderr', '-p', directory, '-c', 'nginx.conf'].concat(asRoot('-g', 'user root;')),
  ),
  single('haproxy-h1', 'HAProxy to h1', 'haproxy', '-v', 'haproxy.cfg', () => haproxy),
  single('haproxy-h2', 'HAProxy to h2', 'haproxy', '-v', 'haproxy.cfg', () => haproxy),
  single('apache', 'Apache httpd', 'apache2', '-v', 'httpd.conf', (directory) => [
    '-DFOREGROUND',
    '-d',
    directory,
    '-f',
    'httpd.conf',
  ]),
  {
    ...single('caddy-2.6', 'Caddy', 'caddy', 'version', 'Caddyfile', () => caddy),
    versions: /^2\.6\./,
  },
  {
    ...single('caddy', 'Caddy', 'caddy', 'version', 'Caddyfile', () => caddy),
    versions: /^2\.(?:[1-9]\d)\./,
  },
  single('nghttpx', 'nghttpx', 'nghttpx', '--version', 'nghttpx.conf', () => [
    '--conf=nghttpx.conf',
  ]),
  single('h2o', 'h2o', 'h2o', '-v', 'h2o.conf', () => ['-c', 'h2o.conf']),
  {
    name: 'varnish',
    title: 'hitch and Varnish',
    configuration: ['default.vcl', 'hitch.conf'],
    commands: [
      {
        program: 'varnishd',
        port: 8444,
        args: (directory) => [
          '-F',
          '-j',
          'none',
          '-n',
          `${directory}/varnish`,
          '-f',
          `${directory}/default.vcl`,
          '-a',
          '127.0.0.1:8444,PROXY',
          '-p',
          'feature=+http2',
          '-s',
          'default,32M',
        ],
      },
      {
        program: 'hitch',
        port: 8443,
        args: () => ['--config=hitch.conf', ...asRoot('--user=_hitch')],
      },
    ],
    versionFlag: '-V',
  },
  single('lighttpd', 'lighttpd', 'lighttpd', '-v', 'lighttpd.conf', () => [
    '-D',
    '-f',
    'lighttpd.conf',
  ]),
  single('envoy', 'Envoy', 'envoy', '--version', 'envoy.yaml', () => [
    '--config-path',
    'envoy.yaml',
    ...envoy,
  ]),
  {
    ...single('traefik', 'Traefik', 'traefik', 'version', 'traefik.yaml', () => [
      '--configFile=traefik.yaml',
    ]),
    configuration: ['traefik.yaml', 'routes.yaml'],
  },
];
