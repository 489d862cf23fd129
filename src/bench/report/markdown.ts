import { cell, code } from '../../check/report/markup.ts';
import type { Table } from './cells.ts';
import type { Report } from './report.ts';
import { headLines, noteLines, tablesOf } from './table.ts';

/** A report as Markdown, for a pull request or the summary of a job. */
export function markdownReport(report: Report): string {
  return [
    `# wirebin bench ${report.target}`,
    '',
    ...headLines(report).map((text) => `- ${code(text)}`),
    '',
    ...tablesOf(report).flatMap(tableLines),
    ...noteLines(report).map((text) => `- ${code(text)}`),
    '',
  ].join('\n');
}

function tableLines({ head, rows, isNumeric }: Table): string[] {
  return [
    line(head),
    line(head.map((_, column) => (isNumeric(column) ? '---:' : '---'))),
    ...rows.map((cells) => line(cells.map((text) => (text === '' ? '' : cell(text))))),
    '',
  ];
}

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
