import { expect, test } from 'vitest';
import { readReport } from '../../src/browser/report-read.ts';
import { benchReport } from './_reports.ts';

const [row] = benchReport.rows;
const side = row.target;

const read = (members: object) => readReport(JSON.stringify({ ...benchReport, ...members }));

test('facts and rows of a report', () => {
  const { summary, isBad, facts, failures, table, notes, checks } = read({});
  expect([summary, isBad, failures, checks]).toEqual(['1 row, none with errors', false, [], []]);
  expect(notes).toEqual(['healthz h2: The origin is fast.', benchReport.verdict]);
  expect(facts).toEqual([
    'https://lb.example',
    'direct: http://10.0.0.5:8080',
    '2026-11-23T01:30:00.000Z',
    '5 rounds',
    '2 seconds',
    '16 connections',
    '4 connections of HTTP/2',
    '16 streams on each',
    'Some <b>',
    '1 core',
    'Linux 6.18',
    'interrupted',
  ]);
  expect({
    ...table,
    head: table.head.join(' | '),
    rows: table.rows.map((cells) => cells.join(' | ')),
  }).toEqual({
    caption: 'Throughput and latency',
    head:
      'Scenario | Protocol | Requests/s | Direct, requests/s | Ratio (interval) | Fixed rate/s | ' +
      'p50, ms | Direct p50, ms | Added p50, ms | p99, ms | Direct p99, ms | Added p99, ms | ' +
      'p99.9, ms | Errors | Limited by',
    rows: [
      'healthz | h2 | 8,123 | 13,102 | 0.62 (0.60–0.64) | 4,000 | ' +
        '0.41 | 0.21 | 0.20 | 1.20 | 0.50 | 0.70 | 3.10 | none | target',
    ],
  });
});

const cellsOf = (...rows: readonly object[]): Record<string, string>[] => {
  const { head, rows: lines } = read({ rows }).table;
  return lines.map((cells) => Object.fromEntries(head.map((name, at) => [name, cells[at] ?? ''])));
};

test('without a direct side, what compares with it is left out', () => {
  const alone = { ...row, direct: null, ratio: null, added_ms: null };
  expect(Object.keys(cellsOf(alone)[0] ?? {}).join(' | ')).toBe(
    'Scenario | Protocol | Requests/s | Fixed rate/s | p50, ms | p99, ms | p99.9, ms | Errors | Limited by',
  );
  // A row may have one nevertheless.
  expect(cellsOf(alone, row).map((cells) => cells['Ratio (interval)'])).toEqual([
    '',
    '0.62 (0.60–0.64)',
  ]);
});

test.each([
  [{ low: 0.6, high: 0.644 }, '0.62 (0.60–0.64)'],
  [{ low: 0.6, high: null }, '≥ 0.62 (0.60–)'],
  [{ low: 0, high: 0.644 }, '≤ 0.62 (–0.64)'],
  [{ low: 0, high: null }, '0.62 (–)'],
])('a ratio from %j is %s', (interval, text) => {
  const ratio = { median: 0.62, ...interval };
  expect(cellsOf({ ...row, ratio })[0]?.['Ratio (interval)']).toBe(text);
});

test('invalid rows are counted', () => {
  const { summary, isBad } = read({ rows: [row, { ...row, limited_by: 'invalid', ratio: null }] });
  expect([summary, isBad]).toEqual(['2 rows, none with errors, 1 invalid', true]);
});

test('errors are counted, of both sides', () => {
  const wrong = {
    ...row,
    target: { ...side, errors: { reset: 3, timeout: 0, 'wrong status': 1 } },
    direct: { ...side, errors: { refused: 2 } },
  };
  const { summary, isBad } = read({ rows: [row, wrong, wrong] });
  expect([summary, isBad]).toEqual(['3 rows, 2 with errors', true]);
  expect(cellsOf(wrong)[0]?.['Errors']).toBe('3 reset, 1 wrong status, 2 refused (direct)');
});

test('a note is said once, of all rows that it is about', () => {
  const other = { ...row, scenario: 'connections', protocol: 'http/1.1' };
  const verdict = '';
  expect(read({ rows: [row, other], verdict }).notes).toEqual(['all: The origin is fast.']);
  const rows = [row, other, { ...row, note: '' }, { ...other, note: 'Else.' }];
  expect(read({ rows, verdict }).notes).toEqual([
    'healthz h2, connections http/1.1: The origin is fast.',
    'connections http/1.1: Else.',
  ]);
});

test('gates that failed are sentences', () => {
  const { summary, isBad, failures } = read({ failed_gates: ['healthz over h2 is slow.'] });
  expect([summary, isBad]).toEqual(['1 row, none with errors, 1 gate failed', true]);
  expect(failures).toEqual(['healthz over h2 is slow.']);
});

test('a row of which nothing was measured, and one with a long text', () => {
  const nothing = { ...side, requests_per_second: null, latency_ms: null };
  const note = 'x'.repeat(1e6);
  const rows = [{ ...row, target: nothing, note }, {}];
  const [first, second] = cellsOf(...rows);
  expect(Object.keys(first ?? {})).not.toContain('p50, ms');
  expect(read({ rows }).notes[0]).toBe(`healthz h2: ${'x'.repeat(1000)}…`);
  expect(second).toMatchObject({ Scenario: '', Errors: 'none' });
});
