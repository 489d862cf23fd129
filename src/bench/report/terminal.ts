import { styleText } from 'node:util';
import { escapeControlsInLine } from '../../check/escape-controls.ts';
import type { Table } from './cells.ts';
import { duringParagraphs } from './during.ts';
import { rateParagraphs } from './rates-text.ts';
import type { Report } from './report.ts';
import { hasErrors, headLines, isInvalidRow } from './table.ts';
import { textLines } from './text-lines.ts';
import { allNotes, allTables } from './whole.ts';

/** The report for a terminal. @param isColored whether invalid rows, rows with errors and failed gates are red */
export function terminalReport(report: Report, isColored: boolean): string {
  const red = (line: string): string =>
    isColored ? styleText('red', line, { validateStream: false }) : line;
  const [table, ...others] = allTables(report).map(tableLines);
  return `${[
    ...headLines(report).map(escapeControlsInLine),
    '',
    // The first line is the table head.
    ...(table ?? []).map((line, at) => {
      const row = report.rows[at - 1];
      return row && (hasErrors(row) || isInvalidRow(row)) ? red(line) : line;
    }),
    ...(table ? [''] : []),
    ...others.flatMap((lines) => lines.concat('')),
    ...[...rateParagraphs(report), ...duringParagraphs(report.during ?? [])].flatMap((lines) =>
      lines.map(escapeControlsInLine).concat(''),
    ),
    ...allNotes(report)
      .map(escapeControlsInLine)
      .map((line) => (line.startsWith('missed: ') ? red(line) : line)),
  ].join('\n')}\n`;
}

const tableLines = ({ head, rows, isNumeric }: Table): string[] =>
  textLines(
    [head, ...rows].map((cells) => cells.map(escapeControlsInLine)),
    isNumeric,
  );
