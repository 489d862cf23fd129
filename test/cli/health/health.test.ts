import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { health } from '../../../src/cli/health/health.ts';
import { PROTOCOLS } from '../../../src/net/connection.ts';
import { CertificateFiles } from '../../_certificates.ts';
import { startService } from '../../_service.ts';
import { freePort } from '../../_system.ts';

const ALIVE = [0, 'alive: /healthz responds with 200\n'];
const FULL = [0, 'alive: the service closes new connections, as at --max-connections\n'];
const READY = [0, 'ready: /readyz responds with 200\n'];

/** `wirebin health` with these arguments. @returns its exit code and output */
async function run(args: readonly string[], patience?: number): Promise<[number, string]> {
  let output = '';
  const sink = { write: (text: string) => (output += text) };
  const env = { WIREBIN_HOST: '127.0.0.1' };
  return [await health(args, { argv: [], env, stdout: sink, stderr: sink }, patience), output];
}

/** Asks the service with these flags on this port whether it is ready, and whether it is alive. */
const askBoth = (port: number, flags: readonly string[] = [], patience?: number) =>
  Promise.all(
    [[], ['live']].map((command) => run([...command, `--port=${port}`, ...flags], patience)),
  );

/** @returns the port of a server that does this with its connections */
async function listening(onConnection: (socket: Socket) => void): Promise<number> {
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
  return (server.address() as AddressInfo).port;
}

const TRANSPORTS = [
  ['every transport', []],
  ['h2c only', ['--transports', 'h2c']],
  ['HTTP/1.1 over TLS only', ['--transports', 'https/1.1']],
  ['HTTP/2 over TLS only', ['--transports', 'h2', '--tls-min', 'TLSv1.3']],
  ['old TLS', ['--transports', 'https/1.1', '--tls-min', 'TLSv1', '--tls-max', 'TLSv1.1']],
  ['a PROXY header', ['--proxy-protocol', 'require']],
  ['a path prefix', ['--path-prefix', '/a/b/']],
  ['a PROXY header, then TLS', ['--proxy-protocol=require', '--transports=h2']],
] as const;

test.each(TRANSPORTS)('%s: ready, then draining, and alive all the time', async (_, flags) => {
  const { port, service } = await startService(...flags);
  expect(await askBoth(port, flags)).toEqual([READY, ALIVE]);
  service.markNotReady();
  expect(await askBoth(port, flags)).toEqual([
    [1, 'not ready: /readyz responds with 503\n'],
    ALIVE,
  ]);
});

test.each(TRANSPORTS)('%s: at --max-connections it is alive', async (_, flags) => {
  const { port } = await startService('--max-connections', '1', ...flags);
  const held = connect(port, '127.0.0.1').on('error', () => {});
  onTestFinished(() => void held.destroy());
  await once(held, 'connect');
  expect(await askBoth(port, flags)).toEqual([FULL, FULL]);
});

// Which echoes requests to /readyz, too.
test('another dialect: ready, and alive while it drains', async () => {
  const flags = ['--dialect', 'gateway-api'];
  const { port, service } = await startService(...flags);
  expect(await askBoth(port, flags)).toEqual([READY, ALIVE]);
  service.markNotReady();
  expect((await askBoth(port, flags))[1]).toEqual(ALIVE);
});

test('a service that requires a client certificate over TLS only is alive', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'wirebin-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const authority = new CertificateFiles(folder, 'authority');
  await authority.renew();
  const flags = ['--client-cert', 'require', '--tls-ca', authority.cert];
  const { port } = await startService(...flags, '--transports', 'https/1.1,h2');
  const alive = [0, 'alive: the service requires a client certificate\n'];
  expect(await askBoth(port, [...flags, '--transports', 'https/1.1,h2'])).toEqual([alive, alive]);
});

test('without the endpoint any other response will do', async () => {
  const { port } = await startService('--disable', '/readyz');
  const ready = [0, 'ready: /readyz responds with 404\n'];
  expect(await askBoth(port)).toEqual([ready, ALIVE]);
});

test.each(PROTOCOLS)('a closed port, and one that closes, with %s', async (transport) => {
  const port = await listening((socket) => socket.once('data', () => socket.destroy()));
  const [[exit, output] = []] = await askBoth(port, ['--transports', transport]);
  expect(exit).toBe(1);
  expect(output).toMatch(/closed|disconnected|ECONNRESET/);
  const free = await freePort();
  const refused = [1, `wirebin: connect ECONNREFUSED 127.0.0.1:${free}\n`];
  expect(await askBoth(free, ['--transports', transport])).toEqual([refused, refused]);
});

test('a service that does not respond', async () => {
  const port = await listening(() => {});
  const late = [1, 'wirebin: no response within 20 ms\n'];
  expect(await askBoth(port, [], 20)).toEqual([late, late]);
});

test('a service that wants a PROXY header', async () => {
  const { port } = await startService('--proxy-protocol', 'require');
  const closed = [1, 'wirebin: the connection was closed without a response\n'];
  expect(await askBoth(port)).toEqual([closed, closed]);
});

test('a service that has room for the second connection', async () => {
  let connections = 0;
  const http = createHttpServer((_request, response) => response.end());
  const port = await listening((socket) => {
    if (connections++ === 0) socket.destroy();
    else http.emit('connection', socket);
  });
  expect(await run(['--port', String(port)])).toEqual(READY);
});

test('flags that do not concern it are allowed, and unknown ones have the exit code 1: Docker reserves 2', async () => {
  const { port } = await startService();
  expect(await run(['live', '-p', String(port), '--tap'])).toEqual(ALIVE);
  const [exit, output] = await run(['--prot', '1']);
  expect(exit).toBe(1);
  expect(output).toContain('unknown option --prot; did you mean --port?');
});
