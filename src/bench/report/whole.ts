import type { Table } from './cells.ts';
import { costNotes, costTable } from './cost-table.ts';
import { legendLines } from './legend.ts';
import type { Report } from './report.ts';
import { noteLines, tablesOf } from './table.ts';

/** The tables of a report: what was measured, what it is beside the baseline, and what it costs. */
export const allTables = (report: Report): readonly Table[] => [
  ...tablesOf(report),
  ...[costTable(report.rows, report.names) ?? []].flat(),
];

/** Lines below the tables: legends, costs, errors, notes on rows, failed gates, and the verdict. */
export const allNotes = (report: Report): readonly string[] => [
  ...legendLines(report),
  ...costNotes(report.rows, report.names),
  ...noteLines(report),
];
