import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { PROTOCOLS } from '../src/net/connection.ts';
import { CertificateFiles } from './_certificates.ts';
import { Installation, installed, Running } from './_process.ts';

vi.setConfig({ testTimeout: 60_000 });
const installation = installed();

/** A port that was free a moment ago: the service has to have it in its flags. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function health(
  ...args: string[]
): Promise<readonly [exit: number | string, output: string]> {
  const running = installation().run(['health', ...args], { cwd: tmpdir() });
  return [await running.exit, running.stdout + running.stderr];
}

const READY = [0, 'ready: /readyz responds with 200\n'] as const;

async function serve(...args: string[]): Promise<Running> {
  const port = String(await freePort());
  const running = installation().run(['--host', '127.0.0.1', '--port', port, ...args]);
  await running.listens();
  return running;
}

describe.runIf(process.platform === 'linux')('wirebin health, without flags', () => {
  test.each([
    ['every transport', []],
    ['h2c only', ['--transports', 'h2c']],
    ['HTTP/1.1 over TLS only', ['--transports', 'https/1.1']],
    ['HTTP/2 over TLS only', ['--transports', 'h2', '--tls-min', 'TLSv1.3']],
    ['old TLS', ['--transports', 'https/1.1', '--tls-min', 'TLSv1', '--tls-max', 'TLSv1.1']],
    ['a PROXY header', ['--proxy-protocol', 'require']],
    ['a PROXY header, then TLS', ['--proxy-protocol=require', '--transports=h2']],
    ['workers', ['--workers', '2']],
    ['another dialect', ['--dialect', 'gateway-api']],
  ])('finds the service and asks it: %s', async (_name, flags) => {
    await serve(...flags);
    expect(await health()).toEqual(READY);
  });

  test('follows the environment of the service, not its own', async () => {
    const port = await freePort();
    const env = { WIREBIN_PORT: String(port), WIREBIN_HOST: '127.0.0.1' };
    await installation().run([], { env }).listens();
    expect(await health()).toEqual(READY);
  });

  test('follows flags after those of Node', async () => {
    const port = await freePort();
    const { main } = installation();
    const command = `exec "${process.execPath}" --no-warnings "${main}" -p${port} --host 127.0.0.1`;
    await installation().shell(command).listens();
    expect(await health()).toEqual(READY);
  });

  test('a service that requires a client certificate over TLS only is alive', async () => {
    const authority = new CertificateFiles(installation().root, 'authority');
    await authority.renew();
    const flags = ['--client-cert', 'require', '--tls-ca', authority.cert];
    await serve(...flags, '--transports', 'https/1.1,h2');
    expect(await health()).toEqual([0, 'alive: the service requires a client certificate\n']);
  });

  test('a service that drains is not ready', async () => {
    const running = await serve('--drain-delay', '60');
    running.child.kill('SIGTERM');
    await vi.waitUntil(() => running.said('draining').length > 0);
    expect(await health()).toEqual([1, 'not ready: /readyz responds with 503\n']);
  });

  test('without the endpoint any other response will do', async () => {
    await serve('--disable', '/readyz');
    expect(await health()).toEqual([0, 'ready: /readyz responds with 404\n']);
  });

  test('the service of another installation is not asked', async () => {
    const other = new Installation();
    onTestFinished(() => other.remove());
    const port = String(await freePort());
    await other.run(['--port', port, '--host', '127.0.0.1']).listens();
    const env = { WIREBIN_PORT: String(await freePort()) };
    const running = installation().run(['health'], { env });
    expect(await running.exit).toBe(1);
    expect(running.stderr).toMatch(/^wirebin: connect ECONNREFUSED/);
  });
});

describe('wirebin health, with flags', () => {
  test('asks what they say', async () => {
    const { port } = await serve();
    expect(await health('--port', String(port))).toEqual(READY);
  });

  test.each(PROTOCOLS)('a closed port, with %s', async (transport) => {
    const port = String(await freePort());
    const [exit, output] = await health('--port', port, '--transports', transport);
    expect(exit).toBe(1);
    expect(output).toBe(`wirebin: connect ECONNREFUSED 127.0.0.1:${port}\n`);
  });

  test('a port on which nothing listens', async () => {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => sockets.add(socket)).listen(0, '127.0.0.1');
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    expect(await health('--port', String(port))).toEqual([
      1,
      'wirebin: no response within 2500 ms\n',
    ]);
  });

  test('a usage error has the exit code 1: Docker reserves 2', async () => {
    const [exit, output] = await health('--prot', '1');
    expect(exit).toBe(1);
    expect(output).toContain('unknown option --prot; did you mean --port?');
  });

  test('--help', async () => {
    const running = new Running(spawn(process.execPath, [installation().main, 'health', '--help']));
    expect(await running.exit).toBe(0);
    expect(running.stdout).toContain('wirebin health');
  });
});
