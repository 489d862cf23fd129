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
import { bannerOf } from '../../../src/check/report/banner.ts';
import { findingsOf, ownFirst } from '../../../src/check/report/findings.ts';
import { notTriedLine } from '../../../src/check/report/not-tried.ts';
import { countLines, summaryText, type Report } from '../../../src/check/report/report.ts';
import { diffReports, showText, storedReport } from '../../../src/check/report/stored.ts';
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

/** A comparison of two reports, of which the newer is worse, with one line. */
const worse = (line: string) => ({ text: `${line}\n`, isWorse: true });

const stored = (each: Report) => storedReport(jsonReport(each), 'report.json');

test('outcomes are counted, and only findings of the levels count', () => {
  expect(countOutcomes(results)).toEqual(Object.fromEntries(outcomes.map((each) => [each, 1])));
  expect(findingsOf(results, ['must']).map(({ id }) => id)).toEqual(['hop/fail']);
  expect(findingsOf(results, ['should'])).toEqual([]);
});

/** A terminal without colors. */
const PLAIN = { isColored: false, isTerminal: true, isAll: false };

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
  expect(bannerOf(all).text).toBe('FAIL: 2 must findings');
  expect(countLines(all)).toEqual([
    'Outcomes: 5 fail (1.2 s)',
    '2 more of level should or quality, which count with --fail-on must,lost,should,quality',
  ]);
  const left = { ...all, isInterrupted: true, findings: all.findings.slice(2) };
  expect(bannerOf(left).text).toBe('INTERRUPTED: 1 must finding');
  expect(countLines(left)[1]).toBe('2 findings known by the baseline');
  const should = reportOf([failed('c', 'should')]);
  expect(bannerOf(should).text).toBe('PASS: no finding of level must');
  expect(countLines(should)[1]).toBe('1 more of level should, which counts with --strict');
});

/** A result without a verdict, for a reason. */
const without = (reason: string): Result => ({
  ...resultWithOutcome('origin/nul', 'not-applicable'),
  reason,
});

test('a run without a finding is incomplete if checks that must be judged were not', () => {
  const raw = without('the origin runs without --allow-raw');
  expect(bannerOf(reportOf([raw]))).toEqual({
    standing: 'incomplete',
    text: 'INCOMPLETE: no finding of level must, 1 must check not judged',
  });
  // Judged on the other front side.
  const judged = { ...resultWithOutcome('origin/nul', 'pass'), front: 'http/1.1' as const };
  expect(bannerOf(reportOf([raw, judged])).standing).toBe('pass');
  const blocked = resultWithOutcome('hop/te', 'blocked');
  expect(bannerOf(reportOf([blocked])).standing).toBe('incomplete');
  expect(bannerOf(reportOf([{ ...blocked, level: 'quality' }])).standing).toBe('pass');
  const asked = without('not run without --destructive');
  const target = without('the target does not reuse responses');
  expect(bannerOf(reportOf([asked, target])).standing).toBe('pass');
  expect(notTriedLine([raw, raw, asked, { ...asked, level: 'info' }, target])).toBe(
    'Not tried: 2 (2 must) without wirebin --allow-raw at the origin; 2 (1 must) without --destructive',
  );
  expect(notTriedLine([target])).toBeUndefined();
  expect(jsonReport(reportOf([raw]))).toContain('"means": "wirebin --allow-raw at the origin"');
});

test('a must check that failed in some runs only is a finding; with flaky, all unsteady ones are', () => {
  const unsteady = { ...failed('a', 'must'), outcome: 'flaky' as const };
  const other = { ...resultWithOutcome('hop/b', 'flaky'), level: 'quality' as const };
  const fact = { ...resultWithOutcome('hop/c', 'flaky'), level: 'info' as const };
  const all = [unsteady, other, fact];
  expect(findingsOf(all, ['must', 'lost'])).toEqual([unsteady]);
  expect(findingsOf(all, ['should', 'flaky'])).toEqual([unsteady, other]);
  const failOn = ['should', 'flaky'] as const;
  const counted = { ...reportOf(all), failOn, findings: findingsOf(all, failOn) };
  expect(bannerOf(counted).text).toBe('FAIL: no finding of level should, 2 flaky');
  expect(junitReport(reportOf(all))).toContain('tests="3" failures="1"');
});

test('a gap counts in every format', () => {
  const gap = { kind: 'lost', id: 'grpc/unary', front: 'h2', reason: 'not-applicable' } as const;
  const required = { kind: 'required', id: 'hop/te', front: undefined, reason: 'blocked' } as const;
  const all = { ...reportOf([resultWithOutcome('hop/te', 'blocked')]), gaps: [gap, required] };
  const words = 'lost: h2 grpc/unary has no verdict: not-applicable';
  expect(bannerOf(all)).toEqual({
    standing: 'fail',
    text: 'FAIL: no finding of level must, 1 check lost since the baseline, 1 check required without a verdict, 1 must check not judged',
  });
  const commands = { program: '', repeat: () => '', request: () => undefined };
  expect(terminalReport(all, PLAIN, commands)).toContain(`\n${words}\n`);
  expect(markdownReport(all)).toContain(`- \`${words}\``);
  expect(junitReport(all)).toContain('tests="3" failures="2" errors="0" skipped="1"');
  expect(junitReport(all)).toContain(`classname="lost"><failure message="${words}"/>`);
  expect(tapReport(all)).toContain(`\nnot ok 2 - ${words}\n`);
  expect(tapReport(all)).toContain('\n1..3\n');
  const view: unknown = JSON.parse(jsonReport(all));
  expect(violations(reportSchema, view)).toEqual([]);
  expect(view).toMatchObject({
    standing: 'fail',
    gaps: [gap, { kind: 'required', id: 'hop/te', reason: 'blocked' }],
  });
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
  const { text } = bannerOf(all);
  expect(text).toBe('FAIL: 2 must findings, 2 must checks not judged');
  const commands = { program: '', repeat: () => '', request: () => undefined };
  const lines = terminalReport(all, PLAIN, commands).trimEnd().split('\n');
  expect([lines[0], lines.at(-1)]).toEqual([text, text]);
  expect(lines.slice(-3, -1)).toEqual(countLines(all).slice(1));
  const line = summaryText(all);
  expect(line).toContain(
    '1 finding known by the baseline. 1 more of level should, which counts with --strict',
  );
  expect(markdownReport(all)).toContain(`**${text}**`);
  const html = htmlReport(all);
  expect(html).toContain(`<strong>${text}</strong>`);
  for (const each of countLines(all)) expect(html).toContain(`<li>${each}</li>`);
  const json = jsonReport(all);
  expect(JSON.parse(json)).toMatchObject({
    summary_text: line,
    banner: text,
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
    capabilities: new Map(),
    others: [],
  };
  const apart = { ...counted, known, findings: ownFirst(counted.findings, known) };
  expect(countLines(apart)).toContain('1 of 2 findings as recorded of nginx 1.22.1');
  const own = apart.findings.filter(({ id }) => id === 'hop/own');
  const accepting = { ...apart, findings: own, acceptsKnown: true };
  expect(countLines(accepting)).toContain('1 finding accepted, as recorded of nginx 1.22.1');
  const text = terminalReport(apart, PLAIN, {
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
    expect(diffReports(kept, storedReport(JSON.stringify(other), 'verdicts.json'))).toEqual({
      text: 'h2 hop/te: fail -> pass\n',
      isWorse: false,
    });
  });

  test('is shown again, whole or one check, and compared', () => {
    const text = stored(report);
    expect(showText(text, undefined).split('\n')).toHaveLength(results.length + 1);
    expect(showText(text, 'hop/fail')).toContain('GET / HTTP/1.1');
    expect(() => showText(text, 'hop/none')).toThrow('no check hop/none');
    expect(() => storedReport('{}', 'a.json')).toThrow('a.json is no JSON report');
    const other = reportOf([resultWithOutcome('hop/pass', 'fail'), ...results.slice(1)]);
    const same = { text: 'no difference\n', isWorse: false };
    expect(diffReports(text, text)).toEqual(same);
    expect(diffReports(text, stored(other))).toEqual(worse('h2 hop/pass: pass -> fail, worse'));
    const noGrpc = { ...resultWithOutcome('hop/pass', 'not-applicable'), reason: 'no gRPC' };
    const lost = stored(reportOf([noGrpc, ...results.slice(1)]));
    expect(diffReports(text, lost)).toEqual(
      worse('h2 hop/pass: pass -> not-applicable (no gRPC), lost'),
    );
    const asked = { ...noGrpc, reason: 'not run without --destructive' };
    expect(diffReports(text, stored(reportOf([asked, ...results.slice(1)])))).toEqual({
      text: 'not applicable in one of them: 1, which --all lists\n',
      isWorse: false,
    });
    expect(diffReports(lost, text, true).text).toBe('h2 hop/pass: not-applicable -> pass\n');
    expect(diffReports(lost, stored(other))).toEqual(
      worse('h2 hop/pass: not-applicable -> fail, worse'),
    );
    const flaky = reportOf([resultWithOutcome('hop/pass', 'flaky'), ...results.slice(1)]);
    expect(diffReports(text, stored(flaky)).isWorse).toBe(true);
    expect(diffReports(stored(other), stored(flaky)).isWorse).toBe(false);
    const part = stored(reportOf(results.slice(2)));
    expect(diffReports(text, part).text).toBe(
      'no difference\nnot compared: 2 only in the old report, 0 only in the new one\n',
    );
    expect(diffReports(part, stored(other)).text.split('\n')[1]).toBe(
      'not compared: 0 only in the old report, 2 only in the new one',
    );
  });
});

const on = (id: Result['id'], outcome: Outcome, found?: string): Result => ({
  ...resultWithOutcome(id, outcome),
  found,
});

const capability = (name: string, answer: string, more: string): string =>
  `${name.padEnd(32)}  ${answer.padEnd(8)}  ${more}`;

const nginx = {
  product: 'nginx',
  version: '1.22.1',
  isDetected: true,
  findings: new Set<string>(),
  capabilities: new Map([
    ['request-trailers', 'no'],
    ['response-trailers', 'no'],
  ] as const),
  others: [],
};

describe('what the target does', () => {
  const run = reportOf([
    on('trailer/request', 'differs', 'dropped'),
    on('trailer/response', 'pass'),
    on('retry/get-503', 'differs', '2 attempts, 200'),
    on('retry/get-close', 'pass', '1 attempt, 502'),
    on('retry/get-reset', 'pass', '1 attempt, 502'),
    on('limit/field', 'pass', `about 8000 bytes, then 400${' a'.repeat(60)}`),
  ]);
  const words = 'yes after 503: 2 attempts, 200; no after close, after reset';
  const commands = { program: '', repeat: () => '', request: () => undefined };
  const view = { isColored: false, isTerminal: true, isAll: false };
  const summary = (shown: Report, isColored = false): string =>
    terminalReport(shown, { ...view, isColored, isSummary: true }, commands);

  test('is a block of lines of at most 100 characters, those not seen by their reasons', () => {
    const text = summary(run);
    const lines = text.split('\n');
    expect(lines.slice(0, 6)).toEqual([
      bannerOf(run).text,
      '',
      capability('connections to the origin reused', 'yes', 'shared by clients'),
      capability('HTTP/2 to the origin', 'no', 'http/1.1'),
      capability('GET retried', 'partly', words.slice(0, words.lastIndexOf(' '))),
      capability('', '', 'reset'),
    ]);
    expect(lines).toContain(capability('request trailers', 'no', 'dropped'));
    expect(text).toContain(capability('', 'not seen', 'POST retried; 1xx responses;'));
    expect(text.replaceAll(/\s+/g, ' ')).toContain('client address passed (not selected)');
    expect(lines.filter(({ length }) => length > 100)).toEqual([]);
    expect(summary(run, true)).toContain('\u001b[33mpartly');
    expect(terminalReport(run, view, commands)).toContain(lines.slice(2).join('\n'));
  });

  test('is in each format', () => {
    expect(JSON.parse(jsonReport(run))).toMatchObject({
      capabilities: expect.arrayContaining([
        { id: 'get-retried', name: 'GET retried', answer: 'partly', words },
      ]) as unknown,
    });
    expect(markdownReport(run)).toContain(`| GET retried | **partly** | \`${words}\` |`);
    expect(junitReport(run)).toContain(
      `<property name="capability.get-retried" value="partly: ${words}"/>`,
    );
    expect(htmlReport(run)).toContain(
      '<th scope="row">GET retried</th><td><b class="partly">partly</b></td>',
    );
  });

  test('stands beside what the record of the product has', () => {
    const text = summary({ ...run, known: nginx });
    const same = 'dropped (as recorded of nginx 1.22.1)';
    expect(text).toContain(capability('request trailers', 'no', same));
    expect(text).toContain(
      capability('response trailers', 'yes', '(recorded of nginx 1.22.1: no)'),
    );
    const chain = { ...nginx, others: [{ ...nginx, product: 'varnish', version: '7.1.1' }] };
    expect(summary({ ...run, known: chain }).replaceAll(/\s+/g, ' ')).toContain(
      'dropped (as recorded of nginx 1.22.1; as recorded of varnish 7.1.1)',
    );
  });
});

test('in a chain, a finding is named after each product whose record has it', () => {
  const counted = reportOf([on('hop/a', 'fail'), on('hop/b', 'fail'), on('hop/c', 'fail')]);
  const known = {
    ...nginx,
    findings: new Set(['h2 hop/a', 'h2 hop/b']),
    others: [
      {
        ...nginx,
        product: 'varnish',
        version: '7.1.1',
        findings: new Set(['h2 hop/b', 'h2 hop/c']),
      },
    ],
  };
  const chain = { ...counted, known };
  const records = ['nginx 1.22.1', 'nginx 1.22.1 and varnish 7.1.1', 'varnish 7.1.1'];
  const text = terminalReport(
    chain,
    { isColored: false, isTerminal: true, isAll: false },
    { program: '', repeat: () => '', request: () => undefined },
  );
  expect(text).toContain(
    'Product: nginx and varnish, by Server or Via; what their recorded reports',
  );
  for (const record of records) {
    expect(text).toContain(`As in the recorded report of ${record};`);
    expect(countLines(chain)).toContain(`1 of 3 findings as recorded of ${record}`);
  }
  expect(markdownReport(chain)).toContain(`as recorded of ${records[1]})`);
  const json = jsonReport(chain);
  expect(JSON.parse(json)).toMatchObject({
    known: {
      product: 'nginx',
      others: [{ product: 'varnish', findings: ['h2 hop/b', 'h2 hop/c'] }],
    },
  });
  for (const elements of [htmlReport(chain), JSON.stringify(readReport(json).elements)]) {
    expect(elements).toContain('as recorded of varnish 7.1.1');
  }
});

test('html: one row for both front sides, RFC sections are links, the result comes first', () => {
  const html = htmlReport(
    reportOf([failed('a', 'must'), failed('a', 'must', 'http/1.1'), failed('b', 'must')]),
  );
  expect(html).toContain('data-front="h2 http/1.1"');
  expect(html).toContain('<span id="http/1.1/hop/a" class="anchor">');
  expect(html.match(/aria-label="Sent on (?:h2|http\/1\.1)"/g)).toHaveLength(2);
  expect(html).toContain('href="https://www.rfc-editor.org/rfc/rfc9110.html#section-7.6.1"');
  expect(html).toMatch(/<h1>.*<\/h1>\n<p class="banner fail"><strong>FAIL: 2 must findings/);
  expect(html).toContain('<li class="fail"><b>3</b> fail</li>');
  expect(html).toContain('<rect class="fail" x="0.00" width="100.00" height="1">');
});

describe('terminal', () => {
  const commands = {
    program: 'npm start --',
    repeat: ({ id }: Result) => `repeat ${id}`,
    request: ({ id }: Result) => (id === 'hop/a' ? 'curl a' : undefined),
  };

  test('facts, list, table, findings with what repeats them, what differs, summary', () => {
    const text = terminalReport(report, PLAIN, commands);
    const lines = text.trimEnd().split('\n');
    const banner = 'FAIL: 1 must finding, 2 must checks not judged';
    expect([lines[0], lines.at(-1)]).toEqual([banner, banner]);
    expect(lines[2]).toContain('http://lb.example offers h2; TLSv1.3, ALPN h2; Server: a proxy');
    const list = lines.findIndex((line) => line.startsWith('fail '));
    expect(lines.slice(list, list + 4)).toEqual([
      'fail   must  hop/fail   h2  another\\r\\nthing (expected: one | thing)',
      'flaky  must  hop/flaky  h2',
      'error  must  hop/error  h2  refused',
      '',
    ]);
    expect(text).toContain('repeat hop/fail');
    expect(text).not.toContain('\u001b');
    expect(lines.at(-4)).toBe('blocked  must  hop/blocked  h2');
    expect(lines.at(-2)).toContain('Outcomes: 1 pass, 1 fail, 1 differs');
    expect(text).not.toContain('hop/differs');
    const all = terminalReport(report, { ...PLAIN, isAll: true }, commands);
    expect(all).toContain('\ndiffers  must  hop/differs  h2\n');
    expect(terminalReport(report, { ...PLAIN, isColored: true }, commands)).toContain('\u001b[31m');
  });

  test('the same finding on both front sides is shown once, another one by itself', () => {
    const text = terminalReport(
      reportOf([
        failed('a', 'must', 'http/1.1'),
        failed('a', 'must', 'h2'),
        failed('b', 'must', 'http/1.1'),
        { ...failed('b', 'must', 'h2'), found: 'x'.repeat(100) },
      ]),
      PLAIN,
      commands,
    );
    expect(text.split('\n').filter((line) => line.startsWith('fail  must'))).toEqual([
      'fail  must  hop/a  http/1.1, h2  another\\r\\nthing (expected: one | thing)',
      'fail  must  hop/b  http/1.1      another\\r\\nthing (expected: one | thing)',
      `fail  must  hop/b  h2            ${'x'.repeat(60)}… (expected: one | thing)`,
    ]);
    expect(text.match(/^ {2}repeat /gm)).toHaveLength(3);
    expect(text).toContain('fail  hop/a  (http/1.1, h2, must,');
    expect(text).toContain('\nFAIL: 2 must findings\n');
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
      PLAIN,
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

  test('a log has long texts whole, and of many blocked checks only --all lists each', () => {
    const long = reportOf([{ ...failed('b', 'must', 'h2'), found: 'x'.repeat(100) }]);
    const log = { ...PLAIN, isTerminal: false };
    expect(terminalReport(long, log, commands)).toContain(`${'x'.repeat(100)} (expected: `);
    const many = Array.from({ length: 11 }, (_, at) => resultWithOutcome(`hop/${at}`, 'blocked'));
    expect(terminalReport(reportOf(many), PLAIN, commands)).not.toMatch(/^blocked /m);
    const all = terminalReport(reportOf(many), { ...PLAIN, isAll: true }, commands);
    expect(all.match(/^blocked /gm)).toHaveLength(11);
  });
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
    terminalReport(text, PLAIN, {
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
  expect(text).not.toMatch(
    /<(?:link|img)|src=|href="(?!#|https:\/\/www\.rfc-editor\.org\/rfc\/rfc9110\.html#)|<markup>/,
  );
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
