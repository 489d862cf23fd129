import { expect, test } from 'vitest';
import { markdownReport } from '../../../src/bench/report/markdown.ts';
import { jsonReport, reportSchema } from '../../../src/bench/report/report.ts';
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
    'scenario  protocol  requests/s  direct  ratio  quartiles   at  p50 ms  p99 ms  +p50  +p99  errors  limit',
    'healthz   http/1.1       1,000   2,000   0.50  0.45-0.55  500    1.00    3.00  0.50  1.25          target',
  ]);
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
  expect(text).toMatch(/\ninterrupted\n$/);
  expect(terminalReport(failing, true)).toContain('\u001b[31mhealthz   h2');
});

test('without a direct side there are no columns of it', () => {
  const rows = [{ ...row, direct: null, ratio: null, added_ms: null }];
  const text = terminalReport({ ...report, direct: null, rows }, false);
  expect(text).toContain('scenario  protocol  requests/s   at  p50 ms  p99 ms  errors  limit\n');
});

test('Markdown', () => {
  const text = markdownReport(failing);
  expect(text).toContain('# wirebin bench https://lb.example\n');
  expect(text).toContain('| `healthz` | `http/1.1` | `1,000` | `2,000` | `0.50` |');
  expect(text).toContain('- `missed: healthz h2: 10 requests/s; --min-rate asks for 20`\n');
});
