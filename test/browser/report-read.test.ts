import { describe, expect, test } from 'vitest';
import { NO_METRICS } from '../../src/bench/metrics.ts';
import { headLines, tablesOf } from '../../src/bench/report/table.ts';
import { allNotes } from '../../src/bench/report/whole.ts';
import { readReport } from '../../src/browser/report-read.ts';
import { benchReport, checkReport, rowsOf, textsOf } from './_reports.ts';

const none = /^it is JSON, but no report of wirebin check or bench$/;

test.each([
  ['', /^it is not JSON \(.+\)$/],
  ['{', /^it is not JSON/],
  ['null', none],
  ['3', none],
  ['[]', none],
  ['{"rows":[]}', none],
  ['{"kind":"other","rows":[]}', none],
  ['{"checks":[]}', /^its format is unknown, /],
  ['{"kind":"bench"}', /^its format is unknown, /],
  ['{"checks":[],"format":"2.0"}', /^its format is 2\.0, and this page reads 1\.x$/],
  ['{"kind":"bench","format":"1.0"}', /^its format is 1\.0, and this page reads 2\.x$/],
  ['{"kind":"bench","format":3}', /^its format is 3, /],
  [`{"checks":[],"format":"${'x'.repeat(1e6)}"}`, /^its format is x{20}, /],
])('says what is wrong with %.60j', (text, message) => {
  expect(() => readReport(text)).toThrow(message);
});

const [row] = benchReport.rows;
const [check] = checkReport.checks;

test.each<object>([
  { ...checkReport, checks: {} },
  { ...checkReport, checks: [check, null] },
  { ...checkReport, checks: [{ ...check, rule: 3 }] },
  { ...checkReport, checks: [{ ...check, evidence: [{ sent: {} }] }] },
  { ...checkReport, facts: 'x' },
  { ...benchReport, rows: 'x' },
  { ...benchReport, rows: [{ ...row, note: 1 }] },
])('a hostile file has one line: %.60j', (members) => {
  const message = 'a member is missing, or has another type';
  expect(() => readReport(JSON.stringify(members))).toThrow(expect.objectContaining({ message }));
});

const readCheck = (members: object) => readReport(JSON.stringify({ ...checkReport, ...members }));
const readBench = (members: object) => readReport(JSON.stringify({ ...benchReport, ...members }));

describe('of a check', () => {
  test('checks and facts, those that failed first', () => {
    const { summary, isBad, elements } = readCheck({ interrupted: true, format: '1.7', more: 1 });
    expect([summary, isBad]).toEqual([checkReport.summary_text, true]);
    expect(textsOf(elements, 'li')).toEqual([
      'http://lb.example',
      '2026-11-22T12:00:00.000Z',
      'Server: a proxy',
      'origin: http/1.1',
      'pooled',
      'interrupted',
    ]);
    expect(textsOf(elements, 'h3')).toEqual(['Findings: must', 'pass']);
    const failed = elements.find(({ attributes }) => attributes['class'] === 'group');
    const [, shown] = failed?.children ?? [];
    if (typeof shown !== 'object') throw new Error('there is no result');
    expect(shown.attributes).toMatchObject({ id: 'reports/h2/hop/te', class: 'fail' });
    expect(textsOf([shown], 'summary')).toEqual([
      'fail hop/te h2 · must · security another\\r\\nthing (expected: one | thing)',
    ]);
    expect(textsOf([shown], 'p')).toEqual([
      'A rule with <markup> & "quotes". (RFC 9110 7.6.1) Link to this result',
      'Expected: one | thing',
      'Found: another\\r\\n\nthing',
    ]);
    expect(textsOf([shown], 'mark')).toEqual(['one | ', 'another\\r\\n\n']);
    expect(textsOf([shown], 'pre')[1]).toMatch(/^GET \/ HTTP\/1\.1\\r\\n\nhost: a/);
  });

  test('without Server, and without a finding', () => {
    const { isBad, elements } = readCheck({
      facts: { ...checkReport.facts, server: undefined },
      findings: [],
    });
    expect(isBad).toBe(false);
    expect(textsOf(elements, 'li')).not.toContain('Server: a proxy');
    expect(textsOf(elements, 'h3')).toEqual(['Findings: must, not counted', 'pass']);
  });

  test('outcomes are counted by topic, in the order of the catalogue', () => {
    expect(rowsOf(readCheck({ capabilities: undefined }).elements)).toEqual([
      'Topic | Share | pass | fail',
      'hop |  |  | 1',
      'cookie |  | 1 | ',
    ]);
  });

  test('what the target does comes first', () => {
    const rows = rowsOf(readCheck({}).elements);
    expect(rows.slice(0, 2)).toEqual([
      'Capability | Answer | As seen',
      'connections to the origin reused | yes | shared by clients',
    ]);
  });

  test('a link to a result of any name is one that browsers take', () => {
    const checks = [{ ...check, id: 'a/\ud800 "><b>%' }];
    expect(JSON.stringify(readCheck({ checks }).elements)).toContain(
      '"href":"#reports/h2/a/%5Cu%7Bd800%7D%20%22%3E%3Cb%3E%25"',
    );
  });
});

describe('of a benchmark', () => {
  test('shows the lines and rows that the report for terminals has', () => {
    const { summary, isBad, elements } = readBench({});
    expect([summary, isBad]).toEqual(['1 row, none with errors', false]);
    expect(textsOf(elements, 'li')).toEqual([
      ...headLines(benchReport),
      benchReport.started_at,
      // The numbers of the row.
      'requests/s8,123direct 13,102ratio 0.50, 0.45 to 0.55',
      'p50 ms0.41direct 0.21ratio 2.00, 1.90 to 2.10',
      'p99 ms1.20direct 0.50ratio 1.70, 0.90 to 2.50',
      'errors0direct 0',
      ...allNotes(benchReport),
    ]);
    const lines = tablesOf(benchReport).flatMap(({ head, rows }) =>
      [head, ...rows].map((cells) => cells.join(' | ')),
    );
    const ratios = [
      'row | metric | 0.40 to 2.50, 1 in the middle | ratio | interval | verdict',
      'healthz h2 | requests/s |  | 0.50 | 0.45 to 0.55 | slower',
      'healthz h2 | p50 ms |  | 2.00 | 1.90 to 2.10 | slower',
      'healthz h2 | p99 ms |  | 1.70 | 0.90 to 2.50 | undecided',
    ];
    // Those of the other charts come behind.
    const expected = [...ratios, ...lines];
    expect(rowsOf(elements).slice(0, expected.length)).toEqual(expected);
    // As in the HTML report.
    expect(textsOf(elements, 'h3')).toEqual(['healthz h2', 'Charts of healthz h2']);
    expect(textsOf(elements, 'figcaption')).toEqual(['Requests/s at full load, by round']);
  });

  test('without a direct side, what compares with it is left out', () => {
    const alone = { ...row, direct: null, metrics: NO_METRICS };
    expect(rowsOf(readBench({ direct: null, rows: [alone] }).elements)[0]).toBe(
      'scenario | protocol | requests/s | at /s | p50 ms | p90 ms | p99 ms | p99.9 ms | limit',
    );
  });

  const wrong = { ...row, direct: { ...row.target, errors: { refused: 2 } } };

  test.each([
    ['2 rows, none with errors, 1 invalid', { rows: [row, { ...row, verdict: 'invalid' }] }],
    ['3 rows, 2 with errors', { rows: [row, wrong, wrong] }],
    ['1 row, none with errors, 1 gate failed', { failed_gates: ['healthz over h2 is slow.'] }],
  ])('bad is what the summary counts: %s', (line, members) => {
    const { summary, isBad } = readBench(members);
    expect([summary, isBad]).toEqual([line, true]);
  });

  test('gates that failed are sentences', () => {
    const failed = 'healthz over h2 is slow.';
    expect(textsOf(readBench({ failed_gates: [failed] }).elements, 'li')).toContain(failed);
  });

  test('with --during, there are no rows, and the verdict says what happened', () => {
    const { summary } = readBench({ rows: [], verdict: 'No request failed, of 10,000.' });
    expect(summary).toBe('No request failed, of 10,000.');
  });
});
