import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { configureHaproxy, configureNginx, oneServer } from '../_configuration.ts';
import type { Directory, Program } from '../_proxy-process.ts';

/** The field by which a proxy marks each request that it forwards, with a value of its own. */
export const MARK = 'X-Mark';

/** A proxy that forwards all requests of HTTP/1.1 over connections that it keeps. */
export interface Front {
  readonly program: Program;
  /** Writes the configuration. @returns the program's arguments */
  readonly configure: (directory: Directory, port: number, backend: number) => readonly string[];
}

const nginx: Front = {
  program: 'nginx',
  configure: (directory, port, backend) =>
    configureNginx(
      directory,
      `upstream wirebin { server 127.0.0.1:${backend}; keepalive 4; }
      server {
        listen 127.0.0.1:${port};
        location / {
          proxy_http_version 1.1;
          proxy_request_buffering off;
          proxy_set_header Connection "";
          proxy_set_header ${MARK} $request_id;
          proxy_pass http://wirebin;
        }
      }`,
    ),
};

const haproxy: Front = {
  program: 'haproxy',
  configure: (directory, port, backend) =>
    configureHaproxy(
      directory,
      `timeout connect 5s
  timeout client 5s
  timeout server 5s
  http-reuse always`,
      // In the section of the backend, which is the last.
      `${oneServer([port], backend, '')}\n  http-request set-header ${MARK} %[uuid()]`,
    ),
};

const caddy: Front = {
  program: 'caddy',
  configure(directory, port, backend) {
    const file = directory.write(
      'Caddyfile',
      `{
  admin off
  auto_https off
  storage file_system ${directory.path}
}
http://:${port} {
  bind 127.0.0.1
  reverse_proxy 127.0.0.1:${backend} {
    header_up ${MARK} {http.request.uuid}
  }
}
`,
    );
    return ['run', '--adapter', 'caddyfile', '--config', file];
  },
};

const varnish: Front = {
  program: 'varnishd',
  configure(directory, port, backend) {
    const file = directory.write(
      'default.vcl',
      `vcl 4.1;
backend wirebin { .host = "127.0.0.1"; .port = "${backend}"; }
sub vcl_recv { return (pass); }
sub vcl_backend_fetch { set bereq.http.${MARK} = bereq.xid; }
`,
    );
    const place = ['-n', `${directory.path}/work`, '-a', `127.0.0.1:${port}`, '-f', file];
    return ['-F', '-j', 'none', ...place, '-s', 'default,32M'];
  },
};

/** As root it runs as another user, to whom the directory then belongs. */
const trafficServer: Front = {
  program: 'traffic_server',
  configure(directory, port, backend) {
    const { path } = directory;
    const isRoot = process.getuid?.() === 0;
    const settings = {
      'http.server_ports STRING': `${port}:ip-in=127.0.0.1`,
      'http.cache.http INT': 0,
      'url_remap.remap_required INT': 1,
      'exec_thread.autoconfig INT': 0,
      'exec_thread.limit INT': 1,
      ...(isRoot && { 'admin.user_id STRING': 'nobody' }),
    };
    const lines = Object.entries(settings).map((pair) => `CONFIG proxy.config.${pair.join(' ')}`);
    directory.write('records.config', `${lines.join('\n')}\n`);
    directory.write('remap.config', `map / http://127.0.0.1:${backend}/\n`);
    directory.write('plugin.config', 'header_rewrite.so mark.config\n');
    const mark = `cond %{SEND_REQUEST_HDR_HOOK}\nset-header ${MARK} %{ID:UNIQUE}\n`;
    directory.write('mark.config', mark);
    directory.write('storage.config', `${path}/cache 32M\n`);
    const allowed = '  - apply: in\n    ip_addrs: 0/0\n    action: allow\n    methods: ALL\n';
    directory.write('ip_allow.yaml', `ip_allow:\n${allowed}`);
    mkdirSync(`${path}/cache`);
    const root = directory.write(
      'runroot.yaml',
      ['sysconfdir', 'datadir', 'localstatedir', 'runtimedir', 'logdir', 'cachedir']
        .map((name) => `${name}: ${path}\n`)
        .concat('exec_prefix: /usr\nbindir: /usr/bin\nlibdir: /usr/lib/trafficserver\n')
        .concat('libexecdir: /usr/lib/trafficserver/modules\n')
        .join(''),
    );
    if (isRoot) execFileSync('chown', ['-R', 'nobody', path]);
    return [`--run-root=${root}`];
  },
};

export const fronts: readonly Front[] = [nginx, haproxy, caddy, varnish, trafficServer];
