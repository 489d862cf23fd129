import { expect, test } from 'vitest';
import { difference, visible } from '../../src/browser/report-checks.ts';
import { readReport } from '../../src/browser/report-read.ts';

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

test('checks and facts of a report, those that failed first', () => {
  const { summary, isBad, facts, failures, checks } = readReport(JSON.stringify(report));
  expect([summary, isBad, failures]).toEqual(['1 finding (must); and more', true, []]);
  expect(facts).toEqual([
    'http://a',
    '2026-01-01T00:00:00Z',
    'Server: <b>',
    'origin: h2',
    'shared',
    'interrupted',
  ]);
  expect(checks.map(({ id }) => id)).toEqual(['hop/te', 'hop/te', '', 'cookie/order']);
  expect(checks[0]).toEqual({
    id: 'hop/te',
    front: 'http/1.1',
    outcome: 'fail',
    level: 'must',
    risk: 'interop',
    note: '',
    rule: 'TE is not forwarded. (RFC 9110 10.1.4)',
    expected: 'no TE',
    found: 'TE: trailers',
    evidence: [
      {
        sent: 'GET / HTTP/1.1\\r\\n\nTE: \\x1b\\r\\n\n',
        origin: 'TE: a\\r\\n\n',
        received: '',
      },
    ],
  });
  expect(checks[2]).toMatchObject({ id: '', outcome: '', rule: '', found: '', evidence: [] });
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
  expect(shown.checks.map(({ id }) => id)).toEqual([
    'a/loss',
    'a/security',
    'a/known',
    'a/should',
    'a/pass',
  ]);
  expect([shown.summary, shown.isBad]).toEqual(['2 findings', true]);
});

test('facts that are not known are left out', () => {
  expect(readReport('{"format":"1.0","target":"http://a","checks":[]}').facts).toEqual([
    'http://a',
  ]);
});

test('counts outcomes by topic, in the order of the report', () => {
  expect(readReport(JSON.stringify(report)).table).toEqual({
    caption: 'Outcomes by topic',
    head: ['Topic', 'fail', 'pass'],
    rows: [
      ['cookie', '', '1'],
      ['', '', ''],
      ['hop', '2', ''],
    ],
  });
});

test.each([
  ['', '', ['', '', '', '']],
  ['a', 'a', ['a', '', '', '']],
  ['a', 'b', ['', 'a', 'b', '']],
  ['abc', 'axc', ['a', 'b', 'x', 'c']],
  ['aa', 'aaa', ['aa', '', 'a', '']],
  ['no TE', 'TE', ['', 'no ', '', 'TE']],
])('the difference of %j and %j', (one, other, expected) => {
  expect(difference(one, other)).toEqual(expected);
});

test('controls are visible, and of bytes the ends of lines', () => {
  expect(visible('a\r\nb\nc\rd\0é', true)).toBe('a\\r\\n\nb\\n\nc\\x0dd\\x00é');
  expect(visible('HEADERS\n  a\t', false)).toBe('HEADERS\n  a\\x09');
});
