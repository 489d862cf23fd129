import { expect, test } from 'vitest';
import { OUTCOMES } from '../../../src/check/check.ts';
import { readReport } from '../../../src/browser/report-read.ts';
import { jsonReport } from '../../../src/check/report/json.ts';
import { reportSchema } from '../../../src/check/report/json-schema.ts';
import { htmlReport } from '../../../src/check/report/html.ts';
import { junitReport, markdownReport, tapReport } from '../../../src/check/report/markup.ts';
import { bannerOf } from '../../../src/check/report/banner.ts';
import { findingsOf } from '../../../src/check/report/findings.ts';
import { notTriedLine } from '../../../src/check/report/not-tried.ts';
import { countLines, findingCounts, summaryText } from '../../../src/check/report/report.ts';
import { terminalReport } from '../../../src/check/report/terminal.ts';
import { countOutcomes } from '../../../src/check/report/outcomes.ts';
import type { Result } from '../../../src/check/result.ts';
import { violations } from '../../_schema.ts';
import { resultWithOutcome } from '../_results.ts';
import { failed, OUTCOME_RESULTS, PLAIN, reportOf } from './_report.ts';

test('outcomes are counted, and only findings of the levels count', () => {
  expect(countOutcomes(OUTCOME_RESULTS)).toEqual(
    Object.fromEntries(OUTCOMES.map((each) => [each, 1])),
  );
  expect(findingsOf(OUTCOME_RESULTS, ['must']).map(({ id }) => id)).toEqual(['hop/fail']);
  expect(findingsOf(OUTCOME_RESULTS, ['should'])).toEqual([]);
});

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
    'Outcomes on h2 in 1.2 s: 5 fail',
    '2 more of level should or quality, which count with --fail-on must,lost,should,quality',
  ]);
  const left = { ...all, isInterrupted: true, findings: all.findings.slice(2) };
  expect(bannerOf(left).text).toBe('INTERRUPTED: 1 must finding');
  expect(countLines(left)[1]).toBe('1 finding known by the baseline');
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
  expect(notTriedLine([without('the origin runs without --websocket-deflate')])).toBe(
    'Not tried: 1 (1 must) without wirebin --websocket-deflate at the origin',
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
    ...OUTCOME_RESULTS,
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
  for (const each of findingCounts(all)) expect(html).toContain(`<li>${each}</li>`);
  // The coloured counts say it.
  expect(html).not.toContain('Outcomes on');
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
