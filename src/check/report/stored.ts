import { SettingsError } from '../../settings/settings-error.ts';
import { arrayOf, guard, mapSchema, shape, stringOrStrings } from '../../server/schema.ts';
import type { Infer } from '../../server/schema.ts';
import { isVerdict, type Check } from '../check.ts';
import { parseObject } from '../origin.ts';
import type { ProfileName } from '../profile.ts';
import { escapeControls, escapeControlsInLine } from '../escape-controls.ts';
import { FRONTS, isNotAsked, resultKey } from '../front.ts';
import { counted } from '../words.ts';
import { checkSchema } from './json-schema.ts';

/** Checks of a profile as a table. @param inAll how many it would have with those of the other profiles */
export function listText(checks: readonly Check[], profile: ProfileName, inAll: number): string {
  const width = Math.max(...checks.map(({ id }) => id.length));
  const lines = checks.map(({ id, level, risk, section, isDestructive, isSlow }) =>
    [
      id.padEnd(width),
      level.padEnd(7),
      risk.padEnd(9),
      section.padEnd(22),
      isDestructive === true ? 'destructive' : isSlow === true ? 'slow' : '',
    ]
      .join('  ')
      .trimEnd(),
  );
  const others =
    inAll === checks.length ? '' : ` of the profile ${profile}, ${inAll} with those of the others`;
  return `${lines.join('\n')}\n${counted(checks.length, 'check')}${others}\n`;
}

type Result = Infer<typeof checkSchema>;

/** A stored result: members that all results have, and those that only a full report has. */
interface StoredResult
  extends Pick<Result, 'id' | 'front'>, Partial<Omit<Result, 'id' | 'front' | 'outcome'>> {
  /** An outcome; in a file of docs/proxies/ it may be unknown here, if another version wrote it. */
  readonly outcome: string;
}

/** The results in a JSON report. */
export type StoredReport = readonly StoredResult[];

const isReport = guard(shape({ checks: arrayOf(checkSchema) }));

/**
 * Format of docs/proxies/: for each check its outcome, with `: ` and what was found if it is fail or differs. An array
 * has the outcome on HTTP/1.1 (empty if the check has none there), then that on HTTP/2; a string stands for both.
 */
const isRecord = guard(shape({ checks: mapSchema(stringOrStrings()) }));

/** @throws SettingsError if the text is neither a JSON report nor a record */
export function storedReport(text: string, path: string): StoredReport {
  const report = parseObject(text);
  if (isReport(report)) return report.checks;
  if (!isRecord(report)) throw new SettingsError(`${path} is no JSON report of wirebin check`);
  return Object.entries(report.checks).flatMap(([id, verdicts]) =>
    FRONTS.flatMap((front, at) => {
      const verdict = typeof verdicts === 'string' ? verdicts : (verdicts[at] ?? '');
      const [outcome = ''] = verdict.split(': ', 1);
      const found = verdict.slice(outcome.length + 2);
      return outcome === '' ? [] : [{ id, front, outcome, found }];
    }),
  );
}

/** A stored report as text, or one check of it with its evidence. */
export function showText(results: StoredReport, id: string | undefined): string {
  if (id === undefined) return results.map(resultLine).concat('').join('\n');
  const shown = results.filter((result) => result.id === id);
  if (shown.length === 0) throw new SettingsError(`the report has no check ${id}`);
  return shown.map(resultText).join('\n');
}

function resultLine({ outcome, front, id, found, reason }: StoredResult): string {
  const cells = [
    escapeControlsInLine(outcome).padEnd(14),
    front.padEnd(8),
    escapeControlsInLine(id),
    escapeControlsInLine([reason, found].filter(Boolean).join(': ')),
  ];
  return cells.join('  ').trimEnd();
}

const MEMBERS = [
  'outcome',
  'level',
  'risk',
  'section',
  'rule',
  'expected',
  'found',
  'reason',
] as const;

function resultText(result: StoredResult): string {
  const { id, front, evidence = [] } = result;
  const lines = MEMBERS.flatMap((name) => {
    const value = result[name] ?? '';
    return value === '' ? [] : [`  ${name.padEnd(10)}${escapeControls(value)}`];
  });
  const isBytes = front === 'http/1.1';
  const transfers = evidence.flatMap(({ sent, origin, received, meaning = [] }) =>
    [
      block('sent', sent, isBytes),
      origin === undefined ? [] : block('received by the origin', origin),
      block('received', received, isBytes),
      meaning.length === 0 ? [] : block('meaning', meaning.join('\n'), false),
    ].flat(),
  );
  return [escapeControlsInLine(`${id} (${front})`), ...lines, ...transfers, ''].join('\n');
}

function block(label: string, text: string, isBytes = true): string[] {
  return text === ''
    ? ['', `  ${label} nothing`]
    : ['', `  ${label}`, escapeControls(text, isBytes)];
}

/** Two JSON reports, compared. */
export interface ReportDiff {
  readonly text: string;
  /** Whether something has become worse: a check fails or is flaky that was not, or its verdict is lost. */
  readonly isWorse: boolean;
}

/**
 * The checks whose outcomes differ between two JSON reports, and how many could not be compared.
 *
 * @param isAll whether to list all checks that are not applicable in one of the reports, not only those that are worse
 *   now: often many, if only the new one has TLS
 */
export function diffReports(older: StoredReport, newer: StoredReport, isAll = false): ReportDiff {
  const before = byKey(older);
  const after = byKey(newer);
  const pairs = [...before].flatMap(([name, one]) => {
    const other = after.get(name);
    return other ? [{ name, one, other, turn: turnBetween(one, other) }] : [];
  });
  const turned = pairs.filter(({ one, other }) => one.outcome !== other.outcome);
  const shown = turned.filter(
    ({ one, other, turn }) =>
      isAll || turn !== '' || ![one.outcome, other.outcome].includes('not-applicable'),
  );
  const lines = shown.map(({ name, one, other, turn }) => {
    const reason = turn === 'lost' && other.reason !== undefined ? ` (${other.reason})` : '';
    const note = turn === '' ? '' : `, ${turn}`;
    return escapeControlsInLine(`${name}: ${one.outcome} -> ${other.outcome}${reason}${note}`);
  });
  if (turned.length === 0) lines.push('no difference');
  if (turned.length > shown.length)
    lines.push(`not applicable in one of them: ${turned.length - shown.length}, which --all lists`);
  const [gone, added] = [before.size - pairs.length, after.size - pairs.length];
  if (gone + added > 0)
    lines.push(`not compared: ${gone} only in the old report, ${added} only in the new one`);
  return { text: `${lines.join('\n')}\n`, isWorse: turned.some(({ turn }) => turn !== '') };
}

/** How a check has become worse: it fails or is flaky, or it has lost its verdict; empty if it has not. */
function turnBetween(before: StoredResult, after: StoredResult): 'lost' | 'worse' | '' {
  if (after.outcome === 'fail') return 'worse';
  if (isVerdict(after.outcome) || !isVerdict(before.outcome)) return '';
  if (after.outcome === 'flaky') return before.outcome === 'fail' ? '' : 'worse';
  return isNotAsked(after.reason) ? '' : 'lost';
}

const byKey = (results: StoredReport): Map<string, StoredResult> =>
  new Map(results.map((result) => [resultKey(result), result]));

/** The outcome of each check in a JSON report, by front side and id. */
export function outcomesOf(results: StoredReport): Map<string, string> {
  return new Map(results.map((result) => [resultKey(result), result.outcome]));
}
