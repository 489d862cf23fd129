import { expect, test } from 'vitest';
import { NO_METRICS } from '../../../src/bench/metrics.ts';
import { markdownReport } from '../../../src/bench/report/markdown.ts';
import { jsonReport, reportSchema } from '../../../src/bench/report/report.ts';
import { terminalReport } from '../../../src/bench/report/terminal.ts';
import { guard } from '../../../src/server/schema.ts';
import { metrics, report, row } from '../_rows.ts';

const rate = metrics.requests_per_second;
const open = { ...metrics, requests_per_second: rate && { ...rate, high: null } };

const failing = {
  ...report,
  interrupted: true,
  verdict: 'Believe it.',
  failed_gates: ['healthz h2: 10 requests/s; --min-rate asks for 20'],
  rows: [
    row,
    {
      ...row,
      protocol: 'h2' as const,
      limited_by: 'load' as const,
      target: { ...row.target, errors: { 'status 502': 3, timeout: 1 }, latency_ms: null },
      metrics: open,
    },
  ],
};

test('JSON is that of the schema', () => {
  const isReport = guard(reportSchema);
  for (const each of [report, failing, { ...report, direct: null }]) {
    expect(isReport(JSON.parse(jsonReport(each)))).toBe(true);
  }
  expect(isReport({ ...report, rows: [{}] })).toBe(false);
});

test('the tables in a terminal', () => {
  const text = terminalReport(report, false);
  expect(text.split('\n').slice(5, 13)).toEqual([
    'scenario  protocol  requests/s  at /s  p50 ms  p90 ms  p99 ms  p99.9 ms  limit   verdict',
    'healthz   http/1.1       1,000    500    1.00    2.00    3.00      4.00  target  slower',
    '',
    'scenario  protocol  metric      target  direct  ratio      interval  + ms       interval  verdict',
    'healthz   http/1.1  requests/s   1,000   2,000   0.50  0.45 to 0.55                       slower',
    'healthz   http/1.1  p50 ms        1.00    0.50   2.00  1.90 to 2.10  0.50   0.45 to 0.60  slower',
    'healthz   http/1.1  p99 ms        3.00    1.75   1.70  0.90 to 2.50  1.25  -0.10 to 2.50  undecided',
    '',
  ]);
  expect(text).toContain('\nratio: of requests/s and CPU the median of the rounds');
  expect(text).toContain('healthz http/1.1: The origin alone does 2.0 times as much.\n');
  expect(text).toMatch(/\nThe target is slower than the origin alone on healthz http\/1\.1\.\n$/);
});

test('errors, missed gates and open intervals are named', () => {
  const text = terminalReport(failing, false);
  expect(text).toMatch(/^healthz {3}h2 .* 4 {2}load {4}slower$/m);
  expect(text).toMatch(/^healthz {3}h2 {8}requests\/s .* 0\.50 +from 0\.45 /m);
  expect(text).toContain(
    'healthz h2: 4 of 5000 requests through the target failed: 3 status 502, 1 timeout\n',
  );
  expect(text).toContain('missed: healthz h2: 10 requests/s; --min-rate asks for 20\n');
  expect(text).toContain('all: The origin alone');
  expect(text).toContain(
    '\nLoad: at least 5 rounds of 2 s at a rate, about half as long at full load;',
  );
  expect(text).toMatch(/\ninterrupted\nBelieve it\.\n$/);
  expect(terminalReport(failing, true)).toContain('\u001b[31mhealthz   h2');
});

test('without a baseline nothing is compared', () => {
  const rows = [{ ...row, direct: null, metrics: NO_METRICS }];
  const text = terminalReport({ ...report, direct: null, rows }, false);
  expect(text).toContain(
    'scenario  protocol  requests/s  at /s  p50 ms  p90 ms  p99 ms  p99.9 ms  limit\n',
  );
  expect(text).not.toMatch(/^(?:ratio|slower|.*metric)/m);
});

test('target and baseline have the names that they were given', () => {
  const side = { ...row.target, errors: { timeout: 2 } };
  const text = terminalReport(
    {
      ...report,
      baseline: 'http://10.0.0.6',
      names: { target: 'new', baseline: 'old' },
      rows: [{ ...row, baseline: side }],
    },
    false,
  );
  expect(text).toContain(
    'new: https://lb.example; old: http://10.0.0.6; direct: http://10.0.0.5:8080\n',
  );
  expect(text).toMatch(/^scenario .* metric +new +old +ratio /m);
  expect(text).toContain('2 of 5000 requests through old failed: 2 timeout\n');
});

test('how late the load generator was is shown where it is known', () => {
  const target = { ...row.target, load_lag_ms: 0.123 };
  const text = terminalReport({ ...report, rows: [{ ...row, target }] }, false);
  expect(text).toMatch(/ p99\.9 ms {2}lag ms {2}limit .*\n.* 4\.00 {4}0\.12 {2}target /);
});

test.each([
  ['without bounds', 0, null, 'unknown'],
  ['open below', 0, 0.7, 'up to 0.70'],
  ['open above', 0.7, null, 'from 0.70'],
])('a ratio %s', (_, low, high, text) => {
  const ends = { ...metrics, requests_per_second: rate && { ...rate, low, high } };
  expect(terminalReport({ ...report, rows: [{ ...row, metrics: ends }] }, false)).toMatch(
    new RegExp(`requests/s .* 0\\.50 +${text} `),
  );
});

test('an invalid row says why, before anything else', () => {
  const change = 'The origin was the limit. Start it with more workers.';
  const invalid = { ...row, verdict: 'invalid', change } as const;
  const text = terminalReport({ ...report, rows: [invalid] }, true);
  expect(text).toContain('\u001b[31mhealthz');
  expect(text).toContain(`\nhealthz http/1.1: Invalid: ${change} The origin alone`);
});

test('tables are at most 140 characters wide', () => {
  const latency = { p50: 10, p90: 20, p99: 100, p99_9: 200, max: 300 };
  const side = {
    ...row.target,
    requests_per_second: 123_456,
    rate: 61_728,
    latency_ms: latency,
    load_lag_ms: 1,
    errors: { timeout: 10_000 },
  };
  const wide = {
    ...row,
    scenario: 'download-1m',
    verdict: 'no-difference',
    target: side,
    direct: side,
    limited_by: 'unknown',
  } as const;
  const lines = terminalReport({ ...report, rows: [wide] }, false).split('\n');
  const tables = lines.filter((line) => /^(?:scenario|download)/.test(line) && !line.includes(':'));
  expect(tables).toHaveLength(6);
  for (const line of tables) expect(line.length).toBeLessThanOrEqual(140);
});

test('nothing of a recorded run reaches the terminal as a control sequence', () => {
  const cost = {
    processes: [{ pid: 1, name: 'a\u001b[2J' }],
    cpu_us_per_request: 1,
    memory_bytes: null,
    origin: null,
    note: '',
  };
  const text = terminalReport(
    {
      ...report,
      names: { target: 'b\u001b[2J', baseline: 'c\u001b[2J' },
      rows: [{ ...row, scenario: 'd\u001b[2J', target: { ...row.target, cost }, baseline: null }],
    },
    false,
  );
  expect(text).not.toContain('\u001b');
  for (const name of 'abcd') expect(text).toContain(`${name}\\x1b[2J`);
  expect(text).not.toContain('\\xb5');
});

test('Markdown', () => {
  const text = markdownReport(failing);
  expect(text).toContain('# wirebin bench https://lb.example\n');
  expect(text).toContain(
    '| `healthz` | `http/1.1` | `requests/s` | `1,000` | `2,000` | `0.50` | `0.45 to 0.55` |',
  );
  expect(text).toContain('- `missed: healthz h2: 10 requests/s; --min-rate asks for 20`\n');
});
