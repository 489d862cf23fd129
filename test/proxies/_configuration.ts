import { isHttp2, isSecure, type Transport } from '../_client.ts';
import type { Pair } from '../_certificates.ts';
import type { Directory } from './_proxy-process.ts';

// Each function writes the configuration of a proxy that stays in the foreground, and returns the
// program's arguments.

/**
 * Runs as the current user, and writes to its own directory only.
 *
 * @param http what the `http` block contains
 * @param main other directives and blocks
 */
export function configureNginx(directory: Directory, http: string, main = ''): string[] {
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${directory.path}/${name};`,
  );
  const file = directory.write(
    'nginx.conf',
    `${process.getuid?.() === 0 ? 'user root;' : ''}
    ${main}
    daemon off;
    pid ${directory.path}/nginx.pid;
    error_log stderr;
    events {}
    http {
      access_log off;
      ${folders.join('\n')}
      ${http}
    }`,
  );
  return ['-e', 'stderr', '-c', file];
}

/** @param defaults lines of that section */
export function configureHaproxy(
  directory: Directory,
  defaults: string,
  sections: string,
): string[] {
  const file = directory.write(
    'haproxy.cfg',
    `global
  # Each thread has a pool of its own.
  nbthread 1
  stats timeout 1s
defaults
  mode http
  ${defaults}
${sections}
`,
  );
  return ['-db', '-f', file];
}

/** The sections of HAProxy with one server for all clients. @param options of the server */
export function oneServer(ports: readonly number[], backend: number, options: string): string {
  return `frontend clients
  ${ports.map((port) => `bind 127.0.0.1:${port}`).join('\n  ')}
  default_backend wirebin
backend wirebin
  server wirebin 127.0.0.1:${backend} ${options}`;
}

export interface EnvoySettings {
  /** Ports of the proxy. */
  readonly ports: readonly number[];
  /** The proxy's own, for HTTP/2 over TLS; without it, clients speak in cleartext. */
  readonly certificate?: Pair | undefined;
  readonly backend: number;
  /** To the backend. TLS is version 1.3. */
  readonly transport: Transport;
  /** Of clients with HTTP/1.1. */
  readonly http1?: object;
  readonly route?: object;
  /** Of connections to the backend. */
  readonly upstream?: object;
}

const address = (port: number) => ({
  socket_address: { address: '127.0.0.1', port_value: port },
});

const type = (name: string): Record<string, string> => ({
  '@type': `type.googleapis.com/envoy.extensions.${name}`,
});

export function configureEnvoy(directory: Directory, settings: EnvoySettings): string[] {
  const { ports, certificate, http1, route } = settings;
  const manager = {
    ...type('filters.network.http_connection_manager.v3.HttpConnectionManager'),
    codec_type: 'AUTO',
    stat_prefix: 'clients',
    http_protocol_options: { enable_trailers: true, ...http1 },
    route_config: {
      virtual_hosts: [
        {
          name: 'all',
          domains: ['*'],
          routes: [{ match: { prefix: '/' }, route: { cluster: 'wirebin', ...route } }],
        },
      ],
    },
    http_filters: [{ name: 'router', typed_config: type('filters.http.router.v3.Router') }],
  };
  const listeners = ports.map((port) => ({
    address: address(port),
    filter_chains: [
      {
        filters: [{ name: 'http', typed_config: manager }],
        ...(certificate && { transport_socket: envoyCertificate(certificate) }),
      },
    ],
  }));
  const resources = { listeners, clusters: [envoyCluster(settings)] };
  const file = directory.write('envoy.json', JSON.stringify({ static_resources: resources }));
  const flags = ['--concurrency', '1', '--use-dynamic-base-id', '--log-level', 'error'];
  return ['--config-path', file, ...flags];
}

function envoyCertificate({ cert, key }: Pair): object {
  return {
    name: 'tls',
    typed_config: {
      ...type('transport_sockets.tls.v3.DownstreamTlsContext'),
      common_tls_context: {
        alpn_protocols: ['h2'],
        tls_certificates: [
          { certificate_chain: { filename: cert }, private_key: { filename: key } },
        ],
      },
    },
  };
}

function envoyCluster({ backend, transport, upstream }: EnvoySettings): object {
  const protocol = isHttp2(transport) ? 'http2_protocol_options' : 'http_protocol_options';
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
  return {
    name: 'wirebin',
    type: 'STATIC',
    load_assignment: {
      cluster_name: 'wirebin',
      endpoints: [{ lb_endpoints: [{ endpoint: { address: address(backend) } }] }],
    },
    typed_extension_protocol_options: {
      'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
        ...type('upstreams.http.v3.HttpProtocolOptions'),
        common_http_protocol_options: upstream,
        explicit_http_config: { [protocol]: {} },
      },
    },
    ...(isSecure(transport) && { transport_socket: tls }),
  };
}
