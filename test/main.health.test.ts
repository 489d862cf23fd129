import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { PROTOCOLS } from '../src/net/connection.ts';
import { CertificateFiles } from './_certificates.ts';
import { Installation, installed, Running } from './_process.ts';

vi.setConfig({ testTimeout: 60_000 });
const installation = installed('bundled');

/** A port that was free a moment ago: the service has to have it in its flags. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** @returns the port of a server that does this with its connections */
async function listening(onConnection: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    onConnection(socket);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await once(server, 'listening');
  return String((server.address() as AddressInfo).port);
}

async function health(
  ...args: string[]
): Promise<readonly [exit: number | string, output: string]> {
  const running = installation().run(['health', ...args], { cwd: tmpdir() });
  return [await running.exit, running.stdout + running.stderr];
}

const READY = [0, 'ready: /readyz responds with 200\n'] as const;
const ALIVE = [0, 'alive: /healthz responds with 200\n'] as const;
const FULL = [0, 'alive: the service closes new connections, as at --max-connections\n'] as const;
const CLOSED = [1, 'wirebin: the connection was closed without a response\n'] as const;

async function serve(...args: string[]): Promise<Running> {
  const port = String(await freePort());
  const running = installation().run(['--host', '127.0.0.1', '--port', port, ...args]);
  await running.listens();
  return running;
}

async function drain(...flags: readonly string[]): Promise<void> {
  const running = await serve('--drain-delay', '60', ...flags);
  running.child.kill('SIGTERM');
  await vi.waitUntil(() => running.said('draining').length > 0);
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

  test.each([
    ['every transport', []],
    ['HTTP/2 over TLS only', ['--transports', 'h2']],
  ])('a service that drains is alive, and not ready: %s', async (_name, flags) => {
    await drain(...flags);
    expect(await Promise.all([health(), health('live')])).toEqual([
      [1, 'not ready: /readyz responds with 503\n'],
      ALIVE,
    ]);
  });

  // Which echoes requests to /readyz, too.
  test('a service that drains is alive: another dialect', async () => {
    await drain('--dialect', 'gateway-api');
    expect(await health('live')).toEqual(ALIVE);
  });

  test.each([
    ['every transport', []],
    ['h2c only', ['--transports', 'h2c']],
    ['HTTP/1.1 over TLS only', ['--transports', 'https/1.1']],
    ['HTTP/2 over TLS only', ['--transports', 'h2']],
    ['a PROXY header', ['--proxy-protocol', 'require']],
    ['workers', ['--workers', '2']],
  ])('a service at --max-connections is alive: %s', async (_name, flags) => {
    const { port } = await serve('--max-connections', '1', ...flags);
    // One for each worker.
    const held = [0, 1].map(() => connect(port, '127.0.0.1').on('error', () => {}));
    onTestFinished(() => held.forEach((socket) => socket.destroy()));
    await Promise.all(held.map((socket) => once(socket, 'connect')));
    expect(await Promise.all([health(), health('live')])).toEqual([FULL, FULL]);
  });

  test('without the endpoint any other response will do', async () => {
    await serve('--disable', '/readyz');
    expect(await health()).toEqual([0, 'ready: /readyz responds with 404\n']);
  });

  test('the service of another installation is not asked', async () => {
    const other = new Installation('bundled');
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

  test('a service that does not respond', async () => {
    const port = await listening(() => {});
    const late = [1, 'wirebin: no response within 2500 ms\n'];
    const both = [health('--port', port), health('live', '--port', port)];
    expect(await Promise.all(both)).toEqual([late, late]);
  });

  test.each(PROTOCOLS)('a service that closes what it is sent, with %s', async (transport) => {
    const port = await listening((socket) => socket.once('data', () => socket.destroy()));
    const [exit, output] = await health('live', '--port', port, '--transports', transport);
    expect(exit).toBe(1);
    expect(output).toMatch(/closed|disconnected|ECONNRESET/);
  });

  test('a service that wants a PROXY header', async () => {
    const { port } = await serve('--proxy-protocol', 'require');
    expect(await health('--port', String(port))).toEqual(CLOSED);
  });

  test('a service that has room for the second connection', async () => {
    let connections = 0;
    const http = createHttpServer((_request, response) => response.end());
    const port = await listening((socket) => {
      if (connections++ === 0) socket.destroy();
      else http.emit('connection', socket);
    });
    expect(await health('--port', port)).toEqual(READY);
  });

  test('live', async () => {
    const port = String((await serve()).port);
    const both = [health('live', '--port', port), health('live', '-p', port, '--tap')];
    expect(await Promise.all(both)).toEqual([ALIVE, ALIVE]);
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
