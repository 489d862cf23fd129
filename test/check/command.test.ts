import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { checks, checksOf } from '../../src/check/catalogue/all.ts';
import type { CheckReport } from '../../src/check/report/json-schema.ts';
import { LEVELS, RISKS, TOPICS } from '../../src/check/check.ts';
import { runCheck } from '../../src/check/command.ts';
import { matchesAny } from '../../src/check/glob.ts';
import { startOrigin } from '../../src/check/own-origin.ts';
import { issue } from '../_certificates.ts';
import { startService } from '../_service.ts';
import { startGateway } from './_gateway-server.ts';
import { startRelay } from './_relay.ts';
import { streams } from '../_streams.ts';

const directory = mkdtempSync(join(tmpdir(), 'wirebin-check-'));
afterAll(() => rmSync(directory, { recursive: true }));

/** Runs the command. @returns its exit code and what it has written */
async function run(
  args: readonly string[],
  given: {
    signal?: AbortSignal;
    environment?: Record<string, string>;
    program?: string;
    onOut?: () => void;
  } = {},
) {
  let out = '';
  let error = '';
  const code = await runCheck(
    args,
    streams({
      out: (text) => {
        out += text;
        given.onOut?.();
      },
      error: (text) => void (error += text),
      ...given,
    }),
  );
  return { code, out, error };
}

describe('the catalogue', () => {
  test('has at least 120 checks, each with an id of its own below a topic', () => {
    expect(checks.length).toBeGreaterThanOrEqual(120);
    expect(new Set(checks.map(({ id }) => id)).size).toBe(checks.length);
    for (const { id, level, risk, section, rule } of checks) {
      expect(TOPICS, id).toContain(id.split('/')[0]);
      expect(LEVELS).toContain(level);
      expect(RISKS).toContain(risk);
      expect(section, id).toMatch(/^(?:RFC \d+|W3C |WHATWG |proxy-protocol\.txt )/);
      expect(rule, id).toMatch(/^\S.*\.$/);
    }
  });

  test('a check comes after those that it depends on', () => {
    const seen = new Set<string>();
    for (const { id, after = [] } of checks) {
      for (const other of after) expect(seen, `${id} after ${other}`).toContain(other);
      seen.add(id);
    }
  });

  test('list and explain', async () => {
    const { out } = await run(['--list', '--only', 'retry/*-*']);
    expect(out.trimEnd().split('\n').at(-1)).toMatch(/^\d+ checks$/);
    const ofGateways = checksOf('gateway').length;
    expect((await run(['--list'])).out).toMatch(
      new RegExp(
        `\\n${ofGateways} checks of the profile gateway, ${checks.length} with those of the others\\n$`,
      ),
    );
    expect(readFileSync('README.md', 'utf8')).toContain(`with ${ofGateways} checks (`);
    expect((await run(['explain', 'hop/te'])).out).toContain('RFC 9113 8.2.2');
    await expect(run(['explain', 'hop/none'])).rejects.toThrow(
      /^there is no check hop\/none; see wirebin check --list$/,
    );
    await expect(run(['explain', 'framing'])).rejects.toThrow(
      "there is no check framing; see wirebin check --list --only 'framing/*'",
    );
    await expect(run(['--list', '--only', 'none/*'])).rejects.toThrow('no check has the id none/*');
  });
});

test('globs', () => {
  expect(matchesAny('hop/te', ['hop/*'])).toBe(true);
  expect(matchesAny('hop/te', ['*/t*', 'x'])).toBe(true);
  expect(matchesAny('hop/te', ['hop', 'h.p/te'])).toBe(false);
});

describe('--self', () => {
  const json = join(directory, 'self.json');
  let result: Awaited<ReturnType<typeof run>>;
  beforeAll(async () => {
    result = await run(['--self', '--only', 'hop/*,field/*,framing/*', '--report', `json=${json}`]);
  }, 60_000);

  test('has no finding', () => {
    expect(result.code, result.out).toBe(0);
    expect(result.out).toContain('a tunnel, which forwards bytes');
    const { summary } = JSON.parse(readFileSync(json, 'utf8')) as CheckReport;
    expect(summary).toMatchObject({ fail: 0, flaky: 0, error: 0 });
    expect(summary['pass']).toBeGreaterThan(30);
  });

  test('the report can be shown and compared', async () => {
    expect((await run(['show', json, 'field/unknown'])).out).toContain('field/unknown (h2)');
    expect((await run(['diff', json, json])).out).toBe('no difference\n');
  });
});

test('a run that is interrupted still writes its report, with what has been checked', async () => {
  const json = join(directory, 'interrupted.json');
  const controller = new AbortController();
  let traced = 0;
  const args = ['--self', '--only', 'field/*', '--concurrency', '1', '--trace'];
  const { code } = await run([...args, '--report', `json=${json}`], {
    signal: controller.signal,
    onOut: () => {
      if (++traced === 2) controller.abort();
    },
  });
  expect(code).toBe(130);
  const report = JSON.parse(readFileSync(json, 'utf8')) as Record<string, unknown>;
  expect(report).toMatchObject({ interrupted: true, in_flight: ['h2 field/unknown'] });
  expect(report['checks']).toHaveLength(1);
});

test('a run that is interrupted before the target is known has the exit code 130', async () => {
  const { code, out } = await run(['--self'], { signal: AbortSignal.abort() });
  expect({ code, out }).toEqual({ code: 130, out: '' });
});

test('without a wirebin behind the target nothing is checked', async () => {
  const server = createServer((socket) =>
    socket
      .end('HTTP/1.1 404 Not Found\r\nServer: other\r\nContent-Length: 0\r\n\r\n')
      .on('error', () => undefined)
      .resume(),
  );
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const { code, error } = await run([`http://127.0.0.1:${port}`, '--timeout', '1']);
  expect(code).toBe(3);
  expect(error).toContain('does not lead to a wirebin: 404 from other');
  await new Promise((resolve) => server.close(resolve));
  const refused = await run([`http://127.0.0.1:${port}`]);
  expect(refused.code).toBe(3);
  expect(refused.error).toBe(
    `wirebin: cannot connect to the target: connect ECONNREFUSED 127.0.0.1:${port}\n`,
  );
  expect((await run([`http://localhost:${port}`])).error).toMatch(
    /cannot connect to the target: connect ECONNREFUSED \S*:\d+/,
  );
});

test.each(['npm start --', 'wirebin'])(
  'a finding has the command that repeats it: %s',
  async (program) => {
    const origin = await startOrigin(0);
    const relay = await startRelay(Number(origin.url.port), 'http', {
      request: (piece) =>
        Buffer.from(
          piece.toString('latin1').replace(' HTTP/1.1\r\n', ' HTTP/1.1\r\nVia: a\r\n'),
          'latin1',
        ),
    });
    const args = [relay.url.href, '--profile', 'tcp', '--only', 'tunnel/request'];
    const { code, out } = await run(args, { program });
    await relay.close();
    await origin.close();
    expect(code).toBe(1);
    expect(out).toContain(
      `  repeat    ${program} check ${relay.url.origin} --profile tcp --only tunnel/request --trace\n`,
    );
  },
);

test('a private key must be that of the certificate', async () => {
  const [one, other] = await Promise.all([issue('one', {}), issue('other', {})]);
  const cert = join(directory, 'cert.pem');
  const key = join(directory, 'key.pem');
  writeFileSync(cert, one.cert);
  writeFileSync(key, other.key);
  await expect(run(['--self', '--cert', cert, '--key', key])).rejects.toThrow(
    `${key} is not the private key of ${cert}`,
  );
});

test('a name without an address cannot be tested', async () => {
  const { code, error } = await run(['http://name.invalid']);
  expect({ code, error }).toEqual({
    code: 3,
    error: expect.stringMatching(
      /^wirebin: cannot connect to the target: getaddrinfo .*\n$/,
    ) as string,
  });
});

/** Starts a server that sends this to each client. */
async function serverWith(text: string): Promise<string> {
  const server = createServer((socket) => {
    socket
      .on('error', () => undefined)
      .resume()
      .write(text);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('a target that is no wirebin', () => {
  test('the message has the first bytes that it sent, without control characters', async () => {
    const address = await serverWith('SSH-2.0-a\u001b[2J\r\n');
    const { code, error } = await run([`http://${address}`, '--timeout', '1']);
    expect(code).toBe(3);
    expect(error).toContain('no response (timeout), but "SSH-2.0-a\\x1b[2J"');
    expect(error).toMatch(/^[\x20-\x7e]+\n$/);
  });

  test('the message says that it does not speak TLS, in one line', async () => {
    const address = await serverWith('SSH-2.0-a\r\n');
    const { code, error } = await run([`https://${address}`, '--timeout', '1']);
    expect(code).toBe(3);
    expect(error).toMatch(/it does not speak TLS \(wrong version number\)\. Start [^\n]+\n$/);
  });
});

describe('an origin past the target', () => {
  test('must be there', async () => {
    const origin = await startOrigin(0);
    const args = [origin.url.href, '--only', 'hop/te', '--origin', 'http://127.0.0.1:1'];
    const { code, error } = await run(args);
    await origin.close();
    expect({ code, error }).toEqual({
      code: 3,
      error:
        'wirebin: cannot connect to the origin past the target: connect ECONNREFUSED 127.0.0.1:1\n',
    });
  });

  test('must have a journal', async () => {
    const origin = await startOrigin(0);
    const other = await serverWith('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n');
    const { code, error } = await run([origin.url.href, '--origin', `http://${other}`]);
    await origin.close();
    expect({ code, error }).toEqual({
      code: 3,
      error:
        'wirebin: --origin leads to no wirebin with a journal: the journal of the origin cannot be read: 400\n',
    });
  });

  test('must be the one that the target leads to, if --serve has started it', async () => {
    const origin = await startOrigin(0);
    const free = await startOrigin(0);
    await free.close();
    const { port } = free.url;
    const { code, error } = await run([origin.url.href, '--only', 'hop/te', '--serve', port]);
    await origin.close();
    expect(code).toBe(3);
    expect(error).toContain(`leads to another wirebin than that of --serve ${port}`);
  });
});

test('a run in which no check has a verdict has not found the target to be right', async () => {
  const origin = await startOrigin(0);
  const gateway = await startGateway({ originPort: Number(origin.url.port) });
  const outcome = async (...only: readonly string[]) => {
    const { code, error } = await run([gateway.url.href, '--only', ...only]);
    return { code, error };
  };
  expect(await outcome('h2/continuation-flood')).toEqual({
    code: 3,
    error: 'wirebin: no check could judge the target: not run without --destructive\n',
  });
  // The rules are for TLS, and for caches.
  expect(await outcome('tls/alpn-h2,cache/age')).toEqual({ code: 0, error: '' });
  await Promise.all([gateway.close(), origin.close()]);
});

function withoutDotSegment(piece: Buffer): Buffer {
  return Buffer.from(piece.toString('latin1').replace('/./', '/'), 'latin1');
}

test('the command that repeats a finding is quoted for a shell', async () => {
  const origin = await startOrigin(0);
  const relay = await startRelay(Number(origin.url.port), 'http', { request: withoutDotSegment });
  const cacert = join(directory, "a's CA.pem");
  writeFileSync(cacert, (await issue('CA', {})).cert);
  const args = [relay.url.href, '--profile', 'tcp', '--only', 'tunnel/request', '--cacert', cacert];
  const { out } = await run([...args, '--timeout', '7']);
  await relay.close();
  await origin.close();
  const quoted = `'${cacert.replace("'", String.raw`'\''`)}'`;
  expect(out).toContain(
    `  repeat    wirebin check ${relay.url.origin} --profile tcp --timeout 7 --cacert ${quoted} --only tunnel/request --trace\n`,
  );
});

test.each([
  [[], 'the URL of the target is required'],
  [['list'], 'list is no http or https URL'],
  [['http://127.0.0.1/app/?a'], 'a path may follow the port; did you mean http://127.0.0.1/app?'],
  [['http://127.0.0.1/app#a'], 'only a path may follow the port'],
  [['http://a:b@127.0.0.1'], 'only a path may follow the port; did you mean http://127.0.0.1?'],
  [['http://127.0.0.1', '--origin', 'ftp://a'], '--origin ftp://a is no http or https URL'],
  [['--self', '--origin', 'http://a'], '--self starts an origin of its own, and takes no --origin'],
  [['--self', '--control', 'a'], '--self starts an origin of its own, and takes no --control'],
  [['--self', '--resolve', '::1'], '--self starts an origin of its own, and takes no --resolve'],
  [['http://a', '--serve', '1', '--origin', 'http://b'], '--serve starts an origin of its own'],
  [['--self', '--only', 'hop/te,none/*'], 'no check has the id none/*'],
  [['--self', '--skip', 'none'], 'no check has the id none; see wirebin check --list'],
  [['--self', '--only', 'retry'], "no check has the id retry; did you mean 'retry/*'?"],
  [['--self', '--only', 'hop/tee'], "no check has the id hop/tee; did you mean 'hop/te'?"],
  [
    ['--self', '--only', 'hop/te', '--skip', 'hop/*'],
    '--only, --skip and --profile leave no check',
  ],
  [['explain', 'hop/te', 'a'], 'unexpected argument a'],
  [['show', 'a', 'b', 'c'], 'unexpected argument c'],
  [['diff', 'a', 'b', 'c', 'd'], 'unexpected argument c d'],
  [['diff', 'package.json', 'b'], 'package.json is no JSON report'],
  [['--self', '--cert', 'package.json'], '--cert and --key belong together'],
  [['--self', '--cacert', 'package.json'], 'package.json cannot be used'],
  [['--self', '--cert', 'package.json', '--key', 'package.json'], 'package.json cannot be used'],
  [['--self', '--report', `json=${tmpdir()}`], 'it is a folder'],
  [['--self', '--baseline', 'package.json'], 'package.json is no baseline'],
  [['http://a', 'b'], 'unexpected argument b'],
  [['--self', 'http://a'], '--self takes no URL'],
  [['--self', '--report', 'pdf=a'], "--report cannot be 'pdf=a'"],
  [['--self', '--report', 'constructor=a'], "--report cannot be 'constructor=a'"],
  [['--self', '--fail-on', 'all'], "--fail-on cannot be 'all'"],
  [['--self', '--fail-on', 'info'], "'info'; allowed: comma-separated, from must, should, quality"],
  [['--self', '--only', 'field/unknown', '--update-baseline'], '--baseline is required'],
  [['http://192.0.2.1'], 'neither loopback nor private'],
  [['--self', '--cacert', '/nowhere/ca.pem'], '/nowhere/ca.pem cannot be used: ENOENT'],
  [['--self', '--report', 'json=/nowhere/a'], '/nowhere/a cannot be used: ENOENT'],
  [['--self', '--update-baseline', '--baseline', '/nowhere/b'], '/nowhere/b cannot be used'],
  [['show', '/nowhere/report.json'], '/nowhere/report.json cannot be used: ENOENT'],
])('%j is a usage error', async (args, message) => {
  await expect(run(args)).rejects.toThrow(message);
});

test('a host name under which a browser would be refused changes no verdict', async () => {
  const { port, service } = await startService('--log-level', 'silent');
  onTestFinished(() => service.close());
  const gateway = await startGateway({ originPort: port });
  onTestFinished(() => gateway.close());
  const json = join(directory, 'host.json');
  const verdictsBy = async (host: string): Promise<unknown> => {
    const url = `http://${host}:${gateway.url.port}`;
    const given = ['--only', 'retry/*-*', '--report', `json=${json}`];
    const { out } = await run([url, '--resolve', '127.0.0.1', ...given]);
    const { checks: done } = JSON.parse(readFileSync(json, 'utf8')) as CheckReport;
    expect(done.filter(({ outcome }) => outcome === 'pass').length, out).toBeGreaterThan(10);
    return done.map(({ id, front, outcome }) => [id, front, outcome]);
  };
  expect(await verdictsBy('gateway.example')).toEqual(await verdictsBy('127.0.0.1'));
});

test('--trace shows what a check sends and receives', async () => {
  const { out } = await run(['--self', '--only', 'field/unknown', '--trace']);
  expect(out).toMatch(
    /field\/unknown {2}\(http\/1\.1\)\n {2}sent {6}GET \/anything\/.* HTTP\/1\.1\\r\\n/,
  );
  expect(out).toContain('ending    complete');
});

test('GitHub annotations and job summary', async () => {
  const summary = join(directory, 'summary.md');
  writeFileSync(summary, '');
  const environment = { GITHUB_STEP_SUMMARY: summary };
  const { code } = await run(['--self', '--only', 'field/unknown', '--github'], { environment });
  expect(code).toBe(0);
  expect(readFileSync(summary, 'utf8')).toContain('# wirebin check http://127.0.0.1:');
});
