import { expect, test } from 'vitest';
import { readReport } from '../../src/browser/report-read.ts';
import { rowsOf, textsOf } from './_reports.ts';

const check = {
  id: 'hop/te',
  front: 'http/1.1',
  outcome: 'fail',
  level: 'must',
  risk: 'interop',
  section: 'RFC 9110 10.1.4',
  rule: 'TE is not forwarded.',
  expected: 'no TE',
  found: 'TE: trailers',
  evidence: [{ sent: 'GET / HTTP/1.1\r\nTE: \x1b\r\n', origin: 'TE: a\r\n', received: '' }],
};

const report = {
  format: '1.0',
  target: 'http://a',
  started_at: '2026-01-01T00:00:00Z',
  interrupted: true,
  facts: { server: '<b>', origin_protocol: 'h2', pooling: 'shared' },
  summary_text: '1 finding (must); and more',
  findings: ['http/1.1 hop/te'],
  checks: [{ id: 'cookie/order', outcome: 'pass', reason: null }, {}, check, check],
};

const elementsOf = (members: object) => readReport(JSON.stringify(members)).elements;

test('checks and facts of a report, those that failed first', () => {
  const { summary, isBad, elements } = readReport(JSON.stringify(report));
  expect([summary, isBad]).toEqual(['1 finding (must); and more', true]);
  expect(textsOf(elements, 'li')).toEqual([
    'http://a',
    '2026-01-01T00:00:00Z',
    'Server: <b>',
    'origin: h2',
    'shared',
    'interrupted',
  ]);
  expect(textsOf(elements, 'h3')).toEqual(['Findings: must', 'pass']);
  const failed = elements.find(({ attributes }) => attributes['class'] === 'group');
  const [, shown] = failed?.children ?? [];
  if (typeof shown !== 'object') throw new Error('there is no result');
  expect(shown.attributes).toMatchObject({ id: 'reports/http/1.1/hop/te', class: 'fail' });
  expect(textsOf([shown], 'summary')).toEqual([
    'fail hop/te http/1.1 · must · interop TE: trailers (expected: no TE)',
  ]);
  expect(textsOf([shown], 'p')).toEqual([
    'TE is not forwarded. (RFC 9110 10.1.4) Link to this result',
    'Expected: no TE',
    'Found: TE: trailers',
  ]);
  expect(textsOf([shown], 'mark')).toEqual(['no TE', 'TE: trailers']);
  expect(textsOf([shown], 'pre')).toEqual([
    'GET / HTTP/1.1\\r\\n\nTE: \\x1b\\r\\n\n',
    'TE: a\\r\\n\n',
    '',
  ]);
});

test('levels and outcomes that a later version has added are shown', () => {
  const checks = [
    { ...check, id: 'hop/a', level: 'may' },
    { ...check, id: 'hop/b', outcome: 'unsteady' },
  ];
  const { elements } = readReport(JSON.stringify({ ...report, checks, findings: [] }));
  expect(textsOf(elements, 'h3')).toEqual(['Findings: may, not counted', 'unsteady']);
});

test('findings that count come first, then by outcome, level and risk', () => {
  const front = 'h2';
  const checks = [
    { front, id: 'a/pass', outcome: 'pass' },
    { front, id: 'a/should', outcome: 'fail', level: 'should', risk: 'data-loss' },
    { front, id: 'a/known', outcome: 'fail', level: 'must', risk: 'latency' },
    { front, id: 'a/security', outcome: 'fail', level: 'must', risk: 'security' },
    { front, id: 'a/loss', outcome: 'fail', level: 'must', risk: 'data-loss' },
  ];
  const findings = ['h2 a/loss', 'h2 a/security'];
  const shown = readReport(JSON.stringify({ format: '1.0', checks, findings }));
  expect(textsOf(shown.elements, 'summary').flatMap((text) => /a\/\w+/.exec(text) ?? [])).toEqual([
    'a/loss',
    'a/security',
    'a/known',
    'a/should',
    'a/pass',
  ]);
  expect([shown.summary, shown.isBad]).toEqual(['2 findings', true]);
});

test('facts that are not known are left out', () => {
  expect(textsOf(elementsOf({ format: '1.0', target: 'http://a', checks: [] }), 'li')).toEqual([
    'http://a',
  ]);
});

test('counts outcomes by topic, in the order of the catalogue', () => {
  expect(rowsOf(elementsOf(report))).toEqual([
    'Topic | pass | fail',
    'hop |  | 2',
    'cookie | 1 | ',
  ]);
});

test('a link to a result of any name is one that browsers take', () => {
  const checks = [{ ...check, id: 'a/\ud800 "><b>%' }];
  const [group] = elementsOf({ ...report, checks }).slice(-1);
  expect(JSON.stringify(group)).toContain(
    '"href":"#reports/http/1.1/a/%5Cu%7Bd800%7D%20%22%3E%3Cb%3E%25"',
  );
});
