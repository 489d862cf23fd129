import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { Load } from '../../bench/generators/generator.ts';
import { h2load } from '../../bench/generators/h2load.ts';
import { oha } from '../../bench/generators/oha.ts';
import { vegeta } from '../../bench/generators/vegeta.ts';
import { wrk, wrk2 } from '../../bench/generators/wrk.ts';

const directory = mkdtempSync(join(tmpdir(), 'wirebin-generators-'));
afterAll(() => rmSync(directory, { recursive: true }));

const load: Load = {
  url: 'http://127.0.0.1:8080/healthz',
  protocol: 'http/1.1',
  connections: 32,
  streams: 1,
  seconds: 3,
  rate: undefined,
};

const WRK = `Running 1s test @ http://127.0.0.1:8080/healthz
  1 threads and 32 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.34ms  641.66us  12.27ms   93.02%
    Req/Sec    24.72k     2.66k   28.62k    70.00%
  Latency Distribution
     50%  980.00us
     75%    1.45ms
     90%    1.68ms
     99%    2.88s
  24619 requests in 1.00s, 4.32MB read
  Socket errors: connect 1, read 2, write 3, timeout 4
  Non-2xx or 3xx responses: 5
Requests/sec:  24608.61
Transfer/sec:      4.32MB
`;

test('wrk: units of durations, and every kind of failure', () => {
  expect(wrk.read(WRK, '')).toEqual({
    requestsPerSecond: 24_608.61,
    p50: 0.98,
    p99: 2880,
    failures: 15,
  });
  expect(() => wrk.read('unable to connect', '')).toThrow('unable to connect');
});

test('wrk2 names its percentiles with three digits', () => {
  const output = WRK.replace('50%  980.00us', '50.000%    1.77ms').replace(
    '99%    2.88s',
    '99.000%    6.11ms',
  );
  expect(wrk2.read(output, '')).toMatchObject({ p50: 1.77, p99: 6.11 });
  expect(() => wrk2.read(WRK, '')).toThrow('no 50.000%');
});

test('h2load: percentiles from its log', () => {
  const file = join(directory, 'log');
  const lines = Array.from({ length: 101 }, (_, at) => `1700000000\t200\t${at * 10}\n`);
  writeFileSync(file, lines.join(''));
  const output = `finished in 3.00s, 27464.00 req/s, 3.20MB/s
requests: 82392 total, 82392 started, 82392 done, 82390 succeeded, 2 failed, 0 errored, 0 timeout
`;
  const figures = h2load.read(output, file);
  expect(figures).toMatchObject({ requestsPerSecond: 27_464, failures: 2 });
  expect(figures.p50).toBeCloseTo(0.5);
  expect(figures.p99).toBeCloseTo(0.99);
});

test('oha: other statuses and errors are failures, requests open at the end are not', () => {
  const report = {
    summary: { requestsPerSec: 1000 },
    latencyPercentiles: { p50: 0.001, p99: 0.002 },
    statusCodeDistribution: { 200: 2990, 503: 7 },
    errorDistribution: { 'aborted due to deadline': 16, 'connection closed': 3 },
  };
  expect(oha.read(JSON.stringify(report), '')).toEqual({
    requestsPerSecond: 1000,
    p50: 1,
    p99: 2,
    failures: 10,
  });
});

test('vegeta: what was not answered with 200 is a failure', () => {
  const report = {
    requests: 100,
    throughput: 50,
    latencies: { '50th': 1_000_000, '99th': 2_500_000 },
    status_codes: { 0: 1, 200: 98, 503: 1 },
  };
  expect(vegeta.read(JSON.stringify(report), '')).toEqual({
    requestsPerSecond: 50,
    p50: 1,
    p99: 2.5,
    failures: 2,
  });
});

const doing = (each: Load): string[] =>
  [wrk, wrk2, h2load, oha, vegeta].flatMap((generator) =>
    generator.does(each) ? [generator.name] : [],
  );

test('who does which load: wrk has no HTTP/2 and no rate, wrk2 only a rate, h2load no latencies from when due', () => {
  expect(doing(load)).toEqual(['wrk', 'h2load', 'oha', 'vegeta']);
  expect(doing({ ...load, rate: 1000 })).toEqual(['wrk2', 'oha', 'vegeta']);
  expect(doing({ ...load, protocol: 'h2c' })).toEqual(['h2load', 'oha', 'vegeta']);
});

test('the lines say protocol, concurrency and rate', () => {
  const h2c: Load = { ...load, protocol: 'h2c', connections: 8, streams: 16, rate: 500 };
  expect(wrk.command('wrk', load, '')).toBe(`wrk -t1 -c32 -d3s --latency ${load.url}`);
  expect(oha.command('oha', h2c, '')).toContain('--http2 -p 16 -q 500 --latency-correction');
  expect(vegeta.command('vegeta', h2c, '')).toContain('-rate=500 -workers=128 -max-workers=128');
  expect(vegeta.command('vegeta', h2c, '')).toContain('-h2c');
  expect(vegeta.command('vegeta', load, '')).toContain('-http2=false');
});
