import { expect, test } from 'vitest';
import { checks } from '../../../src/check/catalogue/all.ts';
import { PRODUCTS, type Known } from '../../../src/check/known.ts';
import { PRODUCTS_WITH_DIRECTIVES, type Remedy } from '../../../src/check/remedy.ts';
import { htmlReport } from '../../../src/check/report/html.ts';
import { jsonReport } from '../../../src/check/report/json.ts';
import { reportSchema } from '../../../src/check/report/json-schema.ts';
import { markdownReport } from '../../../src/check/report/markup.ts';
import { terminalReport } from '../../../src/check/report/terminal.ts';
import type { Report } from '../../../src/check/report/report.ts';
import type { Result } from '../../../src/check/result.ts';
import { violations } from '../../_schema.ts';
import { resultWithOutcome } from '../_results.ts';
import { PLAIN, reportOf } from './_report.ts';

const remedy: Remedy = {
  advice: 'Remove TE.',
  directives: {
    nginx: [['location', 'proxy_set_header TE "";']],
    apache: [['', 'RequestHeader unset TE']],
  },
};

const finding: Result = { ...resultWithOutcome('hop/te', 'fail'), remedy };

const knownAs = (product: string, findings: readonly string[]): Known => ({
  product,
  version: '1.22.1',
  isDetected: true,
  findings: new Set(findings),
  capabilities: new Map(),
  later: { version: '1.30.6', passes: new Set(['hop/later']) },
  others: [],
});

const shown = (report: Report): string =>
  terminalReport(report, PLAIN, { program: '', repeat: () => '', request: () => undefined });

const remediesIn = (report: Report): unknown => {
  const view = JSON.parse(jsonReport(report)) as {
    readonly checks: { readonly remedy?: unknown }[];
  };
  expect(violations(reportSchema, view)).toEqual([]);
  return view.checks.map((each) => each.remedy);
};

test('of a product that is not known, a finding has the sentence only', () => {
  const report = reportOf([finding]);
  expect(shown(report)).toMatch(/^ {2}to do {5}Remove TE\.\n {2}repeat/m);
  expect(markdownReport(report)).toContain(' To do: `Remove TE.`.\n');
  expect(remediesIn(report)).toEqual([{ advice: 'Remove TE.', directives: [] }]);
});

test('of a product that is known, it has the directives of this product', () => {
  const report = { ...reportOf([finding]), known: knownAs('nginx', []) };
  const line = 'nginx, in location: proxy_set_header TE "";';
  expect(shown(report)).toContain(`  to do     Remove TE.\n            ${line}\n`);
  expect(markdownReport(report)).toContain(` To do: \`Remove TE.\`; \`${line}\`.\n`);
  expect(htmlReport(report)).toContain(
    '<p><b>What to do: </b>Remove TE.</p><p>nginx, in location</p><pre>proxy_set_header TE',
  );
  expect(remediesIn(report)).toEqual([
    {
      advice: 'Remove TE.',
      directives: [{ product: 'nginx', place: 'location', lines: ['proxy_set_header TE "";'] }],
    },
  ]);
});

test('findings without details have what to do below them, each once, and which version passes', () => {
  const other = { ...finding, id: 'hop/other' as const };
  const later = resultWithOutcome('hop/later', 'fail');
  const all = [finding, other, { ...finding, front: 'http/1.1' as const }, later];
  const known = knownAs(
    'apache',
    all.map(({ front, id }) => `${front} ${id}`),
  );
  const report = { ...reportOf(all), known };
  expect(shown(report)).toContain(`
What to do about them:
  hop/te, hop/other
    Remove TE.
    apache: RequestHeader unset TE
  hop/later
    apache 1.30.6 passes.
`);
  expect(remediesIn(report)).toContainEqual({ directives: [], passes_in: 'apache 1.30.6' });
});

test('what passes has no remedy', () => {
  expect(remediesIn(reportOf([{ ...finding, outcome: 'pass' }]))).toEqual([undefined]);
});

test('each product with directives has a recorded report', () => {
  expect(PRODUCTS).toEqual(expect.arrayContaining([...PRODUCTS_WITH_DIRECTIVES]));
});

test('an advice is one sentence', () => {
  const sentences = checks.flatMap((each) => each.remedy?.advice ?? []);
  expect(sentences.length).toBeGreaterThan(30);
  for (const text of sentences) expect(text).toMatch(/^[A-Z].{5,120}\.$/);
});
