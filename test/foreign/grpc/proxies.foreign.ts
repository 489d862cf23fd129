import { describe, expect, test } from 'vitest';
import { behind, type Given } from '../../proxies/_behind.ts';
import {
  configureEnvoy,
  configureHaproxy,
  configureNginx,
  oneServer,
} from '../../proxies/_configuration.ts';
import { pathOf, type Program } from '../../proxies/_proxy-process.ts';
import { CASES, expectCase } from './_interop.ts';
import { missing, run } from './_program.ts';

/** Where a proxy listens for HTTP/2 in cleartext, with wirebin behind it in the same. */
const PROXIES: readonly (readonly [Program, (given: Given) => string[]])[] = [
  [
    'nginx',
    ({ directory, backend, ports }) =>
      configureNginx(
        directory,
        `server {
          listen 127.0.0.1:${ports[0]} http2;
          client_max_body_size 0;
          location / { grpc_pass grpc://127.0.0.1:${backend}; }
        }`,
      ),
  ],
  [
    'haproxy',
    ({ directory, backend, ports }) =>
      configureHaproxy(
        directory,
        'timeout connect 5s\n  timeout client 60s\n  timeout server 60s',
        oneServer(ports, backend, 'proto h2').replace(/bind (\S+)/, 'bind $1 proto h2'),
      ),
  ],
  [
    'envoy',
    ({ directory, backend, ports }) =>
      configureEnvoy(directory, { ports, backend, transport: 'h2c', route: { timeout: '0s' } }),
  ],
  [
    'caddy',
    ({ directory, backend, ports }) => {
      const file = directory.write(
        'Caddyfile',
        `{
          admin off
          auto_https off
          storage file_system ${directory.path}/data
          servers {
            protocols h1 h2c
          }
        }
        http://:${ports[0]} {
          bind 127.0.0.1
          reverse_proxy h2c://127.0.0.1:${backend}
        }`,
      );
      return ['run', '--adapter', 'caddyfile', '--config', file];
    },
  ],
];

describe.skipIf(missing('grpc-interop-client') || missing('grpcurl')).each(PROXIES)(
  'through %s',
  (program, configure) => {
    if (pathOf(program) === undefined) {
      test.skip(`not run: there is no ${program}`, () => undefined);
      return;
    }
    const { ports } = behind(program, 1, [], configure);
    const port = () => ports()[0] ?? 0;

    test.each(CASES)('%s', (name) => expectCase(name, port()));

    test('reflection', async () => {
      const { stdout } = await run('grpcurl', ['-plaintext', `127.0.0.1:${port()}`, 'list']);
      expect(stdout).toContain('wirebin.v1.Wirebin\n');
    });
  },
);
