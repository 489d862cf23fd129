import { isHttp2, type Transport } from '../_client.ts';
import type { Directory, Program } from './_proxy-process.ts';

export interface Given {
  readonly directory: Directory;
  /** The port of wirebin. */
  readonly backend: number;
  /** The proxy's own port, in cleartext. */
  readonly port: number;
  /** Of the connections to wirebin: `http/1.1` or `h2c`. */
  readonly transport: Transport;
}

/** A proxy that repeats failed requests, once, as far as its defaults allow that for the method. */
export interface Retrying {
  /** As in the head of a table, without the version. */
  readonly name: string;
  readonly program: Program;
  readonly transport: Transport;
  readonly versionFlag: string;
  /** Writes the configuration. @returns the program's arguments */
  readonly configure: (given: Given) => string[];
}

function nginx({ directory, backend, port }: Given): string[] {
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${directory.path}/${name};`,
  );
  const file = directory.write(
    'nginx.conf',
    `${process.getuid?.() === 0 ? 'user root;' : ''}
    daemon off;
    pid ${directory.path}/nginx.pid;
    error_log /dev/null;
    events {}
    http {
      access_log off;
      ${folders.join('\n')}
      # Twice the same: nginx repeats a request on the next server only.
      upstream pool {
        server 127.0.0.1:${backend} max_fails=0;
        server localhost:${backend} max_fails=0;
        keepalive 4;
      }
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_next_upstream error timeout invalid_header http_503;
      proxy_next_upstream_tries 2;
      proxy_read_timeout 2s;
      server { listen 127.0.0.1:${port}; location / { proxy_pass http://pool; } }
    }`,
  );
  return ['-e', 'stderr', '-c', file];
}

function haproxy({ directory, backend, port, transport }: Given): string[] {
  const file = directory.write(
    'haproxy.cfg',
    `global
  nbthread 1
defaults
  mode http
  retries 1
  retry-on all-retryable-errors
  timeout connect 2s
  timeout client 5s
  timeout server 2s
frontend clients
  bind 127.0.0.1:${port}
  default_backend wirebin
backend wirebin
  server wirebin 127.0.0.1:${backend} ${isHttp2(transport) ? 'proto h2' : ''}
`,
  );
  return ['-db', '-f', file];
}

function caddy({ directory, backend, port, transport }: Given): string[] {
  const versions = isHttp2(transport) ? 'h2c 2' : '1.1';
  const file = directory.write(
    'Caddyfile',
    `{
  admin off
  auto_https off
  default_bind 127.0.0.1
}
http://:${port} {
  reverse_proxy 127.0.0.1:${backend} {
    lb_retries 1
    lb_try_duration 2s
    transport http {
      versions ${versions}
      response_header_timeout 2s
    }
  }
}
`,
  );
  return ['run', '--adapter', 'caddyfile', '--config', file];
}

const address = (port: number) => ({
  socket_address: { address: '127.0.0.1', port_value: port },
});

const type = (name: string): Record<string, string> => ({
  '@type': `type.googleapis.com/envoy.extensions.${name}`,
});

function envoy({ directory, backend, port, transport }: Given): string[] {
  const route = {
    cluster: 'wirebin',
    timeout: '3s',
    idle_timeout: '2s',
    retry_policy: { retry_on: '5xx,reset,refused-stream', num_retries: 1 },
  };
  const manager = {
    ...type('filters.network.http_connection_manager.v3.HttpConnectionManager'),
    codec_type: 'AUTO',
    stat_prefix: 'clients',
    http_protocol_options: { enable_trailers: true },
    route_config: {
      virtual_hosts: [{ name: 'all', domains: ['*'], routes: [{ match: { prefix: '/' }, route }] }],
    },
    http_filters: [{ name: 'router', typed_config: type('filters.http.router.v3.Router') }],
  };
  const listener = {
    address: address(port),
    filter_chains: [{ filters: [{ name: 'http', typed_config: manager }] }],
  };
  const cluster = {
    name: 'wirebin',
    type: 'STATIC',
    load_assignment: {
      cluster_name: 'wirebin',
      endpoints: [{ lb_endpoints: [{ endpoint: { address: address(backend) } }] }],
    },
    typed_extension_protocol_options: {
      'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
        ...type('upstreams.http.v3.HttpProtocolOptions'),
        explicit_http_config: {
          [isHttp2(transport) ? 'http2_protocol_options' : 'http_protocol_options']: {},
        },
      },
    },
  };
  const resources = { listeners: [listener], clusters: [cluster] };
  const file = directory.write('envoy.json', JSON.stringify({ static_resources: resources }));
  const flags = ['--concurrency', '1', '--use-dynamic-base-id', '--log-level', 'error'];
  return ['--config-path', file, ...flags];
}

const one = (
  name: string,
  transport: Transport,
  versionFlag: string,
  configure: Retrying['configure'],
  program: Program,
): Retrying => ({ name, transport, versionFlag, configure, program });

export const retrying: readonly Retrying[] = [
  one('nginx', 'http/1.1', '-v', nginx, 'nginx'),
  one('HAProxy', 'http/1.1', '-v', haproxy, 'haproxy'),
  one('HAProxy', 'h2c', '-v', haproxy, 'haproxy'),
  one('Envoy', 'http/1.1', '--version', envoy, 'envoy'),
  one('Envoy', 'h2c', '--version', envoy, 'envoy'),
  one('Caddy', 'http/1.1', 'version', caddy, 'caddy'),
  one('Caddy', 'h2c', 'version', caddy, 'caddy'),
];
