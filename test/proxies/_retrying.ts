import { isHttp2, type Transport } from '../_client.ts';
import { configureEnvoy, configureHaproxy, configureNginx, oneServer } from './_configuration.ts';
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
  return configureNginx(
    directory,
    `# Twice the same: nginx repeats a request on the next server only.
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
    server { listen 127.0.0.1:${port}; location / { proxy_pass http://pool; } }`,
  );
}

function haproxy({ directory, backend, port, transport }: Given): string[] {
  return configureHaproxy(
    directory,
    `retries 1
  retry-on all-retryable-errors
  timeout connect 2s
  timeout client 5s
  timeout server 2s`,
    oneServer([port], backend, isHttp2(transport) ? 'proto h2' : ''),
  );
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

function envoy({ directory, backend, port, transport }: Given): string[] {
  return configureEnvoy(directory, {
    ports: [port],
    backend,
    transport,
    route: {
      timeout: '3s',
      idle_timeout: '2s',
      retry_policy: { retry_on: '5xx,reset,refused-stream', num_retries: 1 },
    },
  });
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
