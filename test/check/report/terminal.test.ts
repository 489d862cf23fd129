import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { checks } from '../../../src/check/catalogue/all.ts';
import { QUESTIONS } from '../../../src/check/capabilities.ts';
import { OUTCOMES } from '../../../src/check/check.ts';
import { FRONTS } from '../../../src/check/front.ts';
import { storedReport } from '../../../src/check/report/stored.ts';
import { terminalReport } from '../../../src/check/report/terminal.ts';
import type { Result } from '../../../src/check/result.ts';
import { resultWithOutcome } from '../_results.ts';
import { failed, OUTCOME_RESULTS, PLAIN, reportOf } from './_report.ts';

const report = reportOf(OUTCOME_RESULTS);

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
    expect(lines[1]).toBe('Worst: hop/fail (must, security, h2): another\\r\\nthing');
    expect(text).toContain('http://lb.example offers h2; TLSv1.3, ALPN h2; Server: a proxy');
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
    expect(lines.at(-2)).toContain('Outcomes on h2 in 1.2 s: 1 pass, 1 fail, 1 differs');
    expect(text).not.toContain('hop/differs');
    const all = terminalReport(report, { ...PLAIN, isAll: true }, commands);
    expect(all).toContain('\ndiffers  must  hop/differs  h2\n');
    expect(terminalReport(report, { ...PLAIN, isColored: true }, commands)).toContain('\u001b[31m');
  });

  test.each([80, 120])(
    'on a terminal of %d columns, the first 24 lines have all answers',
    (columns) => {
      const path = new URL('../../../docs/proxies/nginx-1.22/verdicts.json', import.meta.url);
      const results = storedReport(readFileSync(path, 'utf8'), '').flatMap((stored) => {
        const check = checks.find(({ id }) => id === stored.id);
        const outcome = OUTCOMES.find((each) => each === stored.outcome);
        if (!check || !outcome) return [];
        const { id, level } = check;
        const { front, found } = stored;
        return [{ ...resultWithOutcome(id, outcome), level, front, found, reason: 'as recorded' }];
      });
      const run = reportOf(results);
      const whole = { ...run, facts: { ...run.facts, fronts: FRONTS } };
      const text = terminalReport(whole, { ...PLAIN, columns }, commands);
      const first = text.slice(0, text.indexOf('\n\nTarget: ')).split('\n');
      expect(first.length).toBeLessThanOrEqual(24);
      const answers = first.slice(first.indexOf('') + 1);
      expect(answers.filter((line) => line.length > columns)).toEqual([]);
      for (const { name } of QUESTIONS)
        expect(answers.join(' ').replaceAll(/ +/g, ' ')).toContain(name);
      expect(answers.join('\n')).toMatch(
        /^upload streamed +no +(?:on http\/1\.1: )?the origin .*…$/m,
      );
      expect(terminalReport(whole, { ...PLAIN, columns, isSummary: true }, commands)).not.toContain(
        '…',
      );
    },
  );

  test('the same finding on both front sides is shown once, another one by itself', () => {
    const text = terminalReport(
      reportOf([
        { ...failed('a', 'must', 'http/1.1'), reason: 'seen in 3 of 10 requests' },
        { ...failed('a', 'must', 'h2'), reason: 'seen in 4 of 10 requests' },
        failed('b', 'must', 'http/1.1'),
        { ...failed('b', 'must', 'h2'), found: 'x'.repeat(100) },
      ]),
      PLAIN,
      commands,
    );
    expect(text.split('\n').filter((line) => line.startsWith('fail  must'))).toEqual([
      'fail  must  hop/a  http/1.1, h2  seen in 3 of 10 requests on http/1.1, seen in 4 of 10 reques…: another\\r\\nthing (expected: one | thing)',
      'fail  must  hop/b  http/1.1      another\\r\\nthing (expected: one | thing)',
      `fail  must  hop/b  h2            ${'x'.repeat(60)}… (expected: one | thing)`,
    ]);
    expect(text.match(/^ {2}repeat /gm)).toHaveLength(3);
    expect(text.match(/^ {2}reason .*/gm)).toEqual([
      '  reason    seen in 3 of 10 requests on http/1.1, seen in 4 of 10 requests on h2',
    ]);
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

  test('what fields of what stands in front mean: in its first responses, and in the evidence', () => {
    const meaning = ['Cache-Status: The cache "a\u009b": answered from the cache.'];
    const finding = failed('a', 'must', 'http/1.1');
    const shown = finding.evidence.map((each) => ({ ...each, meaning }));
    const plain = reportOf([{ ...finding, evidence: shown }]);
    const facts = { ...plain.facts, meaning };
    const text = terminalReport({ ...plain, facts }, PLAIN, commands);
    const said = String.raw`Cache-Status: The cache "a\x9b": answered from the cache.`;
    expect(text).toContain(`\n${said}\nOrigin: `);
    expect(text).toContain(`\n  meaning   ${said}\n`);
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
