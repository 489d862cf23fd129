import { describe, expect, test } from 'vitest';
import type { Level, Outcome } from '../../../src/check/check.ts';
import type { FrontName } from '../../../src/check/front.ts';
import { readReport } from '../../../src/browser/report-read.ts';
import { harReport } from '../../../src/check/report/har.ts';
import { jsonReport } from '../../../src/check/report/json.ts';
import { reportSchema } from '../../../src/check/report/json-schema.ts';
import { htmlReport } from '../../../src/check/report/html.ts';
import { junitReport, markdownReport, tapReport } from '../../../src/check/report/markup.ts';
import { escaped } from '../../../src/check/escaped.ts';
import {
  findingsOf,
  ownFirst,
  summaryLine,
  type Report,
} from '../../../src/check/report/report.ts';
import { diffText, showText, storedReport } from '../../../src/check/report/stored.ts';
import { terminalReport } from '../../../src/check/report/terminal.ts';
import { countOutcomes } from '../../../src/check/report/outcomes.ts';
import type { Result } from '../../../src/check/result.ts';
import { violations } from '../../_schema.ts';
import { textsOf } from '../../browser/_reports.ts';
import { resultWithOutcome } from '../_results.ts';
import { reportOf } from './_report.ts';

const outcomes: readonly Outcome[] = [
  'pass',
  'fail',
  'differs',
  'not-applicable',
  'blocked',
  'flaky',
  'error',
];
const results = outcomes.map((outcome) => resultWithOutcome(`hop/${outcome}`, outcome));

const report = reportOf(results);

const stored = (each: Report) => storedReport(jsonReport(each), 'report.json');

test('outcomes are counted, and only findings of the levels count', () => {
  expect(countOutcomes(results)).toEqual(Object.fromEntries(outcomes.map((each) => [each, 1])));
  expect(findingsOf(results, ['must']).map(({ id }) => id)).toEqual(['hop/fail']);
  expect(findingsOf(results, ['should'])).toEqual([]);
});

function failed(name: string, level: Level, front: FrontName = 'h2'): Result {
  return { ...resultWithOutcome(`hop/${name}`, 'fail'), level, front };
}

test('the summary says what counts, and what does not and why', () => {
  const all = reportOf([
    failed('a', 'must'),
    failed('a', 'must', 'http/1.1'),
    failed('b', 'must'),
    failed('c', 'should'),
    failed('d', 'quality'),
  ]);
  expect(summaryLine(all)).toBe(
    '3 findings (must) in 2 checks; 2 more of level should or quality, which count with --fail-on must,should,quality. ' +
      'Outcomes: 5 fail (1.2 s)',
  );
  expect(
    summaryLine({ ...all, isInterrupted: true, findings: all.findings.slice(2), levels: ['must'] }),
  ).toMatch(/^interrupted; 1 finding \(must\); 2 known by the baseline; 2 more of level should or/);
  expect(summaryLine(reportOf([failed('c', 'should')]))).toMatch(
    /^0 findings \(must\); 1 more of level should, which counts with --strict\. /,
  );
});

test('every format counts the same', () => {
  const counted = reportOf([
    ...results,
    failed('a', 'must'),
    failed('known', 'must'),
    failed('should', 'should'),
  ]);
  const all = {
    ...counted,
    findings: counted.findings.filter(({ id }) => id !== 'hop/known'),
  };
  const line = summaryLine(all);
  expect(line).toMatch(/^2 findings \(must\); 1 known by the baseline; 1 more of level should/);
  const commands = { program: '', repeat: () => '', request: () => undefined };
  expect(terminalReport(all, false, commands).trimEnd().split('\n').at(-1)).toBe(line);
  expect(markdownReport(all)).toContain(`**${line}**`);
  expect(htmlReport(all)).toContain(`<strong>${line}</strong>`);
  const json = jsonReport(all);
  expect(JSON.parse(json)).toMatchObject({
    summary_text: line,
    levels: ['must'],
    findings: ['h2 hop/fail', 'h2 hop/a'],
  });
  expect(readReport(json).summary).toBe(line);
  expect(junitReport(all).match(/<failure /g)).toHaveLength(2);
  expect(tapReport(all).match(/^not ok .*hop\/(?!error)/gm)).toHaveLength(2);
});

test('findings of the product come last, without their bytes', () => {
  const counted = reportOf([failed('recorded', 'must'), failed('own', 'must')]);
  const known = {
    product: 'nginx',
    version: '1.22.1',
    isDetected: true,
    findings: new Set(['h2 hop/recorded', 'h2 hop/other']),
  };
  const apart = { ...counted, known, findings: ownFirst(counted.findings, known) };
  expect(summaryLine(apart)).toMatch(/^2 findings \(must\), 1 as recorded of nginx 1\.22\.1\. /);
  const text = terminalReport(apart, false, {
    program: '',
    repeat: ({ id }) => id,
    request: () => undefined,
  });
  expect(text).toContain('\nProduct: nginx, by Server or Via; ');
  expect(text).toMatch(
    /^fail +must +hop\/own [^]*^As in the recorded [^]*^fail +must +hop\/recorded /m,
  );
  expect(text.match(/^ {2}repeat .*/gm)).toEqual(['  repeat    hop/own']);
  const titles = htmlReport(apart).matchAll(/<h2>(.*?)<\/h2>/g);
  expect(Array.from(titles, ([, title]) => title)).toEqual([
    'Findings: must',
    'Findings: must, as recorded of nginx 1.22.1',
  ]);
  expect(markdownReport(apart)).toContain(
    '**hop/recorded** (h2, RFC 9110 7.6.1, as recorded of nginx 1.22.1)',
  );
  const view: unknown = JSON.parse(jsonReport(apart));
  expect(violations(reportSchema, view)).toEqual([]);
  expect(view).toMatchObject({
    findings: ['h2 hop/own', 'h2 hop/recorded'],
    known: { product: 'nginx', detected: true, findings: ['h2 hop/recorded'] },
  });
  // The page shows the same.
  expect(textsOf(readReport(jsonReport(apart)).elements, 'h3')).toEqual([
    'Findings: must',
    'Findings: must, as recorded of nginx 1.22.1',
  ]);
});

test('bytes are shown with their line ends and controls', () => {
  expect(escaped('a\r\nb\nc\r\0é\\\n')).toBe(
    'a\\r\\n\nb\\n\nc\\r\\x00\\xe9\\\\\\n\n'.replace('\\r\\x00', '\\x0d\\x00'),
  );
  expect(escaped('a\nb', false)).toBe('a\nb');
});

describe('json', () => {
  const view = JSON.parse(jsonReport(report)) as Record<string, unknown>;

  test('is as its schema says', () => {
    expect(violations(reportSchema, view)).toEqual([]);
    expect(view['summary']).toEqual(countOutcomes(results));
  });

  test('the schema does not allow anything', () => {
    expect(violations(reportSchema, { ...view, checks: [{ id: 1 }] })).not.toEqual([]);
  });

  test('a record of docs/proxies/ is shown and compared, too', () => {
    const checks = {
      'hop/te': ['pass', 'fail: TE: gzip'],
      'h2/te': ['', 'blocked'],
      'hop/via': 'differs: no Via',
      'hop/loop': ['', 'unknown here: of another version'],
    };
    const kept = storedReport(JSON.stringify({ checks }), 'verdicts.json');
    expect(showText(kept, undefined).split('\n')).toEqual([
      'pass            http/1.1  hop/te',
      'fail            h2        hop/te  TE: gzip',
      'blocked         h2        h2/te',
      'differs         http/1.1  hop/via  no Via',
      'differs         h2        hop/via  no Via',
      'unknown here    h2        hop/loop  of another version',
      '',
    ]);
    expect(showText(kept, 'h2/te')).toBe('h2/te (h2)\n  outcome   blocked\n');
    const other = { checks: { ...checks, 'hop/te': 'pass' } };
    expect(diffText(kept, storedReport(JSON.stringify(other), 'verdicts.json'))).toBe(
      'h2 hop/te: fail -> pass\n',
    );
  });

  test('is shown again, whole or one check, and compared', () => {
    const text = stored(report);
    expect(showText(text, undefined).split('\n')).toHaveLength(results.length + 1);
    expect(showText(text, 'hop/fail')).toContain('GET / HTTP/1.1');
    expect(() => showText(text, 'hop/none')).toThrow('no check hop/none');
    expect(() => storedReport('{}', 'a.json')).toThrow('a.json is no JSON report');
    const other = reportOf([resultWithOutcome('hop/pass', 'fail'), ...results.slice(1)]);
    expect(diffText(text, text)).toBe('no difference\n');
    expect(diffText(text, stored(other))).toBe('h2 hop/pass: pass -> fail\n');
    const tunnel = stored(
      reportOf([resultWithOutcome('hop/pass', 'not-applicable'), ...results.slice(1)]),
    );
    expect(diffText(text, tunnel)).toBe('not applicable in one of them: 1, which --all lists\n');
    expect(diffText(tunnel, text, true)).toBe('h2 hop/pass: not-applicable -> pass\n');
    expect(diffText(tunnel, stored(other))).toBe('h2 hop/pass: not-applicable -> fail\n');
    const part = stored(reportOf(results.slice(2)));
    expect(diffText(text, part)).toBe(
      'no difference\nnot compared: 2 only in the old report, 0 only in the new one\n',
    );
    expect(diffText(part, stored(other)).split('\n')[1]).toBe(
      'not compared: 0 only in the old report, 2 only in the new one',
    );
  });
});

describe('terminal', () => {
  const commands = {
    program: 'npm start --',
    repeat: ({ id }: Result) => `repeat ${id}`,
    request: ({ id }: Result) => (id === 'hop/a' ? 'curl a' : undefined),
  };

  test('facts, list, table, findings with what repeats them, what differs, summary', () => {
    const text = terminalReport(report, false, commands);
    const lines = text.trimEnd().split('\n');
    expect(lines[0]).toContain('http://lb.example offers h2; TLSv1.3, ALPN h2; Server: a proxy');
    expect(lines.slice(4, 8)).toEqual([
      'fail   must  hop/fail   h2  another\\r\\nthing (expected: one | thing)',
      'flaky  must  hop/flaky  h2',
      'error  must  hop/error  h2  refused',
      '',
    ]);
    expect(text).toContain('repeat hop/fail');
    expect(text).not.toContain('\u001b');
    expect(lines.at(-5)).toBe('differs  must  hop/differs  h2');
    expect(lines.at(-3)).toBe('blocked  must  hop/blocked  h2');
    expect(lines.at(-1)).toContain('1 finding (must). Outcomes: 1 pass, 1 fail, 1 differs');
    expect(terminalReport(report, true, commands)).toContain('\u001b[31m');
  });

  test('the same finding on both front sides is shown once, another one by itself', () => {
    const text = terminalReport(
      reportOf([
        failed('a', 'must', 'http/1.1'),
        failed('a', 'must', 'h2'),
        failed('b', 'must', 'http/1.1'),
        { ...failed('b', 'must', 'h2'), found: 'x'.repeat(100) },
      ]),
      false,
      commands,
    );
    expect(text.split('\n').slice(4, 7)).toEqual([
      'fail  must  hop/a  http/1.1, h2  another\\r\\nthing (expected: one | thing)',
      'fail  must  hop/b  http/1.1      another\\r\\nthing (expected: one | thing)',
      `fail  must  hop/b  h2            ${'x'.repeat(60)}… (expected: one | thing)`,
    ]);
    expect(text.match(/^ {2}repeat /gm)).toHaveLength(3);
    expect(text).toContain('fail  hop/a  (http/1.1, h2, must,');
    expect(text).toContain('\n4 findings (must) in 2 checks.');
  });

  test('what the origin received is marked: what was not sent, and what is missing; and where a value differs', () => {
    const [shown] = failed('a', 'must', 'http/1.1').evidence;
    const text = terminalReport(
      reportOf([
        {
          ...failed('a', 'must', 'http/1.1'),
          expected: '/a%2Fb',
          found: '/a/b',
          evidence: shown ? [{ ...shown, sent: 'GET / HTTP/1.1\r\nHost: a\r\nTE: b\r\n\r\n' }] : [],
        },
        { ...failed('b', 'must', 'http/1.1'), expected: 'a', found: '' },
      ]),
      false,
      commands,
    );
    const lines = text.split('\n');
    const at = lines.findIndex((line) => line.startsWith('  origin'));
    expect(lines.slice(at, at + 5)).toEqual([
      String.raw`  origin    GET / HTTP/1.1\r\n`,
      String.raw`            host: a\r\n`,
      String.raw`          + Via: 1.1 b\r\n`,
      String.raw`            \r\n`,
      '          - TE: b',
    ]);
    expect(text).toContain('  found     /a/b\n              ^\n');
    expect(text).toContain('hop/b  http/1.1  (nothing) (expected: a)');
    expect(text.match(/^ {2}request .*/gm)).toEqual(['  request   curl a']);
  });

  test.each([
    ['differs', '11 checks differ in ways that the rules allow'],
    ['blocked', '11 checks are blocked: a check that they depend on failed'],
  ] as const)(
    'of many checks with %s the number is shown, and how to see them',
    (outcome, words) => {
      const many = Array.from({ length: 11 }, (_, at) => resultWithOutcome(`hop/${at}`, outcome));
      const text = terminalReport(reportOf(many), false, commands);
      expect(text).toContain(`\n${words}`);
      expect(text).toContain(
        `; to list them: --only 'hop/*', one topic at a time, or --report json=FILE, then npm start -- check show FILE | grep ^${outcome}\n`,
      );
      const ten = terminalReport(reportOf(many.slice(1)), false, commands);
      expect(ten.match(new RegExp(`^${outcome} `, 'gm'))).toHaveLength(10);
    },
  );
});

test('of a flaky check every report says how the runs ended, and what was found', () => {
  const flaky = {
    ...resultWithOutcome('hop/te', 'flaky'),
    found: '404',
    reason: 'fail, then pass',
  };
  const text = reportOf([flaky]);
  const words = 'fail, then pass: 404';
  expect(
    terminalReport(text, false, {
      program: '',
      repeat: () => '',
      request: () => undefined,
    }),
  ).toContain(words);
  expect(markdownReport(text)).toContain(`| \`${words}\` |`);
  expect(junitReport(text)).toContain(`<system-out>${words}</system-out>`);
  expect(showText(stored(text), undefined)).toContain(words);
});

test('junit: one case for each check, markup escaped', () => {
  const text = junitReport(report);
  expect(text).toContain('tests="7" failures="1" errors="1" skipped="2"');
  expect(text.match(/<testcase /g)).toHaveLength(7);
  expect(text).not.toMatch(/<markup>|&(?!#\d+;)/);
});

test('tap: not ok for findings and errors, SKIP for what was not judged', () => {
  const lines = tapReport(report).split('\n');
  expect(lines.slice(0, 2)).toEqual(['TAP version 14', '1..7']);
  expect(lines.filter((line) => line.startsWith('not ok'))).toHaveLength(2);
  expect(lines.filter((line) => line.includes('# SKIP'))).toHaveLength(2);
});

test('markdown: cells do not break', () => {
  const rows = markdownReport(report)
    .split('\n')
    .filter((line) => line.startsWith('| fail'));
  expect(rows).toHaveLength(1);
  expect(rows[0]?.split(/(?<!\\)\|/)).toHaveLength(8);
});

test('the most important findings come first: by level, by risk, by topic', () => {
  const all = [
    { ...failed('quality', 'quality'), risk: 'data-loss' as const },
    failed('security', 'must'),
    { ...resultWithOutcome('framing/loss', 'fail'), risk: 'data-loss' as const },
    { ...resultWithOutcome('truncation/loss', 'fail'), risk: 'data-loss' as const },
    resultWithOutcome('framing/security', 'fail'),
  ];
  const ids = ['truncation/loss', 'framing/loss', 'framing/security', 'hop/security'];
  expect(findingsOf(all, ['must']).map(({ id }) => id)).toEqual(ids);
  const html = htmlReport({ ...reportOf(all), results: all });
  const shown = Array.from(html.matchAll(/<details id="h2\/([^"]+)"/g), ([, id]) => id);
  expect(shown).toEqual([...ids, 'hop/quality']);
});

test('html: findings before all others, those that count first; each with a link to it', () => {
  const text = htmlReport(reportOf([...results, failed('should', 'should')]));
  expect(Array.from(text.matchAll(/<h2>(.*?)<\/h2> (\d+)/g), ([, title]) => title)).toEqual([
    'Findings: must',
    'Findings: should, not counted',
    'flaky',
    'error',
    'differs',
    'blocked',
    'not-applicable',
    'pass',
  ]);
  const ids = Array.from(text.matchAll(/ id="(h2[^"]+)"/g), ([, id]) => id);
  expect(ids).toHaveLength(results.length + 1);
  expect(Array.from(text.matchAll(/ href="#([^"]+)"/g), ([, id]) => id)).toEqual(ids);
});

test('html: no outside request, no markup of the target', () => {
  const text = htmlReport(report);
  expect(text).not.toMatch(/<(?:link|img)|src=|href="[^#]|<markup>/);
  expect(text).toContain("default-src 'none'");
});

test('har: an entry for each piece of evidence of a finding', () => {
  const { log } = JSON.parse(harReport(report)) as {
    readonly log: { readonly entries: readonly unknown[] };
  };
  expect(log.entries).toHaveLength(1);
  expect(log.entries[0]).toMatchObject({
    response: { status: 200 },
    comment: expect.stringContaining('hop/fail') as string,
  });
});
