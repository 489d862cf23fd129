import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../../src/check/check.ts';
import { readReport } from '../../../src/browser/report-read.ts';
import { jsonReport } from '../../../src/check/report/json.ts';
import { reportSchema } from '../../../src/check/report/json-schema.ts';
import { htmlReport } from '../../../src/check/report/html.ts';
import { junitReport, markdownReport } from '../../../src/check/report/markup.ts';
import { bannerOf } from '../../../src/check/report/banner.ts';
import { ownFirst } from '../../../src/check/report/findings.ts';
import { countLines, type Report } from '../../../src/check/report/report.ts';
import { terminalReport } from '../../../src/check/report/terminal.ts';
import type { Result } from '../../../src/check/result.ts';
import { violations } from '../../_schema.ts';
import { textsOf } from '../../browser/_reports.ts';
import { resultWithOutcome } from '../_results.ts';
import { failed, PLAIN, reportOf } from './_report.ts';

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
