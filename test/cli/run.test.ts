import { EventEmitter, once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { afterAll, afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { nodeReleaseWarning } from '../../src/cli/node-release.ts';
import { run } from '../../src/cli/run.ts';
import type { OwnProcess } from '../../src/cli/serve.ts';
import { VERSION } from '../../src/version.ts';
import { until } from '../_adapters.ts';
import { CertificateFiles } from '../_certificates.ts';
import { openClient, transports } from '../_client.ts';
import { converse, exchange, GET, LAST, openSocket, POST, statusesOf } from '../_raw.ts';

const folder = mkdtempSync(join(tmpdir(), 'wirebin-'));
afterAll(() => rmSync(folder, { recursive: true }));

const started: Program[] = [];
afterEach(() => started.splice(0).forEach((program) => program.kill()));

/** What a run of wirebin sees of its process. */
class Program extends EventEmitter implements OwnProcess {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  exitCode: number | string | null | undefined;
  /** The codes of exit(), which ends nothing. */
  readonly exits: (number | undefined)[] = [];
  output = '';
  errors = '';
  logged = '';
  /** Called once a line has been logged. */
  onLine = (): void => undefined;
  readonly stdout = { write: (text: string) => (this.output += text), on: () => undefined };
  readonly stderr = { write: (text: string) => (this.errors += text), on: () => undefined };

  constructor(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    super();
    this.argv = ['node', 'wirebin', ...args];
    this.env = env;
    started.push(this);
  }

  exit(code?: number): void {
    this.exits.push(code);
  }

  run(): Promise<void> {
    const writeSync = (bytes: Buffer): number => {
      this.logged += bytes.toString();
      this.onLine();
      return bytes.length;
    };
    return run(this, {
      writeSync,
      write: (bytes, callback) => callback(null, writeSync(bytes)),
    });
  }

  /** Ends what serves. */
  kill(): void {
    for (const signal of ['SIGTERM', 'SIGINT']) this.emit(signal, signal);
  }

  get lines(): Record<string, unknown>[] {
    return this.logged
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  said(message: string): Record<string, unknown>[] {
    return this.lines.filter(({ msg }) => msg === message);
  }

  get port(): number {
    return Number(this.lines[0]?.['port']);
  }
}

/** Serves on a free loopback port. */
async function serve(...args: string[]): Promise<Program> {
  const program = new Program(['--port', '0', '--host', '127.0.0.1', ...args]);
  await program.run();
  expect(program.errors).toBe('');
  return program;
}

async function fingerprint(port: number): Promise<string | undefined> {
  const socket = tls.connect({ port, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const certificate = socket.getPeerX509Certificate();
  socket.destroy();
  return certificate?.fingerprint256;
}

test.each([
  ['-h', readFileSync(new URL('../settings/config.help.txt', import.meta.url), 'utf8')],
  ['-v', `${VERSION}\n`],
])('%s', async (flag, output) => {
  const program = new Program([flag]);
  await program.run();
  expect([program.exitCode, program.output, program.errors]).toEqual([0, output, '']);
});

test('a command writes its output, exit 0', async () => {
  const program = new Program(['completion', 'bash']);
  await program.run();
  expect([program.exitCode, program.errors]).toEqual([0, '']);
  expect(program.output).toMatch(/^complete .*wirebin/m);
});

test.each(['check', 'bench'])('%s --help, exit 0', async (command) => {
  const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  onTestFinished(() => written.mockRestore());
  const program = new Program([command, '--help']);
  await program.run();
  expect(program.exitCode).toBe(0);
  expect(written.mock.calls).toEqual([[expect.stringMatching(`^(?:.*\n)?wirebin ${command} `)]]);
});

describe('an error is one line, with the exit code', () => {
  test.each([
    [2, ['--port', 'x'], "--port (WIREBIN_PORT) cannot be 'x'; allowed: a whole number"],
    [2, ['--port', '-1'], "--port (WIREBIN_PORT) cannot be '-1'; allowed: a whole number"],
    [2, ['--prot', '1'], 'unknown option --prot; did you mean --port?'],
    [2, ['stop'], 'unknown command stop'],
    [2, ['--disable', '/tea'], '--disable (WIREBIN_DISABLE): no endpoint has the path /tea'],
    [2, ['--control', 'sec ret'], '--control (WIREBIN_CONTROL) cannot be this; '],
    [1, ['--tls-cert', '/no/cert.pem', '--tls-key', '/no/key.pem'], 'cannot read /no/'],
    [
      1,
      ['--tls-cert', 'package.json', '--tls-key', 'package.json'],
      'package.json does not contain a PEM certificate',
    ],
    [1, ['--host', '192.0.2.1'], '192.0.2.1 is not an address of this machine'],
    [
      1,
      ['--inspect', '--inspect-file', 'package.json'],
      'the capture cannot be created: ENOTDIR: ',
    ],
    // A directory in which nobody can create a file, not even root.
    [1, ['--inspect', '--inspect-file', '/proc'], 'the capture cannot be created: E'],
  ])('%d: %j', async (code, args, message) => {
    const program = new Program(['--port', '0', ...args]);
    await program.run();
    expect(program.exitCode).toBe(code);
    expect(program.errors).toMatch(/^wirebin: [^\n]*\n$/);
    expect(program.errors).toContain(message);
    expect(program.output + program.errors).not.toContain('sec ret');
  });

  test('a port in use, and how to choose another', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const error = `wirebin: port ${port} is in use at 127.0.0.1; choose another: `;
    const program = new Program(['--port', String(port), '--host', '127.0.0.1']);
    await program.run();
    expect([program.exitCode, program.errors]).toEqual([1, `${error}wirebin -p 9000\n`]);
    const env = { npm_lifecycle_event: 'start', WIREBIN_PORT: String(port) };
    const byNpm = new Program(['--host', '127.0.0.1'], env);
    const hint = 'npm start -- -p 9000, which overrides WIREBIN_PORT';
    await byNpm.run();
    expect([byNpm.exitCode, byNpm.errors]).toEqual([1, `${error}${hint}\n`]);
  });
});

describe('a service', () => {
  test('first logs where it listens, then a warning about its Node release', async () => {
    const program = await serve();
    const { port } = program;
    expect(program.lines[0]).toEqual({
      level: 'info',
      time: expect.any(Number),
      address: '127.0.0.1',
      port,
      family: 'IPv4',
      msg: `wirebin ${VERSION} listens on http://127.0.0.1:${port} and https://127.0.0.1:${port}`,
    });
    expect(program.lines.slice(1).map(({ level, msg }) => [level, msg])).toEqual(
      [nodeReleaseWarning(process.versions.node, Date.now())].flatMap((warning) =>
        warning === undefined ? [] : [['warn', warning]],
      ),
    );
    for (const transport of transports) {
      const client = openClient(transport, port);
      expect((await client.request('/healthz')).body.toString()).toBe('OK');
      client.close();
    }
  });

  test.each([
    ['h2c', ['http']],
    ['https/1.1,h2', ['https']],
    ['http/1.1,h2', ['http', 'https']],
  ])('with --transports %s the first line has these only', async (on, schemes) => {
    const { port, lines } = await serve('--transports', on);
    const origins = schemes.map((scheme) => `${scheme}://127.0.0.1:${port}`);
    expect(lines[0]).toMatchObject({
      transports: on.split(','),
      msg: `wirebin ${VERSION} listens on ${origins.join(' and ')}`,
    });
  });

  test('--certs is where it keeps its certificate', async () => {
    const certs = join(folder, 'state', 'certificates');
    await serve('--certs', certs);
    expect(readdirSync(certs).toSorted()).toEqual(['wirebin.crt', 'wirebin.key']);
    expect(statSync(join(certs, 'wirebin.key')).mode & 0o777).toBe(0o600);
  });

  test('without a place for its certificate it serves TLS, and says so', async () => {
    const certs = join(folder, 'certs');
    // Root could write to a folder that is read-only by its mode.
    writeFileSync(certs, '');
    const text = `the self-signed certificate is kept in memory, and the next start makes another one: ${certs} cannot be written`;
    const secure = await serve('--certs', certs);
    expect(secure.said(text)).toHaveLength(1);
    expect(await fingerprint(secure.port)).toMatch(/^[\dA-F:]{95}$/);
    const cleartext = await serve('--certs', certs, '--transports', 'http/1.1,h2c');
    expect(cleartext.said(text)).toEqual([]);
  });

  test('--log-requests logs one line per request, without query and fields', async () => {
    const program = await serve('--log-requests');
    const client = openClient('https/1.1', program.port);
    await client.request('/anything/a?secret=1', { headers: { authorization: 'secret' } });
    client.close();
    await until(() => program.said('request').length > 0);
    expect(program.said('request')).toEqual([
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
        tls_group: expect.any(String),
        msg: 'request',
      },
    ]);
    expect(String(program.said('request')[0]?.['duration_ms'])).toMatch(/^\d+(?:\.\d)?$/);
    expect(program.logged).not.toContain('secret');
  });

  test('--log-format combined writes lines as they are', async () => {
    const program = await serve('--log-requests', '--log-format', 'combined');
    await exchange(program.port, GET('/status/404?secret', `User-Agent: "a"\r\n${LAST}`));
    await until(() => program.logged.includes('HTTP/1.1'));
    expect(program.logged).toMatch(
      /^127\.0\.0\.1 - - \[.* \+0000\] "GET \/status\/404 HTTP\/1\.1" 404 \d+ "-" "\\"a\\""$/m,
    );
  });

  test('reloads its certificate on SIGHUP, and keeps the old one if the new one is invalid', async () => {
    const files = new CertificateFiles(folder);
    await files.renew();
    const program = await serve(...files.settings);
    const open = await openSocket(program.port, ['http/1.1']);
    const first = await fingerprint(program.port);
    await files.renew();
    program.emit('SIGHUP', 'SIGHUP');
    await until(() => program.said('certificate reloaded').length === 1);
    const second = await fingerprint(program.port);
    expect(second).not.toBe(first);
    await files.spoil();
    program.emit('SIGHUP', 'SIGHUP');
    await until(() => program.said('keeping the old certificate').length === 1);
    expect(program.said('keeping the old certificate')).toMatchObject([
      { level: 'error', detail: `${files.cert} does not contain a PEM certificate` },
    ]);
    expect(await fingerprint(program.port)).toBe(second);
    expect(statusesOf(await converse(open, GET('/ip', LAST)))).toEqual([200]);
    open.destroy();
  });

  test('reloads the rules of --respond on SIGHUP, and keeps the old ones if one is wrong', async () => {
    const path = join(folder, 'rules.txt');
    writeFileSync(path, 'GET /a: status=503');
    const program = await serve('--respond', `@${path}`);
    const status = async () => statusesOf(await exchange(program.port, GET('/a', LAST)));
    expect(await status()).toEqual([503]);
    writeFileSync(path, 'GET /a: status=201');
    program.emit('SIGHUP', 'SIGHUP');
    await until(() => program.said('rules reloaded').length === 1);
    expect(await status()).toEqual([201]);
    writeFileSync(path, 'GET /a: delya=1');
    program.emit('SIGHUP', 'SIGHUP');
    await until(() => program.said('keeping the old rules').length === 1);
    expect(program.said('keeping the old rules')).toMatchObject([
      {
        level: 'error',
        detail: `${path}:1: delya is not a parameter of /respond; did you mean delay?`,
      },
    ]);
    expect(await status()).toEqual([201]);
  });

  test.each(['SIGTERM', 'SIGINT'])('%s: finishes what is open, exit 0', async (signal) => {
    const program = await serve('--log-level', 'trace');
    const socket = await openSocket(program.port);
    const response = converse(socket, POST('/post', 'Content-Length: 2\r\n'));
    await until(() => program.said('request received').length === 1);
    program.emit(signal, signal);
    await until(() => program.said('draining').length === 1);
    socket.write('ok');
    expect(statusesOf(await response)).toEqual([200]);
    socket.destroy();
    await until(() => program.exitCode !== undefined);
    expect(program.exitCode).toBe(0);
    expect(program.said('draining')).toMatchObject([{ signal }]);
    expect(program.said('stopped')).toMatchObject([{ cut: 0 }]);
    expect(program.exits).toEqual([]);
  });

  test('a stop while it is starting has the exit code of the stop', async () => {
    const program = new Program(['--port', '0', '--host', '127.0.0.1']);
    program.onLine = () => {
      program.onLine = () => undefined;
      program.emit('SIGTERM', 'SIGTERM');
    };
    await program.run();
    await until(() => program.said('stopped').length === 1);
    expect(program.exitCode).toBe(0);
  });

  test('requests on all transports are aborted after the drain timeout, counted, exit 1', async () => {
    const program = await serve('--drain-timeout', '0', '--log-level', 'trace');
    const clients = transports.map((transport) => openClient(transport, program.port));
    const answers = clients.map((client) => client.request('/delay/300').catch(() => 'aborted'));
    await until(() => program.said('request received').length === 4);
    program.emit('SIGTERM', 'SIGTERM');
    expect(await Promise.all(answers)).toEqual(['aborted', 'aborted', 'aborted', 'aborted']);
    await until(() => program.exitCode !== undefined);
    expect(program.exitCode).toBe(1);
    expect(program.said('stopped; requests were aborted')).toMatchObject([{ cut: 4 }]);
    for (const client of clients) client.close();
  });

  test('another signal ends it before its drain does, exit 1', async () => {
    const program = await serve();
    const socket = await openSocket(program.port);
    socket.write(GET('/drip?duration=300&numbytes=2'));
    await once(socket, 'data');
    program.emit('SIGTERM', 'SIGTERM');
    program.emit('SIGINT', 'SIGINT');
    expect(program.exits).toEqual([1]);
    // A reset, since FIN could complete a response; on Node 20 it may look like one to a client that has read content.
    await new Promise((resolve) => socket.once('end', resolve).once('close', resolve));
    socket.destroy();
    expect(program.said('draining')).toHaveLength(1);
  });

  test('/control/exit ends it with the code that was asked for', async () => {
    const program = await serve('--control', 'secret');
    const fields = `Authorization: Bearer secret\r\nContent-Length: 0\r\n${LAST}`;
    const response = await exchange(program.port, POST('/control/exit?code=137', fields));
    expect(statusesOf(response)).toEqual([202]);
    await until(() => program.exits.length > 0);
    expect(program.exits).toEqual([137]);
    expect(program.said('exiting on request')).toMatchObject([{ code: 137 }]);
  });
});
