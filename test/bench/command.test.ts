import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { NO_METRICS } from '../../src/bench/metrics.ts';
import { createService, type Service } from '../../src/index.ts';
import { runCommand, runShort, sideOf, SLOW, VERSION } from './_command.ts';
import { startProxy, type Act } from './_proxy.ts';

let origin: Service;
beforeAll(async () => {
  origin = await createService({ metricsEnabled: true });
});
afterAll(() => origin.close());

/** Runs the command against a proxy that does this. */
async function runThrough(act: Act, args: readonly string[] = [], given = {}) {
  const proxy = await startProxy(origin.port, act);
  onTestFinished(() => proxy.close());
  return runShort([proxy.url, '--only', 'healthz', '--protocol', 'http/1.1', ...args], given);
}

test('a target is measured under a name that is not local', async () => {
  const proxy = await startProxy(origin.port, (client, piece) => void client.write(piece));
  onTestFinished(() => proxy.close());
  const url = proxy.url.replace('127.0.0.1', 'lb.example');
  const only = ['--only', 'healthz', '--protocol', 'http/1.1'];
  const { code, out, report } = await runShort([url, '--resolve', '127.0.0.1', ...only]);
  expect(code, out).toBe(0);
  expect(sideOf(report).requests).toBeGreaterThan(1);
});

test('--self measures every scenario on both sides', async () => {
  const { code, out, error, report } = await runShort(['--self'], { busy: 0.95 });
  expect(code, out).toBe(0);
  // Both sides of each are loaded twice, one of them once more, for 0.125 s; all rehearsals take as long as one load.
  expect(error).toMatch(/^8 rows of 1 round: about 8 seconds\nrow 1 of 8: healthz http\/1\.1\n/);
  // A busy machine may need so long that it also says how far it is.
  expect(error).toMatch(/\nrow 8 of 8: connections h2c\n(?:7 of 8 rows; .+\n)*$/);
  const names = report?.rows.map(({ scenario, protocol }) => `${scenario} ${protocol}`);
  expect(names).toEqual(
    ['healthz', 'range-64k', 'upload-64k', 'connections'].flatMap((name) => [
      `${name} http/1.1`,
      `${name} h2c`,
    ]),
  );
  for (const { target, direct, metrics, limited_by: limit, verdict } of report?.rows ?? []) {
    for (const side of [target, direct]) {
      expect(side?.requests_per_second).toBeGreaterThan(0);
      expect(side?.samples).toHaveLength(1);
      expect(side?.latency_ms?.p50).toBeGreaterThan(0);
      expect(side?.requests).toBeGreaterThan(1);
      expect(side?.errors).toEqual({});
    }
    expect(metrics.requests_per_second?.ratio).toBeGreaterThan(0);
    expect(metrics.p50_ms).not.toBeNull();
    // The service takes its time on the same event loop.
    expect(limit).toBe('load');
    // That is no flaw here.
    expect(verdict).toBe('undecided');
  }
});

test('a load generator that was the limit makes rows invalid', async () => {
  const args = [origin.httpOrigin, '--only', 'healthz', '--protocol', 'http/1.1'];
  const { code, out, report } = await runShort(args, { busy: 0.95 });
  expect(code, out).toBe(3);
  expect(report?.rows[0]).toMatchObject({ limited_by: 'load', verdict: 'invalid' });
  expect(out).toMatch(
    /\nInvalid on healthz http\/1\.1: The load generator was busy .*--threads.*\n$/,
  );
});

test('rounds go on until the time is up, and are shorter if it would not suffice', async () => {
  const only = ['--only', 'healthz', '--protocol', 'http/1.1'];
  const args = [origin.httpOrigin, '--direct', origin.httpOrigin, ...only, '--connections', '2'];
  const { report, error, out } = await runCommand([...args, '--time', '3s', ...SLOW]);
  expect(error).toMatch(/^1 row of 10 rounds: about 3 seconds\n/);
  expect(report?.settings).toMatchObject({ rounds: 10, time_seconds: 3, duration_seconds: 0.1 });
  expect(out).toContain('\nLoad: in 3 s, rounds of 0.1 s at a rate,');
  expect(report?.duration_seconds).toBeLessThan(10);
  const [row] = report?.rows ?? [];
  for (const { samples } of [row?.target, row?.direct].flatMap((side) => side ?? [])) {
    expect(samples.length).toBeGreaterThan(0);
  }
});

test('two proxies are compared, and the origin past them shows the limit', async () => {
  const proxies = await Promise.all(
    [1, 2].map(() => startProxy(origin.port, (client, piece) => void client.write(piece))),
  );
  onTestFinished(async () => void (await Promise.all(proxies.map((proxy) => proxy.close()))));
  const [old, next] = proxies.map(({ url }) => url);
  const only = ['--only', 'healthz', '--protocol', 'http/1.1'];
  const args = [`old=${old}`, `new-1=${next}`, '--direct', origin.httpOrigin, ...only];
  const { code, out, report } = await runShort(args);
  expect(code, out).toBe(0);
  expect(report).toMatchObject({
    target: next,
    baseline: old,
    direct: origin.httpOrigin,
    names: { target: 'new-1', baseline: 'old' },
  });
  const [row] = report?.rows ?? [];
  for (const side of [row?.target, row?.baseline, row?.direct]) {
    expect(side?.samples).toHaveLength(1);
    expect(side?.latency_samples_ms).toHaveLength(1);
  }
  expect(row?.metrics.requests_per_second?.baseline).toBeCloseTo(row?.baseline?.samples[0] ?? 0, 0);
  expect(row?.verdict).toBe('undecided');
  expect(out).toMatch(/^scenario .* metric +new-1 +old +ratio /m);
});

describe('over TLS', () => {
  test('ALPN selects the protocols, and the other side uses what is closest', async () => {
    const { code, out, report } = await runShort([
      origin.httpsOrigin,
      '-k',
      '--direct',
      origin.httpOrigin,
      '--only',
      'healthz,connections',
      '--rate',
      '10',
    ]);
    expect(code, out).toBe(0);
    expect(report?.rows.map(({ scenario, protocol }) => `${scenario} ${protocol}`)).toEqual([
      'healthz h2',
      'healthz http/1.1',
      'connections h2',
      'connections http/1.1',
    ]);
    expect(report?.rows[0]?.note).toContain('Past the target, h2c was used.');
    expect(report?.rows[1]?.note).toContain('Past the target, there is no TLS');
    expect(report?.rows[1]?.note).not.toContain('was used');
    expect(report?.rows[0]?.target.rate).toBe(10);
    expect(report?.settings.rate).toBe(10);
  });

  test('--protocol restricts them', async () => {
    const { report } = await runShort([
      origin.httpsOrigin,
      '-k',
      '--only',
      'range-*',
      '--protocol',
      'http/1.1',
    ]);
    expect(report?.rows.map(({ protocol }) => protocol)).toEqual(['http/1.1']);
    expect(report?.rows[0]).toMatchObject({
      response_bytes: 65_536,
      direct: null,
      metrics: NO_METRICS,
    });
    const other = await runShort([origin.httpsOrigin, '-k', '--protocol', 'h2c']);
    expect(other).toMatchObject({ code: 3, out: '' });
    expect(other.error).toContain('speaks h2 and http/1.1 only');
  });

  test('a certificate that is not trusted is named', async () => {
    const { code, error } = await runShort([origin.httpsOrigin]);
    expect(code).toBe(3);
    expect(error).toContain('Name its CA by --cacert FILE');
  });
});

describe('a wrong proxy', () => {
  test('wrong statuses are counted', async () => {
    let count = 0;
    const { code, out, report } = await runThrough((client, piece) => {
      const isWrong = ++count % 2 === 0;
      const text = piece.toString('latin1');
      client.write(isWrong ? text.replace('200 OK', '502 Bad Gateway') : text, 'latin1');
    });
    expect(code, out).toBe(1);
    const { errors, requests, requests_per_second: rate } = sideOf(report);
    expect(Object.keys(errors)).toEqual(['status 502']);
    expect(errors['status 502']).toBeGreaterThan(0);
    expect(errors['status 502']).toBeLessThan(requests);
    expect(rate).toBeGreaterThan(0);
    expect(out).toMatch(/\d+ of \d+ requests through the target failed: \d+ status 502\n/);
  });

  test.each<[string, Act]>([
    [
      'wrong length',
      (client, piece) =>
        client.write(
          piece
            .toString('latin1')
            .replace(/content-length: 2/i, 'Content-Length: 3')
            .replace(/\r\n\r\nOK$/, '\r\n\r\nOK!'),
        ),
    ],
    ['malformed response', (client, piece) => client.write(`${piece.toString('latin1')}!`)],
    ['connection reset', (client) => client.resetAndDestroy()],
    ['connection closed', (client) => client.destroy()],
  ])('%s', async (reason, act) => {
    const { code, out, report } = await runThrough(act);
    expect(code, out).toBe(1);
    const { errors, requests, requests_per_second: rate, latency_ms: latency } = sideOf(report);
    expect(errors).toEqual({ [reason]: requests });
    expect(requests).toBeGreaterThan(1);
    expect({ rate, latency }).toEqual({ rate: 0, latency: null });
  });

  test('a request without a response is a timeout', async () => {
    const { code, out, report } = await runThrough(() => undefined, ['--timeout', '1']);
    expect(code, out).toBe(1);
    expect(sideOf(report).errors).toEqual({ timeout: 2 });
  });

  test('what is wrong from the first is not loaded', async () => {
    const service = await createService({ disable: ['/healthz'] });
    onTestFinished(() => service.close());
    const { code, out, report } = await runShort([service.httpOrigin, '--only', 'healthz']);
    expect(code).toBe(1);
    expect(report?.rows[0]?.note).toBe('Not measured: status 404 through the target.');
    expect(sideOf(report)).toMatchObject({ requests: 1, errors: { 'status 404': 1 }, samples: [] });
    expect(out).toContain('1 of 1 requests through the target failed: 1 status 404\n');
  });
});

describe('a slow proxy', () => {
  const MILLISECONDS = 5;
  const delayed: Act = (client, piece) => {
    setTimeout(() => {
      if (!client.destroyed) client.write(piece);
    }, MILLISECONDS);
  };

  test('what it adds can fail the run', async () => {
    const args = ['--direct', origin.httpOrigin, '--max-added-p99', '0'];
    const { out, report } = await runThrough(delayed, args);
    const { target, direct, metrics } = report?.rows[0] ?? {};
    const [p50, p99] = [metrics?.p50_ms, metrics?.p99_ms].map((each) => each?.difference_ms.value);
    const [slow, fast] = [target?.latency_ms, direct?.latency_ms];
    expect(slow?.p50).toBeGreaterThan(MILLISECONDS - 1);
    // One round: its difference is that of all.
    expect(p50).toBeCloseTo((slow?.p50 ?? 0) - (fast?.p50 ?? 0), 2);
    const difference = (slow?.p99 ?? 0) - (fast?.p99 ?? 0);
    // It is not known of less than 100 requests, which a slow machine makes.
    expect(p99 ?? difference).toBeCloseTo(difference, 2);
    const gates = report?.failed_gates ?? [];
    expect(gates.length).toBe((p99 ?? 1) > 0 ? 1 : 0);
    for (const gate of gates) expect(out).toContain(`\nmissed: ${gate}\n`);
    // A single round does not tell whether the target is slower.
    expect(report?.rows[0]?.limited_by).not.toBe('target');
    expect(report?.rows[0]?.note).not.toMatch(/too many|no TLS/);
    expect(report?.rows[0]?.metrics.p50_ms).toMatchObject({ high: null, verdict: 'undecided' });
  });

  test('the differences of the rounds have an interval', async () => {
    const args = ['--direct', origin.httpOrigin, '--rounds', '6'];
    const { report } = await runThrough(delayed, args);
    const { low, value = Number.NaN, high } = report?.rows[0]?.metrics.p50_ms?.difference_ms ?? {};
    expect(low).toBeLessThanOrEqual(value);
    expect(high).toBeGreaterThanOrEqual(value);
  });

  test('a rate that is too high is lowered, and not reported', async () => {
    // A connection does at most 200 requests per second.
    const args = ['--connections', '1', '--rate', '400'];
    const { report } = await runThrough(delayed, args);
    expect(sideOf(report).rate).toBeLessThanOrEqual(200);
    expect(report?.settings.rate).toBe(400);
    expect(report?.rows[0]?.note).toContain('400 requests/s were too many');
  });

  test('too few requests per second fail the run', async () => {
    const { code, report } = await runThrough(delayed, ['--min-rate', '1000000']);
    expect(code).toBe(1);
    expect(report?.failed_gates).toHaveLength(1);
  });
});

describe('a disturbed machine', () => {
  const disturbed = { waited: 1 };

  test('a load generator that has to wait makes rows invalid', async () => {
    const args = [origin.httpOrigin, '--direct', origin.httpOrigin, '--only', 'healthz'];
    const { code, out, report } = await runShort([...args, '--min-rate', '1000000'], disturbed);
    expect(code, out).toBe(3);
    for (const row of report?.rows ?? []) {
      expect(row).toMatchObject({ verdict: 'invalid', metrics: NO_METRICS });
      expect(row.disturbed_rounds).toEqual({ full_load: 1, fixed_rate: 1 });
      expect(row.change).toMatch(/^1 of 1 round at full load was dropped/);
    }
    expect(report?.failed_gates).toEqual([]);
    expect(out).toMatch(/\nInvalid on all 2 rows: 1 of 1 round .*\n$/);
  });

  test('what has failed on it is no finding', async () => {
    const { code, out } = await runThrough((client) => client.destroy(), [], disturbed);
    expect(code, out).toBe(3);
    expect(out).toContain('connection closed');
  });
});

test('an interrupted run reports what is finished', async () => {
  const interrupted = new AbortController();
  const proxy = await startProxy(origin.port, (client, piece, connection) => {
    // One connection for each load: the rehearsal and the first two rounds are over.
    if (connection === 4) interrupted.abort();
    client.write(piece);
  });
  onTestFinished(() => proxy.close());
  const args = [proxy.url, '--only', 'healthz', '--protocol', 'http/1.1'];
  const { code, out, report } = await runShort([...args, '--rounds', '50', '--connections', '1'], {
    signal: interrupted.signal,
  });
  expect(code, out).toBe(130);
  expect(report?.interrupted).toBe(true);
  expect(sideOf(report).samples).toHaveLength(2);
  expect(out).toContain('of 50 rounds, 2 at full load and 0 at the fixed rate are finished.');
  expect(out).toMatch(/\ninterrupted\nThere is nothing to compare with/);
});

test('a run that waits for a first response can be interrupted, and what is finished is reported', async () => {
  const interrupted = new AbortController();
  const server = createServer((request, response) => {
    if (request.url === '/version') response.end(VERSION);
    else if (request.url === '/healthz') response.end('OK');
    else interrupted.abort();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const args = [`http://127.0.0.1:${port}`, '--protocol', 'http/1.1', '--timeout', '300'];
  const { code, report } = await runShort(args, { signal: interrupted.signal });
  expect(code).toBe(130);
  expect(report?.rows.map(({ scenario }) => scenario)).toEqual(['healthz']);
});

test('before the first response there is nothing to report', async () => {
  const { code, out } = await runShort([origin.httpOrigin], { signal: AbortSignal.abort() });
  expect({ code, out }).toEqual({ code: 130, out: '' });
});
