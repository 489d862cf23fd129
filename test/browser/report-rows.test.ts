import { expect, test } from 'vitest';
import { countByTopic, difference, parseReport, visible } from '../../src/browser/report-rows.ts';

const check = {
  id: 'hop/te',
  front: 'http/1.1',
  outcome: 'fail',
  level: 'must',
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
  checks: [check, { ...check, id: 'hop/other', outcome: 'pass', evidence: 3 }, null],
};

test('rows and facts of a report', () => {
  const { facts, rows } = parseReport(JSON.stringify(report));
  expect(facts).toEqual([
    'http://a',
    '2026-01-01T00:00:00Z',
    'Server: <b>',
    'origin: h2',
    'shared',
    'interrupted',
  ]);
  expect(rows).toHaveLength(3);
  expect(rows[0]).toEqual({
    id: 'hop/te',
    topic: 'hop',
    front: 'http/1.1',
    outcome: 'fail',
    level: 'must',
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
  expect(rows[2]).toMatchObject({ id: '', outcome: '', rule: '', evidence: [] });
});

test.each([
  ['', /^it is not JSON \(.+\)$/],
  ['{', /^it is not JSON/],
  ['null', /no report of wirebin check$/],
  ['[]', /no report of wirebin check$/],
  ['{"checks":{}}', /no report of wirebin check$/],
  ['{"checks":[]}', /^its format is unknown/],
  ['{"checks":[],"format":"2.0"}', /^its format is 2\.0, and this page reads 1\.x$/],
  [
    JSON.stringify({ checks: Array.from({ length: 5001 }, () => 0) }),
    /^it has 5001 checks, and this page shows at most 5000$/,
  ],
])('says what is wrong with %.60j', (text, message) => {
  expect(() => parseReport(text)).toThrow(message);
});

test('counts outcomes by topic, in the order of the report', () => {
  const { rows } = parseReport(JSON.stringify({ ...report, checks: [check, check] }));
  expect([...countByTopic(rows)]).toEqual([['hop', new Map([['fail', 2]])]]);
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
