import { expect, test } from 'vitest';
import { readReport } from '../../src/browser/report-read.ts';
import { benchReport } from './_reports.ts';

const [row] = benchReport.rows;

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
  ['{"kind":"bench","format":3}', /^format is not a text$/],
  [`{"checks":[],"format":"${'x'.repeat(1e6)}"}`, /^its format is x{20}…, /],
])('says what is wrong with %.60j', (text, message) => {
  expect(() => readReport(text)).toThrow(message);
});

const list = (length: number, element: unknown) => Array.from({ length }, () => element);

test.each([
  ['checks is not a list', { checks: {} }],
  ['checks[1] is not an object', { checks: [{}, null] }],
  ['checks[0] is not an object', { checks: [[]] }],
  ['checks[0].rule is not a text', { checks: [{ rule: 3 }] }],
  ['checks[0].evidence is not a list', { checks: [{ evidence: 'x' }] }],
  ['checks[0].evidence[0].sent is not a text', { checks: [{ evidence: [{ sent: {} }] }] }],
  ['facts is not an object', { checks: [], facts: 'x' }],
  ['checks has 100000 elements, and this page shows at most 5000', { checks: list(100_000, {}) }],
  ['a member is missing, or has another type', { kind: 'bench', rows: [] }],
  ['a member is missing, or has another type', { ...benchReport, rows: 'x' }],
  ['a member is missing, or has another type', { ...benchReport, rows: [{ ...row, note: 1 }] }],
  ['a member is missing, or has another type', { ...benchReport, rows: list(1001, row) }],
])('a hostile file has one line: %s', (message, members) => {
  const format = 'kind' in members ? '2.0' : '1.0';
  expect(() => readReport(JSON.stringify({ ...members, format }))).toThrow(
    expect.objectContaining({ message }),
  );
});
