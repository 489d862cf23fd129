import { expect, test } from 'vitest';
import { markdownReport } from '../../../src/bench/report/markdown.ts';
import { jsonReport, reportSchema, type Row } from '../../../src/bench/report/report.ts';
import { terminalReport } from '../../../src/bench/report/terminal.ts';
import { guard } from '../../../src/server/schema.ts';
import { report, row } from '../_rows.ts';

const failing = {
  ...report,
  interrupted: true,
  failed_gates: ['healthz h2: 10 requests/s; --min-rate asks for 20'],
  rows: [
    row,
    {
      ...row,
      protocol: 'h2' as const,
      limited_by: 'load' as const,
      target: { ...row.target, errors: { 'status 502': 3, timeout: 1 }, latency_ms: null },
      added_ms: null,
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

test('the table in a terminal', () => {
  const text = terminalReport(report, false);
  expect(text.split('\n').slice(5, 7)).toEqual([
    'scenario  protocol  requests/s  direct  ratio  quartiles  at /s  p50 ms  direct  +p50 ms  p99 ms  direct  +p99 ms  limit',
    'healthz   http/1.1       1,000   2,000   0.50  0.45-0.55    500    1.00    0.50     0.50    3.00    1.75     1.25  target',
  ]);
  expect(text).toContain('\nratio: the median of the ratios of the rounds');
  expect(text).toContain('\n+p50 and +p99: the percentile minus that of direct');
  expect(text).not.toMatch(/^(?:\?|>=): /m);
  expect(text).toContain('healthz http/1.1: The origin alone does 2.0 times as much.\n');
});

test('errors, missed gates and lower bounds are named', () => {
  const text = terminalReport(failing, false);
  expect(text).toMatch(/^healthz {3}h2 .* >= 0\.50 .* 4 {2}load$/m);
  expect(text).toContain(
    'healthz h2: 4 of 5000 requests through the target failed: 3 status 502, 1 timeout\n',
  );
  expect(text).toContain('missed: healthz h2: 10 requests/s; --min-rate asks for 20\n');
  expect(text).toContain('all: The origin alone');
  expect(text).toContain('\n>=: the target was not the limit');
  expect(text).toContain('\nLoad: up to 5 rounds of 2 s;');
  expect(text).toMatch(/\ninterrupted\n$/);
  expect(terminalReport(failing, true)).toContain('\u001b[31mhealthz   h2');
});

test('without a direct side there are no columns of it', () => {
  const rows = [{ ...row, direct: null, ratio: null, added_ms: null }];
  const text = terminalReport({ ...report, direct: null, rows }, false);
  expect(text).toContain('scenario  protocol  requests/s  at /s  p50 ms  p99 ms  limit\n');
  expect(text).not.toMatch(/^(?:ratio|\+p50|\?|>=)/m);
});

test.each([
  ['negative', { p50: 0.5, p99: -365.69 }, undefined],
  ['within the scatter', { p50: 0.5, p99: 0.3 }, { low: -0.1, high: 0.6 }],
])('an added latency that is %s is marked', (_, added, quartiles) => {
  const [line, text] = lineOf({
    ...row,
    added_ms: added,
    added_quartiles_ms: quartiles && { p50: { low: 0.4, high: 0.6 }, p99: quartiles },
  });
  expect(line).toMatch(/ 0\.50 {4,}3\.00 /);
  expect(line).toContain(`${added.p99} ? `.replace('0.3 ', '0.30 '));
  expect(text).toContain('\n?: negative, or within the scatter of the rounds');
});

test('one round has neither quartiles nor a median', () => {
  const [line, text] = lineOf({ ...row, target: { ...row.target, samples: [1000] } });
  expect(line).not.toContain('0.45-0.55');
  expect(text).not.toContain('\nratio: ');
});

test('the table is at most 130 characters wide', () => {
  const latency = { p50: 10, p90: 20, p99: 100, p99_9: 200, max: 300 };
  const side = { ...row.target, requests_per_second: 123_456, rate: 61_728, latency_ms: latency };
  const [line] = lineOf({
    ...row,
    scenario: 'connections',
    target: side,
    direct: side,
    limited_by: 'unknown',
    ratio: { median: 0.5, low: 0.45, high: 0.55 },
    added_ms: { p50: -12.3, p99: -12.3 },
  });
  expect(line.length).toBeLessThanOrEqual(130);
});

/** The line of a row in a terminal, and all that is said. */
function lineOf(only: Row): [line: string, text: string] {
  const text = terminalReport({ ...report, rows: [only] }, false);
  return [text.split('\n')[6] ?? '', text];
}

test('Markdown', () => {
  const text = markdownReport(failing);
  expect(text).toContain('# wirebin bench https://lb.example\n');
  expect(text).toContain('| `healthz` | `http/1.1` | `1,000` | `2,000` | `0.50` |');
  expect(text).toContain('- `missed: healthz h2: 10 requests/s; --min-rate asks for 20`\n');
});
