import { expect, test } from 'vitest';
import { NO_METRICS } from '../../src/bench/metrics.ts';
import { headLines, tablesOf } from '../../src/bench/report/table.ts';
import { allNotes } from '../../src/bench/report/whole.ts';
import { readReport } from '../../src/browser/report-read.ts';
import { benchReport, rowsOf, textsOf } from './_reports.ts';

const [row] = benchReport.rows;
const side = row.target;

const read = (members: object) => readReport(JSON.stringify({ ...benchReport, ...members }));

test('shows the lines and rows that the report for terminals has', () => {
  const { summary, isBad, elements } = read({});
  expect([summary, isBad]).toEqual(['1 row, none with errors', false]);
  expect(textsOf(elements, 'li')).toEqual([
    ...headLines(benchReport),
    benchReport.started_at,
    ...allNotes(benchReport),
  ]);
  const lines = tablesOf(benchReport).flatMap(({ head, rows }) =>
    [head, ...rows].map((cells) => cells.join(' | ')),
  );
  // Those of the charts come behind.
  expect(rowsOf(elements).slice(0, lines.length)).toEqual(lines);
});

test('without a direct side, what compares with it is left out', () => {
  const alone = { ...row, direct: null, metrics: NO_METRICS };
  expect(rowsOf(read({ direct: null, rows: [alone] }).elements)[0]).toBe(
    'scenario | protocol | requests/s | at /s | p50 ms | p90 ms | p99 ms | p99.9 ms | limit',
  );
});

test('invalid rows are counted', () => {
  const { summary, isBad } = read({ rows: [row, { ...row, verdict: 'invalid' }] });
  expect([summary, isBad]).toEqual(['2 rows, none with errors, 1 invalid', true]);
});

test('rows with errors are counted', () => {
  const wrong = { ...row, direct: { ...side, errors: { refused: 2 } } };
  const { summary, isBad } = read({ rows: [row, wrong, wrong] });
  expect([summary, isBad]).toEqual(['3 rows, 2 with errors', true]);
});

test('gates that failed are sentences', () => {
  const failed = 'healthz over h2 is slow.';
  const { summary, isBad, elements } = read({ failed_gates: [failed] });
  expect([summary, isBad]).toEqual(['1 row, none with errors, 1 gate failed', true]);
  expect(textsOf(elements, 'li')).toContain(failed);
});

test('rows have charts, as in the HTML report', () => {
  const { elements } = read({});
  expect(textsOf(elements, 'h3')).toEqual(['healthz h2']);
  expect(textsOf(elements, 'figcaption')).toEqual(['Requests/s at full load, by round']);
});

test('with --during, there are no rows, and the verdict says what happened', () => {
  const { summary } = read({ rows: [], verdict: 'No request failed, of 10,000.' });
  expect(summary).toBe('No request failed, of 10,000.');
});
