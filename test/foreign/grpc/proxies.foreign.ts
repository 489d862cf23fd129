import { describe, expect, test } from 'vitest';
import { behind, type Given } from '../../proxies/_behind.ts';
import {
  configureEnvoy,
  configureHaproxy,
  configureNginx,
  oneServer,
} from '../../proxies/_configuration.ts';
import {
  pathOf,
  writeCertificate,
  type Certificate,
  type Program,
} from '../../proxies/_proxy-process.ts';
import { CASES, expectCase } from './_interop.ts';
import { missing, run } from './_program.ts';

/** The configuration of a proxy that speaks HTTP/2 on both sides, with a certificate over TLS, otherwise in cleartext. */
type Configure = (given: Given, certificate: Certificate | undefined) => string[];

const PROXIES: readonly (readonly [Program, Configure])[] = [
  [
    'nginx',
    ({ directory, backend, ports }, certificate) =>
      configureNginx(
        directory,
        `server {
          listen 127.0.0.1:${ports[0]} ${certificate ? 'ssl' : ''} http2;
          ${certificate ? `ssl_certificate ${certificate.cert}; ssl_certificate_key ${certificate.key};` : ''}
          client_max_body_size 0;
          location / { grpc_pass grpc${certificate ? 's' : ''}://127.0.0.1:${backend}; }
        }`,
      ),
  ],
  [
    'haproxy',
    ({ directory, backend, ports }, certificate) => {
      const front = certificate ? `ssl crt ${certificate.both} alpn h2` : 'proto h2';
      const back = certificate ? 'ssl verify none alpn h2' : 'proto h2';
      return configureHaproxy(
        directory,
        'timeout connect 5s\n  timeout client 60s\n  timeout server 60s',
        oneServer(ports, backend, back).replace(/bind (\S+)/, `bind $1 ${front}`),
      );
    },
  ],
  [
    'envoy',
    ({ directory, backend, ports }, certificate) =>
      configureEnvoy(directory, {
        ports,
        backend,
        certificate,
        transport: certificate ? 'h2' : 'h2c',
        route: { timeout: '0s' },
      }),
  ],
  [
    'caddy',
    ({ directory, backend, ports }, certificate) => {
      const tls = `tls ${certificate?.cert} ${certificate?.key}
        reverse_proxy https://127.0.0.1:${backend} {
          transport http {
            tls_insecure_skip_verify
          }
        }`;
      const file = directory.write(
        'Caddyfile',
        `{
          admin off
          auto_https off
          storage file_system ${directory.path}/data
          servers {
            protocols h1 h2 h2c
          }
        }
        http${certificate ? 's' : ''}://:${ports[0]} {
          bind 127.0.0.1
          ${certificate ? tls : `reverse_proxy h2c://127.0.0.1:${backend}`}
        }`,
      );
      return ['run', '--adapter', 'caddyfile', '--config', file];
    },
  ],
];

const BOTH = PROXIES.flatMap(([program, configure]) =>
  (['in cleartext', 'over TLS'] as const).map((how) => [program, how, configure] as const),
);

describe.skipIf(missing('grpc-interop-client') || missing('grpcurl')).each(BOTH)(
  'through %s %s',
  (program, how, configure) => {
    if (pathOf(program) === undefined) {
      test.skip(`not run: there is no ${program}`, () => undefined);
      return;
    }
    let certificate: Certificate | undefined;
    const { ports } = behind(program, 1, [], async (given) => {
      if (how === 'over TLS') certificate = await writeCertificate(given.directory);
      return configure(given, certificate);
    });
    const port = () => ports()[0] ?? 0;

    test.each(CASES)('%s', (name) => expectCase(name, port(), certificate?.cert));

    test('reflection, and the transport behind the proxy', async () => {
      const target = [certificate ? '-insecure' : '-plaintext', `127.0.0.1:${port()}`];
      const { stdout: services } = await run('grpcurl', [...target, 'list']);
      expect(services).toContain('wirebin.v1.Wirebin\n');
      const { stdout: echo } = await run('grpcurl', [...target, 'wirebin.v1.Wirebin/Echo']);
      expect(echo).toContain(`"protocol": "${certificate ? 'h2' : 'h2c'}"`);
    });
  },
);
