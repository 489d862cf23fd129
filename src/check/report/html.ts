import { createHash } from 'node:crypto';
import { escapeHtml } from '../../pages/page.ts';
import { LEVELS, OUTCOMES, type Outcome } from '../check.ts';
import { escaped, escapedLine } from '../escaped.ts';
import { isKnown } from '../known.ts';
import { resultKey, type Evidence, type Result } from '../result.ts';
import { SCRIPT, STYLE } from './html-assets.ts';
import { byImportance, factLines, recordOf, summaryLine, wordsOf, type Report } from './report.ts';

/** Characters of expected and found in the line of a result. */
const MAX_WORDS = 200;

/** Results under one heading. */
interface Group {
  readonly title: string;
  readonly results: readonly Result[];
  /** Whether the list is shown from the start; of others only the number. */
  readonly isOpen: boolean;
}

/** A report as one HTML file, which requests nothing and can be read without its script. */
export function htmlReport(report: Report): string {
  const { target, results } = report;
  const title = `wirebin check ${escapeHtml(target)}`;
  const facts = factLines(report).map((line) => `<li>${escapeHtml(line)}</li>`);
  const policy = `default-src 'none'; base-uri 'none'; form-action 'none'; style-src ${digest(STYLE)}; script-src ${digest(SCRIPT)}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>${title}</h1>
<ul>${facts.join('')}</ul>
<p><strong>${escapeHtml(summaryLine(report))}</strong></p>
</header>
${filterBar(results)}
<main>
${groupsOf(report).map(groupHtml).join('\n')}
</main>
<script>${SCRIPT}</script>
</body>
</html>
`;
}

/** A source of a Content-Security-Policy: this inline text only. */
const digest = (text: string): string =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** The script shows it: without one, nothing could be filtered. */
function filterBar(results: readonly Result[]): string {
  const select = (name: 'outcome' | 'level' | 'front', all: readonly string[]): string => {
    const options = all
      .filter((value) => results.some((result) => result[name] === value))
      .map((value) => `<option>${value}</option>`);
    return `<select name="${name}" aria-label="${name}"><option value="">${name}: all</option>${options.join('')}</select>`;
  };
  return [
    '<div id="filter" role="search" hidden>',
    select('outcome', OUTCOMES),
    select('level', LEVELS),
    select('front', ['http/1.1', 'h2']),
    '<input type="search" aria-label="words" placeholder="words">',
    '<span role="status"></span></div>',
  ].join('');
}

/** Findings first, by level: those that count before others. Then what has no verdict, and the rest by outcome. */
function groupsOf({ results, findings, known }: Report): Group[] {
  const counting = new Set(findings);
  const withOutcome = (outcome: Outcome): Result[] =>
    byImportance(results.filter((result) => result.outcome === outcome));
  const failed = withOutcome('fail');
  const others = (['flaky', 'error', 'differs', 'blocked', 'not-applicable', 'pass'] as const).map(
    (outcome) => ({
      title: outcome,
      results: withOutcome(outcome),
      isOpen: outcome === 'flaky' || outcome === 'error',
    }),
  );
  const titleOf = (result: Result): string => {
    if (!counting.has(result)) return ', not counted';
    return known && isKnown(result, known) ? `, as recorded of ${recordOf(known)}` : '';
  };
  const titles = new Set(['', ...findings.map(titleOf), ', not counted']);
  const byLevel = Array.from(titles).flatMap((title) =>
    LEVELS.map((level) => ({
      title: `Findings: ${level}${title}`,
      results: failed.filter((result) => result.level === level && titleOf(result) === title),
      isOpen: true,
    })),
  );
  return [...byLevel, ...others].filter((group) => group.results.length > 0);
}

function groupHtml({ title, results, isOpen }: Group): string {
  const entries = results.map(resultHtml).join('\n');
  return `<details class="group"${isOpen ? ' open' : ''}><summary><h2>${title}</h2> ${results.length}</summary>
${entries}
</details>`;
}

function resultHtml(result: Result): string {
  const { outcome, id, front, level, risk, section, rule, expected, found, evidence } = result;
  const key = escapeHtml(resultKey(result).replaceAll(' ', '/'));
  const line = [
    `<b>${outcome}</b>`,
    `<code>${escapeHtml(id)}</code>`,
    `<small>${[front, level, risk].join(' · ')}</small>`,
    `<span>${lineHtml(result)}</span>`,
  ];
  const terms = [
    ['Expected', expected],
    [expected === undefined ? '' : 'Found', found],
    ['', result.reason],
  ].map(([label = '', text]) =>
    text === undefined
      ? ''
      : `<p>${label === '' ? '' : `${label}: `}<code>${escapeHtml(escaped(text))}</code></p>`,
  );
  const bytes = evidence.map((each) => evidenceHtml(each, front === 'http/1.1'));
  return `<details id="${key}" class="${outcome}" data-outcome="${outcome}" data-level="${level}" data-front="${front}">
<summary>${line.join(' ')}</summary>
<p>${escapeHtml(rule)} (${escapeHtml(section)}) <a href="#${encodeURI(key)}">Link to this result</a></p>
${terms.join('')}${bytes.join('')}</details>`;
}

function lineHtml(result: Result): string {
  const { expected } = result;
  const words = expected === undefined ? '' : ` (expected: ${shortened(expected)})`;
  return escapeHtml(`${shortened(wordsOf(result))}${words}`);
}

function shortened(text: string): string {
  const line = escapedLine(text);
  return line.length <= MAX_WORDS ? line : `${line.slice(0, MAX_WORDS)}…`;
}

function evidenceHtml({ sent, origin, received }: Evidence, isBytes: boolean): string {
  const blocks = [
    ['Sent', escaped(sent, isBytes)],
    ['Received by the origin', origin === undefined ? undefined : escaped(origin)],
    ['Received', escaped(received, isBytes)],
  ];
  return blocks
    .map(([label, text]) =>
      text === undefined
        ? ''
        : `<h3>${label}</h3><pre tabindex="0" role="group" aria-label="${label}">${escapeHtml(text)}</pre>`,
    )
    .join('');
}
