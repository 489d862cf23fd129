import { escapeHtml } from '../../pages/page.ts';
import { gapText } from '../gaps.ts';
import { knownAs } from '../known.ts';
import type { Result } from '../result.ts';
import { escapeControls, escapeControlsInLine } from '../escape-controls.ts';
import { resultText } from '../words.ts';
import { remedyLines } from './remedy-words.ts';
import { capabilitiesIn } from './shown-capabilities.ts';
import { shownRemedy } from './shown-remedy.ts';
import { capabilityText } from './capability-lines.ts';
import { countOutcomes } from './outcomes.ts';
import { bannerOf } from './banner.ts';
import { countLines, endLines, factLines, type Report } from './report.ts';

/** A report in the format of JUnit, as CI systems read it: a finding is a failure, and so is a gap that counts. */
export function junitReport(report: Report): string {
  const { results, findings, gaps, duration, target, stopped } = report;
  const counts = countOutcomes(results);
  const skipped = counts['not-applicable'] + counts.blocked;
  const cases = results.map((result) => {
    const name = `name="${escapeHtml(result.id)}" classname="${escapeHtml(`${result.front}.${result.id.split('/')[0]}`)}"`;
    const time = `time="${(result.duration / 1000).toFixed(3)}"`;
    return `    <testcase ${name} ${time}>${caseContent(result, findings.includes(result))}</testcase>`;
  });
  const gapCases = gaps.map((gap) => {
    const message = escapeHtml(escapeControls(gapText(gap)));
    return `    <testcase name="${escapeHtml(gap.id)}" classname="${gap.kind}"><failure message="${message}"/></testcase>`;
  });
  const attributes = `tests="${results.length + gaps.length}" failures="${findings.length + gaps.length}" errors="${counts.error}" skipped="${skipped}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${attributes} time="${(duration / 1000).toFixed(3)}">`,
    `  <testsuite name="wirebin check ${escapeHtml(target)}" ${attributes}>`,
    '    <properties>',
    ...capabilitiesIn(report).map((each) => {
      const value = escapeHtml(capabilityText(each));
      return `      <property name="capability.${each.id}" value="${value}"/>`;
    }),
    '    </properties>',
    ...cases,
    ...gapCases,
    `    <system-out>${escapeHtml(escapeControlsInLine([bannerOf(report).text, ...factLines(report)].join('; ')))}</system-out>`,
    ...(stopped === undefined
      ? []
      : [`    <system-err>${escapeHtml(escapeControlsInLine(stopped))}</system-err>`]),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function caseContent(result: Result, isFinding: boolean): string {
  const { outcome, expected, found, rule, section } = result;
  // XML 1.0 allows no control characters except tab and line ends.
  const text = escapeHtml(
    escapeControls(`${rule} (${section})\nexpected: ${expected ?? ''}\nfound: ${found ?? ''}`),
  );
  const message = escapeHtml(escapeControls(resultText(result)));
  if (isFinding) return `<failure message="${message}">${text}</failure>`;
  switch (outcome) {
    case 'fail':
      return `<system-out>${text}</system-out>`;
    case 'error':
      return `<error message="${message}"/>`;
    case 'not-applicable':
    case 'blocked':
      return `<skipped message="${message}"/>`;
    case 'pass':
    case 'differs':
    case 'flaky':
      return message === '' ? '' : `<system-out>${message}</system-out>`;
  }
}

/** A report in the Test Anything Protocol, version 14. */
export function tapReport({ results, findings, gaps, stopped }: Report): string {
  const lines = results.flatMap((result, at) => {
    const { outcome, id, front, reason, found } = result;
    const isSkipped = outcome === 'not-applicable' || outcome === 'blocked';
    const state = findings.includes(result) || outcome === 'error' ? 'not ok' : 'ok';
    const directive = isSkipped ? ` # SKIP ${escapeControlsInLine(reason ?? outcome)}` : '';
    const line = `${state} ${at + 1} - ${id} (${front})${directive}`;
    if (state === 'ok') return [line];
    const values = { outcome, expected: result.expected, found: found ?? reason };
    return [
      line,
      '  ---',
      ...Object.entries(values).map(
        ([name, value]) => `  ${name}: ${JSON.stringify(escapeControlsInLine(value ?? ''))}`,
      ),
      '  ...',
    ];
  });
  const end = stopped === undefined ? [] : [`Bail out! ${escapeControlsInLine(stopped)}`];
  const gapLines = gaps.map(
    (gap, at) => `not ok ${results.length + at + 1} - ${escapeControlsInLine(gapText(gap))}`,
  );
  const count = results.length + gaps.length;
  return ['TAP version 14', `1..${count}`, ...lines, ...gapLines, ...end, ''].join('\n');
}

/** A report as Markdown, for a pull request or the summary of a job. */
export function markdownReport(report: Report): string {
  const rows = report.results
    .filter(({ outcome }) => outcome !== 'pass' && outcome !== 'not-applicable')
    .map(
      (result) =>
        `| ${result.outcome} | \`${result.id}\` | ${result.front} | ${result.level} | ${result.section} | ${cell(resultText(result))} |`,
    );
  const { known } = report;
  const findings = report.findings.map((finding) => {
    const { id, front, rule, section, expected, found } = finding;
    const record = knownAs(finding, known);
    const apart = record === '' ? '' : `, as recorded of ${record}`;
    const remedy = shownRemedy(finding, known);
    const toDo = remedy ? ` To do: ${remedyLines(remedy).map(code).join('; ')}.` : '';
    return `- **${id}** (${front}, ${section}${apart}): ${rule} Expected: ${code(expected ?? '')}. Found: ${code(found ?? '')}.${toDo}`;
  });
  return [
    `# wirebin check ${report.target}`,
    '',
    `**${bannerOf(report).text}**`,
    '',
    ...[...factLines(report), ...endLines(report), ...countLines(report)].map(
      (line) => `- ${codeSpan(line)}`,
    ),
    '',
    '| Capability | Answer | As seen |',
    '| --- | --- | --- |',
    ...capabilitiesIn(report).map((each) => {
      const recorded = each.recorded === undefined ? '' : ` (${each.recorded})`;
      return `| ${each.name} | **${each.answer}** | ${cell(each.words)}${recorded} |`;
    }),
    '',
    ...[...findings, ...report.gaps.map((gap) => `- ${code(gapText(gap))}`)].concat(
      findings.length + report.gaps.length > 0 ? [''] : [],
    ),
    '| Outcome | Check | Front | Level | Source | Found |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

/** Text from the target as a code span, so that Markdown makes no link, image or mention of it. */
export const code = (text: string): string => codeSpan(escapeControlsInLine(text));

/** A code span ends with as many backticks as it begins with (CommonMark 6.1). */
function codeSpan(line: string): string {
  if (line === '') return '';
  let longest = 0;
  for (const [ticks] of line.matchAll(/`+/g)) longest = Math.max(longest, ticks.length);
  const fence = '`'.repeat(longest + 1);
  return longest === 0 ? `${fence}${line}${fence}` : `${fence} ${line} ${fence}`;
}

/** As `code()`, for a table, where `|` ends a cell even in a code span. */
export const cell = (text: string): string => code(text).replaceAll('|', String.raw`\|`);
