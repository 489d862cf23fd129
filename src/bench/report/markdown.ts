import { escapeControlsInLine } from '../../check/escape-controls.ts';
import { cell, code } from '../../check/report/markup.ts';
import type { Table } from './cells.ts';
import { duringParagraphs } from './during.ts';
import { rateParagraphs } from './rates-text.ts';
import type { Report } from './report.ts';
import { headLines } from './table.ts';
import { allNotes, allTables } from './whole.ts';

/** A report as Markdown, for a pull request or the summary of a job. */
export function markdownReport(report: Report): string {
  const paragraphs = [...rateParagraphs(report), ...duringParagraphs(report.during ?? [])];
  const lines = paragraphs.flatMap((each) => each.concat(''));
  return [
    `# wirebin bench ${report.target}`,
    '',
    ...headLines(report).map((text) => `- ${code(text)}`),
    '',
    ...allTables(report).flatMap(tableLines),
    ...(lines.length > 0 ? codeBlock(lines) : []),
    ...allNotes(report).map((text) => `- ${code(text)}`),
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

/** Lines as they are, with a fence that they do not have. */
const codeBlock = (lines: readonly string[]): string[] => [
  '```text',
  ...lines.map(escapeControlsInLine).slice(0, -1),
  '```',
  '',
];

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
