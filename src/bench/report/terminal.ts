import { styleText } from 'node:util';
import { escapedLine } from '../../check/escaped.ts';
import { aligned } from '../../check/report/aligned.ts';
import type { Report } from './report.ts';
import { hasErrors, headLines, isInvalidRow, noteLines, NUMBERS_FROM, tableOf } from './table.ts';

/** The report for a terminal. @param isColored whether invalid rows, rows with errors and failed gates are red */
export function terminalReport(report: Report, isColored: boolean): string {
  const red = (line: string): string =>
    isColored ? styleText('red', line, { validateStream: false }) : line;
  const cells = tableOf(report);
  const last = (cells[0]?.length ?? 0) - 1;
  const lines = aligned(cells, (column) => column >= NUMBERS_FROM && column < last).map((row) =>
    row.join('  ').trimEnd(),
  );
  return `${[
    ...headLines(report).map(escapedLine),
    '',
    // The first line is the table head.
    ...lines.map((line, at) => {
      const row = report.rows[at - 1];
      return row && (hasErrors(row) || isInvalidRow(row)) ? red(line) : line;
    }),
    '',
    ...noteLines(report)
      .map(escapedLine)
      .map((line) => (line.startsWith('missed: ') ? red(line) : line)),
  ].join('\n')}\n`;
}
