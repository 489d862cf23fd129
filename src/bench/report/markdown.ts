import { cell, code } from '../../check/report/markup.ts';
import type { Report } from './report.ts';
import { headLines, noteLines, NUMBERS_FROM, tableOf } from './table.ts';

/** A report as Markdown, for a pull request or the summary of a job. */
export function markdownReport(report: Report): string {
  const [head = [], ...rows] = tableOf(report);
  const last = head.length - 1;
  const rule = head.map((_, at) => (at >= NUMBERS_FROM && at < last ? '---:' : '---'));
  return [
    `# wirebin bench ${report.target}`,
    '',
    ...headLines(report).map((text) => `- ${code(text)}`),
    '',
    line(head),
    line(rule),
    ...rows.map((cells) => line(cells.map((text) => (text === '' ? '' : cell(text))))),
    '',
    ...noteLines(report).map((text) => `- ${code(text)}`),
    '',
  ].join('\n');
}

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
