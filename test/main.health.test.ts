import { tmpdir } from 'node:os';
import { describe, expect, onTestFinished, test } from 'vitest';
import { until } from './_adapters.ts';
import { health } from '../src/cli/health/health.ts';
import { findRunning } from '../src/cli/health/running.ts';
import { Installation, installed, type Running } from './_process.ts';
import { converse, GET, openSocket } from './_raw.ts';
import { freePort } from './_system.ts';

const installation = installed('bundled');

/** `wirebin health` of this installation, with another environment than the service. */
async function ask(...args: string[]): Promise<[number, string]> {
  let output = '';
  const sink = { write: (text: string) => (output += text) };
  const argv = ['node', installation().main];
  return [await health(args, { argv, env: {}, stdout: sink, stderr: sink }), output];
}

async function runHealth(...args: string[]): Promise<[exit: number | string, output: string]> {
  const running = installation().run(['health', ...args], { cwd: tmpdir() });
  return [await running.exit, running.stdout + running.stderr];
}

const endsWithOk = (received: string): boolean => received.endsWith('OK');
const READY = [0, 'ready: /readyz responds with 200\n'];

// Without /proc it asks what its own environment names.
if (process.platform === 'linux') {
  describe('wirebin health, without flags, finds', () => {
    test('the primary among its workers, which has flags after those of Node', async () => {
      const port = await freePort();
      const flags = `-p${port} --host 127.0.0.1 --workers 2 --max-connections 1`;
      const { main } = installation();
      await installation()
        .shell(`exec "${process.execPath}" --no-warnings "${main}" ${flags}`)
        .listens();
      // One for each worker.
      const held = await Promise.all([openSocket(port), openSocket(port)]);
      await Promise.all(held.map((socket) => converse(socket, GET('/healthz'), endsWithOk)));
      const full = [0, 'alive: the service closes new connections, as at --max-connections\n'];
      expect(await Promise.all([ask(), ask('live')])).toEqual([full, full]);
      for (const socket of held) socket.destroy();
      await expect.poll(() => ask()).toEqual(READY);
    });

    test('the service by its environment, and exits with its state', async () => {
      const env = {
        WIREBIN_PORT: String(await freePort()),
        WIREBIN_HOST: '127.0.0.1',
        WIREBIN_DRAIN_DELAY: '60',
      };
      const running = installation().run([], { env });
      await running.listens();
      expect(await runHealth()).toEqual(READY);
      running.child.kill('SIGTERM');
      await until(() => running.said('draining').length > 0);
      expect(await Promise.all([runHealth(), runHealth('live')])).toEqual([
        [1, 'not ready: /readyz responds with 503\n'],
        [0, 'alive: /healthz responds with 200\n'],
      ]);
    });

    test('no service of another installation', async () => {
      const other = new Installation('bundled');
      onTestFinished(() => other.remove());
      const service: Running = other.run(['--port', '0', '--host', '127.0.0.1']);
      await service.listens();
      expect(findRunning(other.main)).toMatchObject({
        args: ['--port', '0', '--host', '127.0.0.1'],
      });
      expect(findRunning(installation().main)).toBeUndefined();
    });
  });
}

test('wirebin health --help is that of wirebin', async () => {
  expect(await runHealth('--help')).toEqual([0, expect.stringContaining('wirebin health')]);
});
