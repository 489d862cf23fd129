import { styleText } from 'node:util';
import { OUTCOMES, TOPICS, type Outcome } from '../check.ts';
import type { FrontName } from '../front.ts';
import type { Transfer } from '../message.ts';
import type { Planned, Result } from '../result.ts';
import { countOutcomes, escaped, factLines, summaryLine, type Report } from './report.ts';

type Style = Parameters<typeof styleText>[0];

const STYLES: Readonly<Record<Outcome, Style>> = {
  pass: 'green',
  fail: 'red',
  differs: 'yellow',
  'not-applicable': 'gray',
  blocked: 'gray',
  flaky: 'magenta',
  error: 'magenta',
};

/** Lines of evidence that are shown of each direction. */
const MAX_LINES = 20;

/**
 * The report for people.
 *
 * @param isColored whether the terminal shows colors; NO_COLOR turns them off
 * @param repeat the command that repeats one check
 */
export function terminalReport(
  report: Report,
  isColored: boolean,
  repeat: (result: Result) => string,
): string {
  const style = (name: Style, text: string): string =>
    isColored ? styleText(name, text, { validateStream: false }) : text;
  const lines = [
    ...factLines(report),
    '',
    ...table(report.results, style),
    '',
    ...report.findings.flatMap((finding) => [...findingLines(finding, style, repeat), '']),
    ...report.results
      .filter(({ outcome }) => outcome === 'flaky' || outcome === 'error')
      .map(
        ({ front, id, outcome, reason }) =>
          `${style(STYLES[outcome], outcome)}  ${front} ${id}: ${reason ?? ''}`,
      ),
    summaryLine(report),
  ];
  return `${lines.join('\n')}\n`;
}

/** A row for each topic: how many of each outcome. */
function table(results: readonly Result[], style: (name: Style, text: string) => string): string[] {
  const shown = OUTCOMES.filter((outcome) => results.some((result) => result.outcome === outcome));
  const widths = shown.map((outcome) => Math.max(outcome.length, 4));
  const topics = TOPICS.filter((topic) => results.some(({ id }) => id.startsWith(`${topic}/`)));
  const width = Math.max(...['topic', ...topics].map(({ length }) => length));
  const head = [
    'topic'.padEnd(width),
    ...shown.map((outcome, at) => outcome.padStart(widths[at] ?? 0)),
  ];
  const rows = topics.map((topic) => {
    const counts = countOutcomes(results.filter(({ id }) => id.startsWith(`${topic}/`)));
    const cells = shown.map((outcome, at) => {
      const text = (counts[outcome] === 0 ? '' : String(counts[outcome])).padStart(widths[at] ?? 0);
      return counts[outcome] === 0 ? text : style(STYLES[outcome], text);
    });
    return `${topic.padEnd(width)}  ${cells.join('  ')}`;
  });
  return [head.join('  '), ...rows];
}

function findingLines(
  finding: Result,
  style: (name: Style, text: string) => string,
  repeat: (result: Result) => string,
): string[] {
  const { id, front, level, risk, section, rule, expected, found, evidence } = finding;
  return [
    `${style('red', 'fail')}  ${style('bold', id)}  (${front}, ${level}, ${risk}, ${section})`,
    `  rule      ${rule}`,
    ...labelled('expected', expected ?? '', front),
    ...labelled('found', found ?? '', front),
    ...evidence.flatMap(({ sent, received }) =>
      labelled('sent', sent, front).concat(labelled('received', received, front)),
    ),
    `  repeat    ${repeat(finding)}`,
  ];
}

function labelled(label: string, text: string, front: FrontName, max = MAX_LINES): string[] {
  const lines = escaped(text, front === 'http/1.1')
    .trimEnd()
    .split('\n');
  const shown = lines.slice(0, max);
  const more = lines.length > max ? [`${' '.repeat(12)}… ${lines.length - max} lines more`] : [];
  return [...shown.map((line, at) => `  ${(at === 0 ? label : '').padEnd(10)}${line}`), ...more];
}

/** All that a check has sent and received. */
export function traceText({ check, front }: Planned, transfers: readonly Transfer[]): string {
  const lines = transfers.flatMap(({ sent, received, ending }) => [
    ...labelled('sent', sent, front, Infinity),
    ...labelled('received', received, front, Infinity),
    `  ending    ${ending}`,
  ]);
  return `${[`${check.id}  (${front})`, ...lines, ''].join('\n')}\n`;
}
