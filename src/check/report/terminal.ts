import { styleText } from 'node:util';
import type { Outcome, Standing } from '../check.ts';
import type { FrontName } from '../front.ts';
import { gapText } from '../gaps.ts';
import type { Answer } from '../capability.ts';
import { isKnown, knownAs, type Known } from '../known.ts';
import type { Transfer } from '../message.ts';
import type { Evidence, Planned, Result } from '../result.ts';
import { escapeControls, escapeControlsInLine } from '../escape-controls.ts';
import { aligned } from './aligned.ts';
import { remedyLines } from './remedy-words.ts';
import { capabilitiesIn } from './shown-capabilities.ts';
import { shownRemedy } from './shown-remedy.ts';
import { capabilityLines } from './capability-lines.ts';
import { changeOf } from './change.ts';
import { difference } from './difference.ts';
import { cutLine, evidenceLines } from './evidence.ts';
import { outcomesByTopic } from './outcomes.ts';
import { resultText } from '../words.ts';
import { resultOfRow, rowsOf } from './rows.ts';
import { bannerOf } from './banner.ts';
import { countLines, endLines, factLines, worstLine, type Report } from './report.ts';

type Style = Parameters<typeof styleText>[0];

const BANNER_STYLES: Readonly<Record<Standing, 'green' | 'red' | 'yellow'>> = {
  pass: 'green',
  fail: 'red',
  incomplete: 'yellow',
  stopped: 'yellow',
  interrupted: 'yellow',
};

const STYLES: Readonly<Record<Outcome, Style>> = {
  pass: 'green',
  fail: 'red',
  differs: 'yellow',
  'not-applicable': 'gray',
  blocked: 'gray',
  flaky: 'magenta',
  error: 'magenta',
};

const ANSWER_STYLES: Readonly<Record<Answer, Style>> = {
  yes: 'bold',
  no: 'bold',
  partly: 'yellow',
  'not seen': 'gray',
};

/** Characters of `expected` and `found` that a list shows on a terminal. A log has them whole. */
const MAX_WORDS = 60;
/** Up to so many blocked checks are listed without --all. */
const MAX_BLOCKED = 10;

/** Shown for an empty or missing value. */
const NOTHING = '(nothing)';

/** Results of one check with the same verdict, on one or both front sides. */
interface Merged {
  readonly result: Result;
  readonly fronts: string;
}

/** How the report is shown. */
export interface View {
  readonly isColored: boolean;
  /** Whether long texts in lists are cut. */
  readonly isTerminal: boolean;
  /** Characters of a line of the terminal; undefined if there is none. */
  readonly columns?: number | undefined;
  /** Whether all that differs or is blocked is listed. */
  readonly isAll: boolean;
  /** Whether only the result in a line and what the target does are shown. */
  readonly isSummary?: boolean;
}

type Styled = (name: Style, text: string) => string;

/** Commands that the report suggests. */
export interface Commands {
  /** How to call wirebin. */
  readonly program: string;
  /** The command that repeats one check. */
  readonly repeat: (result: Result) => string;
  /** A command of another program that sends the same request; undefined if there is none. */
  readonly request: (result: Result) => string | undefined;
}

/** The report for a terminal, or a log. */
export function terminalReport(
  report: Report,
  { isColored, isTerminal, columns, isAll, isSummary }: View,
  commands: Commands,
): string {
  const style: Styled = (name, text) =>
    isColored ? styleText(name, text, { validateStream: false }) : text;
  const most = isTerminal ? MAX_WORDS : Infinity;
  const { known } = report;
  const findings = merged(report.findings.filter((each) => !isKnown(each, known)));
  const withOutcome = (...outcomes: readonly Outcome[]): Merged[] =>
    merged(
      report.results.filter(
        (result) => outcomes.includes(result.outcome) && !report.findings.includes(result),
      ),
    );
  const blocked = withOutcome('blocked');
  const banner = bannerOf(report);
  const bannerLine = style(['bold', BANNER_STYLES[banner.standing]], banner.text);
  const capabilities = capabilityLines(
    capabilitiesIn(report),
    (answer, text) => style(ANSWER_STYLES[answer], text),
    isSummary ? undefined : columns,
  );
  const first = [bannerLine, ...[worstLine(report) ?? []].flat(), '', ...capabilities];
  if (isSummary) return `${first.join('\n')}\n`;
  const lines = [
    ...first,
    '',
    ...factLines(report),
    '',
    ...rowLines([...findings, ...withOutcome('flaky', 'error')], style, most),
    ...report.gaps.map((gap) => escapeControlsInLine(gapText(gap))),
    ...(report.gaps.length > 0 ? [''] : []),
    ...recordedLines(report, style, most),
    ...table(report.results, style),
    '',
    ...findings.flatMap((finding) => findingLines(finding, style, commands, known)),
    ...(isAll ? rowLines(withOutcome('differs'), style, most) : []),
    ...(isAll || blocked.length <= MAX_BLOCKED ? rowLines(blocked, style, most) : []),
    ...endLines(report),
    ...countLines(report),
    bannerLine,
  ];
  return `${lines.join('\n')}\n`;
}

/** The findings that recorded reports have, too, by these reports. */
function recordedLines({ findings, known }: Report, style: Styled, most: number): string[] {
  const records = new Set(findings.map((finding) => knownAs(finding, known)));
  records.delete('');
  return Array.from(records).flatMap((record) => {
    const own = findings.filter((finding) => knownAs(finding, known) === record);
    const head = `As in the recorded report of ${record}; --known none shows the bytes:`;
    return [head].concat(rowLines(merged(own), style, most), toDoLines(own, known));
  });
}

/** What to do about findings whose details are not shown, each once. */
function toDoLines(findings: readonly Result[], known: Known | undefined): string[] {
  const ids = new Map<string, Set<string>>();
  for (const finding of findings) {
    const remedy = shownRemedy(finding, known);
    if (!remedy) continue;
    const text = remedyLines(remedy).join('\n');
    ids.set(text, (ids.get(text) ?? new Set()).add(finding.id));
  }
  if (ids.size === 0) return [];
  const lines = Array.from(ids, ([text, own]) => [
    `  ${[...own].join(', ')}`,
    ...text.split('\n').map((line) => `    ${line}`),
  ]);
  return ['What to do about them:', ...lines.flat(), ''];
}

function merged(results: readonly Result[]): Merged[] {
  return rowsOf(results).map((row) => ({
    result: resultOfRow(row),
    fronts: row.map(({ front }) => front).join(', '),
  }));
}

/**
 * A line for each row: outcome, level, id, front sides, what was found, and what was expected.
 *
 * @param most characters of each of these two, and of the reason
 */
function rowLines(rows: readonly Merged[], style: Styled, most: number): string[] {
  if (rows.length === 0) return [];
  const cells = rows.map(({ result, fronts }) => {
    const { outcome, level, id, expected, found, reason } = result;
    const words = resultText({
      reason: reason && shortText(reason, most),
      found: found === undefined ? undefined : shortText(found || NOTHING, most),
    });
    const rule =
      expected === undefined ? '' : ` (expected: ${shortText(expected || NOTHING, most)})`;
    return [outcome, level, id, fronts, `${words}${rule}`];
  });
  const lines = aligned(cells, () => false).map(([first = '', ...others], at) => {
    const outcome = rows[at]?.result.outcome;
    const shown = outcome === undefined ? first : style(STYLES[outcome], first);
    return [shown, ...others].join('  ').trimEnd();
  });
  return [...lines, ''];
}

/** Text in one line, of at most so many characters. */
function shortText(text: string, most: number): string {
  const line = escapeControlsInLine(text);
  return line.length <= most ? line : `${line.slice(0, most)}…`;
}

/** A table with a row for each topic: the number of results for each outcome. */
function table(results: readonly Result[], style: Styled): string[] {
  const { outcomes, rows } = outcomesByTopic(results);
  const [head = [], ...lines] = aligned([['topic', ...outcomes], ...rows], (column) => column > 0);
  return [
    head.join('  '),
    ...lines.map(([topic = '', ...counts]) => {
      const cells = counts.map((text, at) => {
        const outcome = outcomes[at];
        return outcome === undefined || text.trim() === '' ? text : style(STYLES[outcome], text);
      });
      return [topic, ...cells].join('  ');
    }),
  ];
}

function findingLines(
  { result, fronts }: Merged,
  style: Styled,
  { repeat, request }: Commands,
  known: Known | undefined,
): string[] {
  const remedy = shownRemedy(result, known);
  const { id, front, level, risk, section, rule, expected, found, reason, evidence } = result;
  return [
    `${style('red', 'fail')}  ${style('bold', id)}  (${fronts}, ${level}, ${risk}, ${section})`,
    `  rule      ${rule}`,
    ...labelled('expected', allLines(expected || NOTHING, front)),
    ...labelled('found', allLines(found || NOTHING, front)),
    ...labelled('', differenceMark(expected ?? '', found ?? '')),
    ...labelled('reason', reason === undefined ? [] : [escapeControlsInLine(reason)]),
    ...evidence.flatMap((each) => evidenceText(each, front, style)),
    ...labelled('to do', remedy ? remedyLines(remedy) : []),
    `  repeat    ${repeat(result)}`,
    ...labelled('request', [request(result) ?? []].flat()),
    '',
  ];
}

function evidenceText(
  { sent, origin, received, meaning }: Evidence,
  front: FrontName,
  style: Styled,
): string[] {
  return [
    ...labelled('sent', evidenceLines(sent, front)),
    ...(origin === undefined ? [] : originLines(sent, origin, front, style)),
    ...labelled('received', evidenceLines(received, front)),
    ...labelled('meaning', meaning.map(escapeControlsInLine)),
  ];
}

/** What the origin received, as a diff: `+` marks a line that was not sent, `-` one that did not arrive. */
function originLines(sent: string, origin: string, front: FrontName, style: Styled): string[] {
  const { isSent, missing } = changeOf(sent, origin, front) ?? { isSent: [], missing: [] };
  const lines = [
    ...evidenceLines(origin, 'http/1.1').map((line, at) =>
      isSent[at] === false ? style('green', `+ ${line}`) : `  ${line}`,
    ),
    ...missing.map((line) => style('red', `- ${cutLine(escapeControls(line))}`)),
  ];
  return labelled('origin', lines, LABEL_WIDTH - 2);
}

/** A line that marks, below two mostly equal texts, where they differ; none for others. */
function differenceMark(expected: string, found: string): string[] {
  const [one, other] = [escapeControls(expected), escapeControls(found)];
  const [start, , middle, end] = difference(one, other);
  const same = start.length + end.length;
  const isMostlySame = start !== '' && 2 * same >= Math.max(one.length, other.length);
  if (!isMostlySame || other.includes('\n')) return [];
  return [' '.repeat(start.length) + '^'.repeat(Math.max(1, middle.length))];
}

const allLines = (text: string, front: FrontName): readonly string[] =>
  escapeControls(text, front === 'http/1.1')
    .trimEnd()
    .split('\n');

const LABEL_WIDTH = 10;

function labelled(label: string, lines: readonly string[], width = LABEL_WIDTH): string[] {
  return lines.map((line, at) => `  ${(at === 0 ? label : '').padEnd(width)}${line}`);
}

/** All that a check has sent and received. */
export function traceText({ check, front }: Planned, transfers: readonly Transfer[]): string {
  const lines = transfers.flatMap(({ sent, received, ending }) => [
    ...labelled('sent', allLines(sent, front)),
    ...labelled('received', allLines(received, front)),
    `  ending    ${ending}`,
  ]);
  return `${[`${check.id}  (${front})`, ...lines, ''].join('\n')}\n`;
}
