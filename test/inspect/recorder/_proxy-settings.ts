import { isHttp2, isSecure, type Transport } from '../../_client.ts';
import type { Directory } from '../../proxies/_proxy-process.ts';

export interface Given {
  readonly directory: Directory;
  /** The port of the recorder. */
  readonly backend: number;
  /** Ports of the proxy, in cleartext. */
  readonly http1: number;
  readonly http2: number;
  /** To the recorder. TLS is version 1.3, which the recorder decrypts. */
  readonly transport: Transport;
}

/** Requests on a connection to wirebin: fewer than the messages that are kept of one. */
const REQUESTS = 50;

/** Each writes the configuration of a proxy. @returns the program's arguments */
export function nginx({ directory, backend, http1, http2, transport }: Given): string[] {
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${directory.path}/${name};`,
  );
  const scheme = isSecure(transport) ? 'https' : 'http';
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
      upstream pool {
        server 127.0.0.1:${backend};
        keepalive 4;
        keepalive_requests ${REQUESTS};
      }
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_ssl_protocols TLSv1.3;
      proxy_request_buffering off;
      server { listen 127.0.0.1:${http1}; location / { proxy_pass ${scheme}://pool; } }
      server { listen 127.0.0.1:${http2} http2; location / { proxy_pass ${scheme}://pool; } }
    }`,
  );
  return ['-e', 'stderr', '-c', file];
}

export function haproxy({ directory, backend, http1, http2, transport }: Given): string[] {
  const alpn = isHttp2(transport) ? 'h2' : 'http/1.1';
  const protocol = isSecure(transport)
    ? `ssl verify none ssl-min-ver TLSv1.3 alpn ${alpn}`
    : isHttp2(transport)
      ? 'proto h2'
      : '';
  const file = directory.write(
    'haproxy.cfg',
    `global
  nbthread 1
defaults
  mode http
  option accept-invalid-http-request
  timeout connect 5s
  timeout client 5s
  timeout server 5s
frontend clients
  bind 127.0.0.1:${http1}
  bind 127.0.0.1:${http2}
  default_backend wirebin
backend wirebin
  server wirebin 127.0.0.1:${backend} max-reuse ${REQUESTS} ${protocol}
`,
  );
  return ['-db', '-f', file];
}

const address = (port: number) => ({
  socket_address: { address: '127.0.0.1', port_value: port },
});

const type = (name: string): Record<string, string> => ({
  '@type': `type.googleapis.com/envoy.extensions.${name}`,
});

export function envoy({ directory, backend, http1, http2, transport }: Given): string[] {
  const protocol = isHttp2(transport) ? 'http2_protocol_options' : 'http_protocol_options';
  const listener = (port: number) => ({
    address: address(port),
    filter_chains: [{ filters: [{ name: 'http', typed_config: manager }] }],
  });
  const manager = {
    ...type('filters.network.http_connection_manager.v3.HttpConnectionManager'),
    codec_type: 'AUTO',
    stat_prefix: 'clients',
    http_protocol_options: { accept_http_10: true, enable_trailers: true },
    route_config: {
      virtual_hosts: [
        {
          name: 'all',
          domains: ['*'],
          routes: [{ match: { prefix: '/' }, route: { cluster: 'wirebin' } }],
        },
      ],
    },
    http_filters: [{ name: 'router', typed_config: type('filters.http.router.v3.Router') }],
  };
  const tls = {
    name: 'tls',
    typed_config: {
      ...type('transport_sockets.tls.v3.UpstreamTlsContext'),
      common_tls_context: {
        alpn_protocols: [isHttp2(transport) ? 'h2' : 'http/1.1'],
        tls_params: {
          tls_minimum_protocol_version: 'TLSv1_3',
          tls_maximum_protocol_version: 'TLSv1_3',
        },
      },
    },
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
        common_http_protocol_options: { max_requests_per_connection: REQUESTS },
        explicit_http_config: { [protocol]: {} },
      },
    },
    ...(isSecure(transport) && { transport_socket: tls }),
  };
  const resources = { listeners: [listener(http1), listener(http2)], clusters: [cluster] };
  const file = directory.write('envoy.json', JSON.stringify({ static_resources: resources }));
  return [
    '--config-path',
    file,
    '--concurrency',
    '1',
    '--use-dynamic-base-id',
    '--log-level',
    'error',
  ];
}
