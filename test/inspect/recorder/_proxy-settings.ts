import { isHttp2, isSecure, type Transport } from '../../_client.ts';
import {
  configureEnvoy,
  configureHaproxy,
  configureNginx,
  oneServer,
} from '../../proxies/_configuration.ts';
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

export function nginx({ directory, backend, http1, http2, transport }: Given): string[] {
  const scheme = isSecure(transport) ? 'https' : 'http';
  return configureNginx(
    directory,
    `upstream pool {
      server 127.0.0.1:${backend};
      keepalive 4;
      keepalive_requests ${REQUESTS};
    }
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    proxy_ssl_protocols TLSv1.3;
    proxy_request_buffering off;
    server { listen 127.0.0.1:${http1}; location / { proxy_pass ${scheme}://pool; } }
    server { listen 127.0.0.1:${http2} http2; location / { proxy_pass ${scheme}://pool; } }`,
  );
}

export function haproxy({ directory, backend, http1, http2, transport }: Given): string[] {
  const alpn = isHttp2(transport) ? 'h2' : 'http/1.1';
  const protocol = isSecure(transport)
    ? `ssl verify none ssl-min-ver TLSv1.3 alpn ${alpn}`
    : isHttp2(transport)
      ? 'proto h2'
      : '';
  return configureHaproxy(
    directory,
    `option accept-invalid-http-request
  timeout connect 5s
  timeout client 5s
  timeout server 5s`,
    oneServer([http1, http2], backend, `max-reuse ${REQUESTS} ${protocol}`),
  );
}

export function envoy({ directory, backend, http1, http2, transport }: Given): string[] {
  return configureEnvoy(directory, {
    ports: [http1, http2],
    backend,
    transport,
    http1: { accept_http_10: true },
    upstream: { max_requests_per_connection: REQUESTS },
  });
}
