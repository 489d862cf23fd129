import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Directory, writeCertificate } from '../../proxies/_proxy-process.ts';
import { startService, type Running } from '../../_service.ts';
import { CASES, expectCase } from './_interop.ts';
import { missing, run } from './_program.ts';

const directory = new Directory();
afterAll(() => directory.remove());
let running: Running;
let ca: string;
beforeAll(async () => {
  const { cert, key } = await writeCertificate(directory);
  ca = cert;
  running = await startService(`--tls-cert=${cert}`, `--tls-key=${key}`);
});

describe.skipIf(missing('grpc-interop-client'))("Go's interop client", () => {
  test.each(CASES)('%s in cleartext', (name) => expectCase(name, running.port));

  test.each(CASES)('%s over TLS', (name) => expectCase(name, running.port, ca));

  // Four at once also cross GOAWAY, which Node's sessions do not serve.
  test.each([
    ['node', 1],
    ['wirebin', 4],
  ])(
    'no call fails when connections of --h2-engine %s reach their maximum age',
    async (engine, threads) => {
      const { port, service } = await startService(
        '--metrics-enabled',
        '--max-connection-age=1s',
        `--h2-engine=${engine}`,
      );
      const calls = [
        `--soak_iterations=${40 * threads}`,
        '--soak_min_time_ms_between_rpcs=100',
        `--soak_num_threads=${threads}`,
      ];
      const patience = [
        'soak_per_iteration_max_acceptable_latency_ms=10000',
        'soak_overall_timeout_seconds=60',
      ];
      await expectCase('rpc_soak', port, undefined, [
        ...calls,
        ...patience.map((flag) => `--${flag}`),
      ]);
      expect(service.counts()?.terminations['connection-age']).toBeGreaterThan(1);
    },
  );
});

const probe = async (...flags: string[]) =>
  run('grpc-health-probe', ['-addr', `127.0.0.1:${running.port}`, ...flags]);

describe.skipIf(missing('grpc-health-probe'))('grpc-health-probe', () => {
  test('a service that is ready, in cleartext and over TLS', async () => {
    expect(await probe()).toMatchObject({ code: 0 });
    expect(await probe('-service', 'wirebin.v1.Wirebin')).toMatchObject({ code: 0 });
    const tls = ['-tls', '-tls-ca-cert', ca, '-tls-server-name', 'proxy.example'];
    expect(await probe(...tls)).toMatchObject({ code: 0 });
  });

  test('one that is not, and a service that is unknown', async () => {
    running.service.setReady(false);
    expect(await probe()).toMatchObject({ code: 4 });
    running.service.setReady(true);
    expect(await probe('-service', 'a.B')).toMatchObject({ code: 3 });
  });
});
