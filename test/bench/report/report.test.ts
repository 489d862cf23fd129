import { expect, test } from 'vitest';
import { markdownReport } from '../../../src/bench/report/markdown.ts';
import { jsonReport, reportSchema, type Row } from '../../../src/bench/report/report.ts';
import { terminalReport } from '../../../src/bench/report/terminal.ts';
import { guard } from '../../../src/server/schema.ts';
import { report, row } from '../_rows.ts';

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
      ratio: { median: 0.5, low: 0.45, high: null },
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
    'scenario  protocol  requests/s  direct  ratio   interval  at /s  p50 ms  direct  +p50 ms  p99 ms  direct  +p99 ms  p99.9 ms  limit',
    'healthz   http/1.1       1,000   2,000   0.50  0.45-0.55    500    1.00    0.50     0.50    3.00    1.75     1.25      4.00  target',
  ]);
  expect(text).toContain('\nratio and interval: the median of the ratios of the rounds');
  expect(text).toContain('\n+p50 and +p99: the percentile minus that of direct');
  expect(text).not.toMatch(/^(?:\?|>=|<=): /m);
  expect(text).toContain('healthz http/1.1: The origin alone does 2.0 times as much.\n');
  expect(text).toMatch(/\nThis run can be believed: no round was disturbed\.\n$/);
});

test('errors, missed gates and lower bounds are named', () => {
  const text = terminalReport(failing, false);
  expect(text).toMatch(/^healthz {3}h2 .* >= 0\.50 +0\.45- .* 4 {2}load$/m);
  expect(text).toContain(
    'healthz h2: 4 of 5000 requests through the target failed: 3 status 502, 1 timeout\n',
  );
  expect(text).toContain('missed: healthz h2: 10 requests/s; --min-rate asks for 20\n');
  expect(text).toContain('all: The origin alone');
  expect(text).toContain('\n>=: a faster load generator may get more through the target');
  expect(text).toContain('\nLoad: up to 5 rounds of 2 s;');
  expect(text).toMatch(/\ninterrupted\nBelieve it\.\n$/);
  expect(terminalReport(failing, true)).toContain('\u001b[31mhealthz   h2');
});

test('without a direct side there are no columns of it', () => {
  const rows = [{ ...row, direct: null, ratio: null, added_ms: null }];
  const text = terminalReport({ ...report, direct: null, rows }, false);
  expect(text).toContain(
    'scenario  protocol  requests/s  at /s  p50 ms  p99 ms  p99.9 ms  limit\n',
  );
  expect(text).not.toMatch(/^(?:ratio|\+p50|\?|>=)/m);
});

test.each([
  ['negative', { p50: 0.5, p99: -365.69 }, { low: -400, high: -300 }],
  ['within the scatter', { p50: 0.5, p99: 0.3 }, { low: -0.1, high: 0.6 }],
])('an added latency that is %s is marked', (_, added, interval) => {
  const [line, text] = lineOf({
    ...row,
    added_ms: added,
    added_interval_ms: interval && { p50: { low: 0.4, high: 0.6 }, p99: interval },
  });
  expect(line).toMatch(/ 0\.50 {4,}3\.00 /);
  expect(line).toContain(`${added.p99} ? `.replace('0.3 ', '0.30 '));
  expect(text).toContain('\n?: no difference, or one that is too small');
});

test.each([
  ['holds 1', { median: 1.02, low: 0.97, high: 1.07 }, '1.02 ?  0.97-1.07 ', '?: no difference'],
  ['is above 1', { median: 1.2, low: 1.1, high: 1.3 }, '1.20  1.10-1.30 ', undefined],
  [
    'is at most so high',
    { median: 0.6, low: 0, high: 0.7 },
    '<= 0.60     -0.70 ',
    '<=: a faster load generator',
  ],
  ['is open', { median: 1.2, low: 0, high: null }, '1.20 ?         - ', '?: no difference'],
])('a ratio that %s', (_, ratio, cells, legend) => {
  const [line, text] = lineOf({ ...row, ratio });
  expect(line).toContain(` ${cells}`);
  if (legend === undefined) expect(text).not.toMatch(/^(?:\?|>=|<=): /m);
  else expect(text).toContain(`\n${legend}`);
});

test('an invalid row has no comparison', () => {
  const invalid = { ...row, limited_by: 'invalid', ratio: null, added_ms: null } as const;
  const [line, text] = lineOf(invalid);
  expect(line).toMatch(/1,000 {3}2,000 +500 .* invalid$/);
  expect(text).not.toContain('\nratio and interval');
  expect(terminalReport({ ...report, rows: [invalid] }, true)).toContain('\u001b[31mhealthz');
});

test('the table is at most 140 characters wide', () => {
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
  expect(line.length).toBeLessThanOrEqual(140);
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
