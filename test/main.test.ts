import { createServer } from 'node:net';
import { once } from 'node:events';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import tls from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import { nodeReleaseWarnings } from '../src/cli/node-release.ts';
import { VERSION } from '../src/version.ts';
import { CertificateFiles } from './_certificates.ts';
import { until } from './_adapters.ts';
import { openClient, transports } from './_client.ts';
import { Installation, installed, type Running } from './_process.ts';
import { converse, exchange, GET, LAST, openSocket, statusesOf } from './_raw.ts';

const installation = installed('bundled');
/** A file for each source, as published. */
const published = installed();

const run = (...args: string[]): Running => installation().run(args);

/** Starts a service on a free loopback port, and waits until it listens. */
async function serve(...args: string[]): Promise<Running> {
  const running = run('--port', '0', '--host', '127.0.0.1', ...args);
  await until(() => running.lines.length > 0, 'the first line');
  return running;
}

async function fingerprint(port: number): Promise<string | undefined> {
  const socket = tls.connect({ port, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const certificate = socket.getPeerX509Certificate();
  socket.destroy();
  return certificate?.fingerprint256;
}

describe('the command line', () => {
  test('-h and -v', async () => {
    const [help, version] = [run('-h'), run('-v')];
    expect(await help.exit).toBe(0);
    expect(help.stdout).toBe(
      await readFile(new URL('settings/config.help.txt', import.meta.url), 'utf8'),
    );
    expect(await version.exit).toBe(0);
    expect(version.stdout).toBe(`${VERSION}\n`);
  });

  test('--help into a closed pipe', async () => {
    const node = `"${process.execPath}"`;
    const untilClosed = `${node} -e 'const fs = require("fs"); for (;;) fs.writeSync(1, " ")' 2>&-`;
    const running = installation().shell(
      `{ ${untilClosed}; ${node} "${installation().main}" --help; echo "exit $?" >&2; } | true`,
    );
    await running.exit;
    expect(running.stderr).toBe('exit 0\n');
  });

  test('bench: a report, exit 0, or 3 if the machine was too busy', async () => {
    const load = ['--rounds', '1', '--duration', '100ms', '--connections', '1'];
    const running = run('bench', '--self', '--only', 'healthz', ...load);
    expect([0, 3]).toContain(await running.exit);
    expect(running.stderr).toMatch(/^2 rows of 1 round: about \d+ seconds?\n/);
    expect(running.stdout).toMatch(/^scenario .*\nhealthz +http\/1\.1 .*\nhealthz +h2c /m);
  });

  test.each([
    [['--port', 'x'], "wirebin: --port (WIREBIN_PORT) cannot be 'x'; allowed: a whole number"],
    [['--port', '-1'], "wirebin: --port (WIREBIN_PORT) cannot be '-1'; allowed: a whole number"],
    [['--prot', '1'], 'wirebin: unknown option --prot; did you mean --port?'],
    [['stop'], 'wirebin: unknown command stop'],
    [['--disable', '/tea'], 'wirebin: --disable (WIREBIN_DISABLE): no endpoint has the path /tea'],
  ])('%j: one line, exit 2', async (args, message) => {
    const running = run(...args);
    expect(await running.exit).toBe(2);
    expect(running.stdout).toBe('');
    expect(running.stderr.startsWith(message)).toBe(true);
    expect(running.stderr.match(/\n/g)).toHaveLength(1);
  });

  test('a port in use: one line that names it, exit 1', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const running = run('--port', String(port), '--host', '127.0.0.1');
    expect(await running.exit).toBe(1);
    const error = `wirebin: port ${port} is in use at 127.0.0.1; choose another: `;
    expect(running.stderr).toBe(`${error}node ${relative('', installation().main)} -p 9000\n`);
    const env = { npm_lifecycle_event: 'start', WIREBIN_PORT: String(port) };
    const byNpm = installation().run(['--workers', '2', '--host', '127.0.0.1'], { env });
    expect(await byNpm.exit).toBe(1);
    expect(byNpm.stderr).toBe(`${error}npm start -- -p 9000, which overrides WIREBIN_PORT\n`);
    server.close();
  });

  test.each([
    [['--tls-cert', '/no/cert.pem', '--tls-key', '/no/key.pem'], '/no/'],
    [
      ['--tls-cert', 'package.json', '--tls-key', 'package.json'],
      'package.json does not contain a PEM certificate',
    ],
    [['--host', '192.0.2.1'], '192.0.2.1 is not an address of this machine'],
    [['--inspect', '--inspect-file', 'package.json'], 'the capture cannot be created: ENOTDIR: '],
    // A directory in which nobody can create a file, not even root.
    [['--inspect', '--inspect-file', '/proc'], 'the capture cannot be created: E'],
  ])('%j: one line, exit 1', async (args, message) => {
    const running = run('--port', '0', ...args);
    expect(await running.exit).toBe(1);
    expect(running.stderr).toMatch(/^wirebin: [^\n]*\n$/);
    expect(running.stderr).toContain(message);
  });
});

test('with too few file descriptors it starts, or says so in one line and exits with 1', async () => {
  const limited = `ulimit -n 60; exec "${process.execPath}" "${published().main}" --port 0 --host 127.0.0.1`;
  const running = published().shell(limited);
  await until(() => running.lines.length > 0 || running.ended !== undefined);
  if (running.lines.length > 0) {
    // Node 20 opens all modules at once and needs more than 100; later versions open one at a time.
    expect(process.versions.node).not.toMatch(/^20\./);
    expect(running.stderr).toBe('');
    return;
  }
  expect(await running.exit).toBe(1);
  expect(running.stderr).toBe(
    'wirebin: too few file descriptors to start; raise the limit, for example with ulimit -n 1024\n',
  );
});

describe('a service', () => {
  test('first logs where it listens, and serves all transports there', async () => {
    const running = await serve();
    const { port } = running;
    expect(running.lines[0]).toMatchObject({
      level: 'info',
      address: '127.0.0.1',
      family: 'IPv4',
      msg: `wirebin ${VERSION} listens on http://127.0.0.1:${port} and https://127.0.0.1:${port}`,
    });
    for (const transport of transports) {
      const client = openClient(transport, port);
      expect((await client.request('/healthz')).body.toString()).toBe('OK');
      client.close();
    }
    expect((await stat(join(installation().root, 'certs/wirebin.key'))).mode & 0o777).toBe(0o600);
  });

  test.each([
    [['h2c'], ['http']],
    [['https/1.1', 'h2'], ['https']],
    [
      ['http/1.1', 'h2'],
      ['http', 'https'],
    ],
  ])('with --transports %j the first line has these only', async (on, schemes) => {
    const running = await serve('--transports', on.join(','));
    const origins = schemes.map((scheme) => `${scheme}://127.0.0.1:${running.port}`);
    expect(running.lines[0]).toMatchObject({
      transports: on,
      msg: `wirebin ${VERSION} listens on ${origins.join(' and ')}`,
    });
  });

  test('logs warnings about its Node release after the first line', async () => {
    const running = await serve();
    const warnings = nodeReleaseWarnings(process.versions.node, Date.now());
    await until(() => running.lines.length > warnings.length);
    expect(running.lines.slice(1).map(({ level, msg }) => [level, msg])).toEqual(
      warnings.map((warning) => ['warn', warning]),
    );
  });

  test('--certs is where it keeps its certificate', async () => {
    const folder = join(installation().root, 'state', 'certificates');
    await serve('--certs', folder);
    expect((await readdir(folder)).toSorted()).toEqual(['wirebin.crt', 'wirebin.key']);
  });

  test('without a place for its certificate it serves TLS, and says so', async () => {
    const own = new Installation('bundled');
    onTestFinished(() => own.remove());
    const certs = join(own.root, 'certs');
    // Root could write to a folder that is read-only by its mode.
    await writeFile(certs, '');
    const start = async (...args: string[]): Promise<Running> => {
      const running = own.run(['--port', '0', '--host', '127.0.0.1', ...args]);
      await running.listens();
      return running;
    };
    const text = `the self-signed certificate is kept in memory, and the next start makes another one: ${certs} cannot be written`;
    const secure = await start();
    await until(() => secure.said(text).length > 0);
    expect(await fingerprint(secure.port)).toMatch(/^[\dA-F:]{95}$/);
    const cleartext = await start('--transports', 'http/1.1,h2c');
    cleartext.child.kill('SIGTERM');
    expect(await cleartext.exit).toBe(0);
    expect(cleartext.said(text)).toEqual([]);
  });

  test('--log-requests logs one line per request, without query and fields', async () => {
    const running = await serve('--log-requests');
    const client = openClient('https/1.1', running.port);
    await client.request('/anything/a?secret=1', { headers: { authorization: 'secret' } });
    client.close();
    await until(() => running.said('request').length > 0);
    expect(running.said('request')).toEqual([
      {
        level: 'info',
        time: expect.any(Number),
        method: 'GET',
        path: '/anything/a',
        endpoint: 'anything_path_handler',
        status: 200,
        client: '127.0.0.1',
        protocol: 'https/1.1',
        conn: expect.any(String),
        request: 1,
        bytes_in: 0,
        bytes_out: expect.any(Number),
        duration_ms: expect.any(Number),
        msg: 'request',
      },
    ]);
    expect(String(running.said('request')[0]?.['duration_ms'])).toMatch(/^\d+(?:\.\d)?$/);
    expect(running.stdout).not.toContain('secret');
  });

  test('--log-format combined writes lines as they are', async () => {
    const running = await serve('--log-requests', '--log-format', 'combined');
    const { port } = running;
    await exchange(port, GET('/status/404?secret', `User-Agent: "a"\r\n${LAST}`));
    await until(() => running.stdout.includes('HTTP/1.1'));
    expect(running.stdout).toMatch(
      /^127\.0\.0\.1 - - \[.* \+0000\] "GET \/status\/404 HTTP\/1\.1" 404 \d+ "-" "\\"a\\""$/m,
    );
  });

  test('keeps running when its standard output is closed', async () => {
    const running = await serve('--log-requests');
    const { port } = running;
    running.child.stdout?.destroy();
    for (let at = 0; at < 20; at++) {
      expect(statusesOf(await exchange(port, GET('/ip', LAST)))).toEqual([200]);
    }
    running.child.kill('SIGTERM');
    expect(await running.exit).toBe(0);
    expect(running.stderr).toBe('');
  });

  test('reloads its certificate on SIGHUP, and keeps the old one if the new one is invalid', async () => {
    const files = new CertificateFiles(installation().root);
    await files.renew();
    const running = await serve(...files.settings);
    const open = await openSocket(running.port, ['http/1.1']);
    const first = await fingerprint(running.port);
    await files.renew();
    running.child.kill('SIGHUP');
    await until(() => running.said('certificate reloaded').length === 1);
    const second = await fingerprint(running.port);
    expect(second).not.toBe(first);
    await files.spoil();
    running.child.kill('SIGHUP');
    await until(() => running.said('keeping the old certificate').length === 1);
    const [failure] = running.said('keeping the old certificate');
    expect(failure).toMatchObject({
      level: 'error',
      detail: `${files.cert} does not contain a PEM certificate`,
    });
    expect(await fingerprint(running.port)).toBe(second);
    expect(statusesOf(await converse(open, GET('/ip', LAST)))).toEqual([200]);
    open.destroy();
  });

  test.each(['SIGTERM', 'SIGINT'] as const)('%s: finishes what is open, exit 0', async (signal) => {
    const running = await serve('--log-level', 'trace');
    const clients = transports.map((transport) => openClient(transport, running.port));
    const answers = clients.map((client) => client.request('/delay/0.7'));
    await Promise.all(clients.slice(2).map((client) => client.request('/ip')));
    await until(() => running.said('request received').length === 6);
    running.child.kill(signal);
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await running.exit).toBe(0);
    expect(running.said('draining')).toMatchObject([{ signal }]);
    expect(running.said('stopped')).toMatchObject([{ cut: 0 }]);
    expect(running.stderr).toBe('');
  });

  test('SIGTERM during /delay/300: aborted after the drain timeout, counted, exit 1', async () => {
    const running = await serve('--drain-timeout', '1', '--log-level', 'trace');
    const clients = transports.map((transport) => openClient(transport, running.port));
    const answers = clients.map((client) => client.request('/delay/300').catch(() => 'aborted'));
    await Promise.all(clients.slice(2).map((client) => client.request('/ip')));
    await until(() => running.said('request received').length === 6);
    running.child.kill('SIGTERM');
    expect(await Promise.all(answers)).toEqual(['aborted', 'aborted', 'aborted', 'aborted']);
    expect(await running.exit).toBe(1);
    expect(running.said('stopped; requests were aborted')).toMatchObject([{ cut: 4 }]);
  });

  test('another signal stops it before its drain ends, exit 1', async () => {
    const running = await serve();
    const socket = await openSocket(running.port);
    // Without an open request the drain ends at once, and the next signal ends the process.
    socket.write(GET('/drip?duration=300&numbytes=2'));
    await once(socket, 'data');
    running.child.kill('SIGTERM');
    await until(() => running.said('draining').length === 1);
    running.child.kill('SIGINT');
    expect(await running.exit).toBe(1);
    expect(running.said('stopped; requests were aborted')).toEqual([]);
    socket.destroy();
  });

  test('without free descriptors it loses connections, and recovers later', async () => {
    const limited = `ulimit -n 200; exec "${process.execPath}" "${installation().main}" --port 0 --host 127.0.0.1`;
    const running = installation().shell(limited);
    await until(() => running.lines.length > 0);
    const sockets = await Promise.all(
      Array.from({ length: 400 }, () => openSocket(running.port).catch(() => undefined)),
    );
    for (const socket of sockets) socket?.destroy();
    expect(running.ended).toBeUndefined();
    // Descriptors become available once the server notices the closed connections.
    let statuses: number[] = [];
    for (let attempt = 0; attempt < 50 && statuses.length === 0; attempt++) {
      await pause(100);
      const answer = await exchange(running.port, GET('/healthz', LAST)).catch(() => '');
      statuses = statusesOf(answer);
    }
    expect(statuses).toEqual([200]);
    expect(running.stderr).toBe('');
  });
});
