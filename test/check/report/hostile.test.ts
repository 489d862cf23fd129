import { expect, test } from 'vitest';
import { githubAnnotations } from '../../../src/check/report/github.ts';
import { harReport } from '../../../src/check/report/har.ts';
import { jsonReport } from '../../../src/check/report/json.ts';
import type { CheckReport } from '../../../src/check/report/json-schema.ts';
import { htmlReport } from '../../../src/check/report/html.ts';
import { junitReport, markdownReport, tapReport } from '../../../src/check/report/markup.ts';
import type { Report } from '../../../src/check/report/report.ts';
import { diffReports, showText, storedReport } from '../../../src/check/report/stored.ts';
import { terminalReport, traceText } from '../../../src/check/report/terminal.ts';
import type { Result } from '../../../src/check/result.ts';
import { resultWithOutcome } from '../_results.ts';
import { reportOf } from './_report.ts';
import { streams } from '../../_streams.ts';

/** What a target may send to bend a report: each kind of report has a part of it with a meaning. */
const HOSTILE = [
  'A\u001b[2J\u009b31m\u0000\u007f\u0085\r\n',
  '::error file=a::hostile\n  ::stop-commands::a\n##[error]hostile\n',
  'not ok 99 - hostile\nBail out! # SKIP\n  ...\n',
  '<script>alert(1)</script>]]>&lt;![a](http://a)[b](http://b) @team `|` ``x`` --><!--\n| a | b |\n# Head\n',
  '\u202ebidi\u2028\u2029\ud800\ufffe\\',
].join('');

function hostile(outcome: Result['outcome']): Result {
  const evidence = {
    sent: `GET //[${HOSTILE} HTTP/1.1\r\n\r\n`,
    origin: HOSTILE,
    received: HOSTILE,
    status: 200,
    fields: [[HOSTILE, HOSTILE]] as const,
    meaning: [HOSTILE],
    ending: 'complete' as const,
  };
  const words = { expected: HOSTILE, found: HOSTILE, reason: HOSTILE, evidence: [evidence] };
  return { ...resultWithOutcome(`hop/${outcome}`, outcome), ...words };
}

const OUTCOMES = ['fail', 'error', 'flaky', 'differs', 'not-applicable', 'blocked'] as const;
const plain = reportOf(
  OUTCOMES.flatMap((outcome) => [
    hostile(outcome),
    { ...hostile(outcome), front: 'http/1.1' as const },
  ]),
);
const [[, origin] = []] = plain.facts.origins;
if (!origin) throw new Error('the report has no origin');
const report: Report = {
  ...plain,
  gaps: [{ kind: 'lost', id: 'hop/te', front: 'h2', reason: HOSTILE }],
  facts: {
    ...plain.facts,
    server: HOSTILE,
    via: HOSTILE,
    meaning: [HOSTILE],
    wirebin: HOSTILE,
    origins: new Map([['h2', { ...origin, protocol: HOSTILE }]]),
  },
};

const [frames, bytes] = storedReport(jsonReport(report), 'report.json');
if (!frames || !bytes) throw new Error('the report has no results');
const stored = [
  { ...frames, id: HOSTILE },
  { ...bytes, id: HOSTILE },
];

test.each(['front', 'outcome', 'evidence'])('a stored report with another %s is none', (name) => {
  const view = JSON.parse(jsonReport(report)) as CheckReport;
  const [first] = view.checks;
  const text = JSON.stringify({ ...view, checks: [{ ...first, [name]: HOSTILE }] });
  expect(() => storedReport(text, 'report.json')).toThrow('report.json is no JSON report');
});

function annotations(): string {
  let text = '';
  githubAnnotations(report, streams({ out: (piece) => void (text += piece) }));
  return text;
}

const transfer = {
  sent: HOSTILE,
  received: HOSTILE,
  interim: [],
  response: undefined,
  ending: 'closed' as const,
  firstByte: undefined,
  duration: 1,
  isReusable: false,
};
const RULE = {
  id: 'hop/te',
  section: 'RFC 9110',
  rule: 'A rule.',
  level: 'must',
  risk: 'interop',
  observes: 'echo',
  run: () => Promise.reject(new Error('not run')),
} as const;

const PLAIN = { isColored: false, isTerminal: true, isAll: true };

const texts: Readonly<Record<string, string>> = {
  terminal: terminalReport(report, PLAIN, {
    program: 'wirebin',
    repeat: () => 'repeat',
    request: () => undefined,
  }),
  trace: traceText({ check: RULE, front: 'http/1.1' }, [transfer]),
  'trace of h2': traceText({ check: RULE, front: 'h2' }, [transfer]),
  show: showText(stored, undefined),
  'show of one check': showText(stored, HOSTILE),
  diff: diffReports(stored, []).text,
  'diff of one check': diffReports(stored, [{ ...frames, id: HOSTILE, outcome: 'pass' }]).text,
  json: jsonReport(report),
  junit: junitReport(report),
  tap: tapReport(report),
  markdown: markdownReport(report),
  html: htmlReport(report),
  har: harReport(report),
  github: annotations(),
};

test.each(Object.entries(texts))('no control or invisible character: %s', (_name, text) => {
  const found = /[^\P{C}\n]|[\u2028\u2029]/u.exec(text);
  expect(found && JSON.stringify(text.slice(found.index - 20, found.index + 5))).toBeNull();
});

test.each(Object.entries(texts).filter(([name]) => !/github|json|har/.test(name)))(
  'no workflow command of GitHub: %s',
  (_name, text) => {
    const lines = text.split('\n').filter((line) => /^\s*::.*::|##\[/.test(line));
    expect(lines).toEqual([]);
  },
);

test('annotations are one line for each finding', () => {
  const lines = annotations().trimEnd().split('\n');
  expect(lines).toHaveLength(report.findings.length + report.gaps.length);
  for (const line of lines)
    expect(line).toMatch(/^::error title=hop\/(?:fail|flaky|te) \((?:h2|http\/1\.1|lost)\)::/);
});

test('JSON and HAR keep the bytes', () => {
  const view = JSON.parse(jsonReport(report)) as CheckReport;
  expect(view.checks[0]?.found).toBe(HOSTILE);
  const { log } = JSON.parse(harReport(report)) as {
    readonly log: { readonly entries: readonly { readonly request: { readonly url: string } }[] };
  };
  expect(log.entries).toHaveLength(report.findings.length);
  expect(new Set(log.entries.map(({ request }) => new URL(request.url).host))).toEqual(
    new Set(['lb.example']),
  );
});

test('tap: one line for each check, and only values of their own between them', () => {
  const lines = tapReport(report).split('\n');
  expect(lines.filter((line) => /^(?:not )?ok /.test(line))).toHaveLength(
    report.results.length + report.gaps.length,
  );
  expect(
    lines.filter((line) => !/^(?:TAP|1\.\.|ok|not ok| {2}(?:---|\.\.\.|\w+: "))/.test(line)),
  ).toEqual(['']);
});

test('markdown: what the target has sent is code, and no row or list item breaks', () => {
  const text = markdownReport(report);
  // A code span ends with as many backticks as it begins with (CommonMark 6.1).
  const outside = text.replaceAll(/(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)/g, '');
  expect(outside).not.toMatch(/<script|<!--|\]\(|@team|# Head|hostile/);
  const tables = text.split('\n\n').filter((part) => part.startsWith('|'));
  const widths = tables.map((table) =>
    table
      .trimEnd()
      .split('\n')
      .map((row) => row.split(/(?<!\\)\|/).length),
  );
  expect(widths.map((each) => Array.from(new Set(each)).join())).toEqual(['5', '8']);
});

test('html: no element of the target', () => {
  expect(htmlReport(report).replace(/<script.*<\/script>\n<\/body>/s, '')).not.toMatch(
    /<script|<!--|\[a\]\(http[^<]*<a/,
  );
  expect(junitReport(report)).not.toMatch(/<script|<!--|\]\]>/);
});

test('any number of backticks can be shown in Markdown', () => {
  const result = { ...hostile('fail'), found: '` '.repeat(200_000) };
  expect(markdownReport(reportOf([result]))).toContain('hop/fail');
});
