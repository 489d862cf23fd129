import { expect, test } from 'vitest';
import { readReport } from '../../src/browser/report-read.ts';

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
  ['rows is not a list', { kind: 'bench', rows: 'x' }],
  ['rows[0] is not an object', { kind: 'bench', rows: [1] }],
  ['rows[0].target is not an object', { kind: 'bench', rows: [{ target: 'x' }] }],
  ['rows[0].scenario is not a text', { kind: 'bench', rows: [{ scenario: ['x'] }] }],
  [
    'rows[0].target.latency_ms.p50 is not a number',
    { kind: 'bench', rows: [{ target: { latency_ms: { p50: '1' } } }] },
  ],
  [
    'rows[0].direct.errors is not a number',
    { kind: 'bench', rows: [{ direct: { errors: { reset: null } } }] },
  ],
  [
    'rows[0].target.errors has 51 elements, and this page shows at most 50',
    { kind: 'bench', rows: [{ target: { errors: Object.fromEntries(list(51, 1).entries()) } }] },
  ],
  [
    'rows[0].metrics.p50_ms.ratio is not a number',
    { kind: 'bench', rows: [{ metrics: { p50_ms: { ratio: '1' } } }] },
  ],
  ['failed_gates[0] is not a text', { kind: 'bench', failed_gates: [{}] }],
  ['settings.rounds is not a number', { kind: 'bench', settings: { rounds: 'x' } }],
  [
    'rows has 100000 elements, and this page shows at most 1000',
    { kind: 'bench', rows: list(100_000, {}) },
  ],
])('a hostile file has one line: %s', (message, members) => {
  const format = 'kind' in members ? '2.0' : '1.0';
  expect(() => readReport(JSON.stringify({ format, ...members }))).toThrow(
    expect.objectContaining({ message }),
  );
});
