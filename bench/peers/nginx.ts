import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { start } from '../processes.ts';
import { RANGE_SIZES, SIZES } from '../scenarios.ts';
import { serverOf, type Workspace } from '../servers.ts';
import { freePort, listening, type Peer } from './peer.ts';

/** nginx cannot make content: /bytes and /range are files, /healthz and /anything are `return`. */
export const nginx: Peer = {
  name: 'nginx',
  program: 'nginx',
  needs: 'nginx with http_ssl and http_v2',
  async start(program, workspace) {
    const ports = { clear: await freePort(), tls: await freePort(), h2c: await freePort() };
    writeFiles(workspace.directory);
    const file = join(workspace.directory, 'nginx.conf');
    writeFileSync(file, configuration(workspace, ports));
    const child = start(program, ['-c', file, '-p', workspace.directory]);
    await Promise.all(Object.values(ports).map(listening));
    return [
      serverOf({
        name: 'nginx',
        child,
        ports: {
          'http/1.1': ports.clear,
          'https/1.1': ports.tls,
          h2: ports.tls,
          h2c: ports.h2c,
        },
      }),
    ];
  },
};

function writeFiles(directory: string): void {
  // A worker that was started as root serves as somebody else.
  chmodSync(directory, 0o755);
  for (const kind of ['bytes', 'range']) mkdirSync(join(directory, kind));
  for (const size of SIZES) writeFileSync(join(directory, `bytes/${size}`), randomBytes(size));
  for (const size of RANGE_SIZES) {
    const content = Buffer.alloc(size, 'abcdefghijklmnopqrstuvwxyz');
    writeFileSync(join(directory, `range/${size}`), content);
  }
}

/** Tuned as its manual says for static files; one process, so that it has one core. */
function configuration(
  { directory, certFile, keyFile }: Workspace,
  { clear, tls, h2c }: { readonly clear: number; readonly tls: number; readonly h2c: number },
): string {
  const locations = `
    location = /healthz { default_type text/plain; return 200 "OK"; }
    location = /anything {
      default_type application/json;
      return 200 '{"method": "$request_method", "url": "$scheme://$host$request_uri", "http_version": "$server_protocol", "origin": "$remote_addr", "headers": {"host": "$http_host", "user-agent": "$http_user_agent"}}';
    }`;
  return `
daemon off; master_process off; pid ${directory}/nginx.pid; error_log stderr crit;
events { worker_connections 4096; }
http {
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000000;
  default_type application/octet-stream; root ${directory};
  client_body_temp_path ${directory}/body; proxy_temp_path ${directory}/proxy;
  fastcgi_temp_path ${directory}/fastcgi; uwsgi_temp_path ${directory}/uwsgi;
  scgi_temp_path ${directory}/scgi;
  ssl_certificate ${certFile}; ssl_certificate_key ${keyFile}; ssl_session_cache shared:all:1m;
  server { listen 127.0.0.1:${clear}; ${locations} }
  server { listen 127.0.0.1:${tls} ssl http2; ${locations} }
  server { listen 127.0.0.1:${h2c} http2; ${locations} }
}
`;
}
