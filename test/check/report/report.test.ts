import { describe, expect, test } from 'vitest';
import { harReport } from '../../../src/check/report/har.ts';
import { jsonReport } from '../../../src/check/report/json.ts';
import { reportSchema } from '../../../src/check/report/json-schema.ts';
import { htmlReport } from '../../../src/check/report/html.ts';
import { junitReport, markdownReport, tapReport } from '../../../src/check/report/markup.ts';
import { escapeControls } from '../../../src/check/escape-controls.ts';
import { findingsOf } from '../../../src/check/report/findings.ts';
import { type Report } from '../../../src/check/report/report.ts';
import { diffReports, showText, storedReport } from '../../../src/check/report/stored.ts';
import { terminalReport } from '../../../src/check/report/terminal.ts';
import { countOutcomes } from '../../../src/check/report/outcomes.ts';
import { violations } from '../../_schema.ts';
import { resultWithOutcome } from '../_results.ts';
import { failed, OUTCOME_RESULTS, PLAIN, reportOf } from './_report.ts';

const report = reportOf(OUTCOME_RESULTS);

/** A comparison of two reports, of which the newer is worse, with one line. */
const worse = (line: string) => ({ text: `${line}\n`, isWorse: true });

const stored = (each: Report) => storedReport(jsonReport(each), 'report.json');

test('bytes are shown with their line ends and controls', () => {
  expect(escapeControls('a\r\nb\nc\r\0é\\\n')).toBe(
    'a\\r\\n\nb\\n\nc\\r\\x00\\xe9\\\\\\n\n'.replace('\\r\\x00', '\\x0d\\x00'),
  );
  expect(escapeControls('a\nb', false)).toBe('a\nb');
});

describe('json', () => {
  const view = JSON.parse(jsonReport(report)) as Record<string, unknown>;

  test('is as its schema says', () => {
    expect(violations(reportSchema, view)).toEqual([]);
    expect(view['summary']).toEqual(countOutcomes(OUTCOME_RESULTS));
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
    expect(showText(text, undefined).split('\n')).toHaveLength(OUTCOME_RESULTS.length + 1);
    expect(showText(text, 'hop/fail')).toContain('GET / HTTP/1.1');
    expect(() => showText(text, 'hop/none')).toThrow('no check hop/none');
    expect(() => storedReport('{}', 'a.json')).toThrow('a.json is no JSON report');
    const other = reportOf([resultWithOutcome('hop/pass', 'fail'), ...OUTCOME_RESULTS.slice(1)]);
    const same = { text: 'no difference\n', isWorse: false };
    expect(diffReports(text, text)).toEqual(same);
    expect(diffReports(text, stored(other))).toEqual(worse('h2 hop/pass: pass -> fail, worse'));
    const noGrpc = { ...resultWithOutcome('hop/pass', 'not-applicable'), reason: 'no gRPC' };
    const lost = stored(reportOf([noGrpc, ...OUTCOME_RESULTS.slice(1)]));
    expect(diffReports(text, lost)).toEqual(
      worse('h2 hop/pass: pass -> not-applicable (no gRPC), lost'),
    );
    const asked = { ...noGrpc, reason: 'not run without --destructive' };
    expect(diffReports(text, stored(reportOf([asked, ...OUTCOME_RESULTS.slice(1)])))).toEqual({
      text: 'not applicable in one of them: 1, which --all lists\n',
      isWorse: false,
    });
    expect(diffReports(lost, text, true).text).toBe('h2 hop/pass: not-applicable -> pass\n');
    expect(diffReports(lost, stored(other))).toEqual(
      worse('h2 hop/pass: not-applicable -> fail, worse'),
    );
    const flaky = reportOf([resultWithOutcome('hop/pass', 'flaky'), ...OUTCOME_RESULTS.slice(1)]);
    expect(diffReports(text, stored(flaky)).isWorse).toBe(true);
    expect(diffReports(stored(other), stored(flaky)).isWorse).toBe(false);
    const part = stored(reportOf(OUTCOME_RESULTS.slice(2)));
    expect(diffReports(text, part).text).toBe(
      'no difference\nnot compared: 2 only in the old report, 0 only in the new one\n',
    );
    expect(diffReports(part, stored(other)).text.split('\n')[1]).toBe(
      'not compared: 0 only in the old report, 2 only in the new one',
    );
  });
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
  const text = htmlReport(reportOf([...OUTCOME_RESULTS, failed('should', 'should')]));
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
  expect(ids).toHaveLength(OUTCOME_RESULTS.length + 1);
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
