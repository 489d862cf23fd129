import { SettingsError } from '../../settings/settings-error.ts';
import type { Check } from '../check.ts';
import { objectOf, parseObject, type JsonObject } from '../origin.ts';
import { escaped, escapedLine } from '../escaped.ts';
import { counted } from '../words.ts';

/** The catalogue as a table. */
export function listText(checks: readonly Check[]): string {
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
  return `${lines.join('\n')}\n${counted(checks.length, 'check')}\n`;
}

/** The results in a JSON report. */
export type StoredReport = readonly JsonObject[];

/** @throws SettingsError if the text is no JSON report */
export function storedReport(text: string, path: string): StoredReport {
  const results = parseObject(text)?.['checks'];
  if (!Array.isArray(results))
    throw new SettingsError(`${path} is no JSON report of wirebin check`);
  return results.map(objectOf).filter((result) => result !== undefined);
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A JSON report, or one check of it with its evidence. */
export function showText(results: StoredReport, id: string | undefined): string {
  if (id === undefined) {
    return results
      .map(({ outcome, front, id: name, found, reason }) =>
        [
          escapedLine(textOf(outcome)).padEnd(14),
          escapedLine(textOf(front)).padEnd(8),
          escapedLine(textOf(name)),
          escapedLine([textOf(reason), textOf(found)].filter((each) => each !== '').join(': ')),
        ]
          .join('  ')
          .trimEnd(),
      )
      .concat('')
      .join('\n');
  }
  const shown = results.filter((result) => result['id'] === id);
  if (shown.length === 0) throw new SettingsError(`the report has no check ${id}`);
  return shown.map(oneResult).join('\n');
}

function oneResult(result: JsonObject): string {
  const members = ['outcome', 'level', 'risk', 'section', 'rule', 'expected', 'found', 'reason'];
  const lines = members.flatMap((name) => {
    const value = textOf(result[name]);
    return value === '' ? [] : [`  ${name.padEnd(10)}${escaped(value)}`];
  });
  const isBytes = result['front'] === 'http/1.1';
  const evidence = Array.isArray(result['evidence']) ? result['evidence'] : [];
  const shown = evidence.flatMap((each: unknown) => {
    const { sent, origin, received } = objectOf(each) ?? {};
    return [
      block('sent', sent, isBytes),
      block('received by the origin', origin),
      block('received', received, isBytes),
    ].flat();
  });
  return [
    escapedLine(`${textOf(result['id'])} (${textOf(result['front'])})`),
    ...lines,
    ...shown,
    '',
  ].join('\n');
}

function block(label: string, text: unknown, isBytes = true): string[] {
  if (typeof text !== 'string') return [];
  return text === '' ? ['', `  ${label} nothing`] : ['', `  ${label}`, escaped(text, isBytes)];
}

/** The checks whose outcomes differ between two JSON reports, and how many only one of them has. */
export function diffText(older: StoredReport, newer: StoredReport): string {
  const before = outcomesOf(older);
  const after = outcomesOf(newer);
  const both = [...before.keys()].filter((name) => after.has(name));
  const lines = both
    .filter((name) => before.get(name) !== after.get(name))
    .map((name) => escapedLine(`${name}: ${before.get(name)} -> ${after.get(name)}`));
  if (lines.length === 0) lines.push('no difference');
  const [gone, added] = [before.size - both.length, after.size - both.length];
  if (gone + added > 0)
    lines.push(`not compared: ${gone} only in the old report, ${added} only in the new one`);
  return `${lines.join('\n')}\n`;
}

/** The outcome of each check in a JSON report, by front side and id. */
function outcomesOf(results: StoredReport): Map<string, string> {
  return new Map(
    results.map(({ front, id, outcome }) => [`${textOf(front)} ${textOf(id)}`, textOf(outcome)]),
  );
}
