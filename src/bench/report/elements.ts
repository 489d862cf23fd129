import {
  element,
  listElement,
  scrolling,
  tableElement,
  type Element,
} from '../../pages/element.ts';
import type { DuringView } from '../during/schema.ts';
import { chartElements, duringElement, type ChartRow } from './charts.ts';
import { duringNotes, duringTable } from './during.ts';
import { foundLines, namesOf, sweepParagraphs, type SideNames } from './rates-text.ts';
import type { Report } from './report.ts';
import { allNotes, allTables } from './whole.ts';

/** Tables, notes and charts of a report. @param heading level of the headings of rows: 2 for `h2` */
export function benchElements(report: Report, heading: number): Element[] {
  const names = namesOf(report);
  const found = foundLines(report.rows, names);
  const titled = (row: ChartRow | DuringView, ...elements: Element[]): Element[] => [
    element(`h${heading}`, {}, `${row.scenario} ${row.protocol}`),
    ...elements,
  ];
  return [
    ...listElement(report.failed_gates, 'bad'),
    ...allTables(report).map((table) => scrolling(table.caption, tableElement(table))),
    ...(found.length > 0 ? [element('pre', {}, found.join('\n'))] : []),
    ...listElement(allNotes({ ...report, failed_gates: [] }), 'notes'),
    ...report.rows.flatMap((row) => titled(row, ...rowElements(row, names))),
    ...(report.during ?? []).flatMap((view) => titled(view, ...duringElements(view))),
  ];
}

function rowElements(row: ChartRow, names: SideNames): Element[] {
  // The table and the plot are in the charts.
  const knees = sweepParagraphs(row, names).at(-1) ?? [];
  return [...listElement(knees, 'knees'), ...chartElements(row, names)];
}

function duringElements(view: DuringView): Element[] {
  const table = duringTable(view);
  return [
    scrolling(table.caption, tableElement(table)),
    ...listElement(duringNotes(view), 'notes'),
    duringElement(view),
  ];
}
