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
import { ratioElements } from './ratio-chart.ts';
import { tileElements } from './tiles.ts';
import { allNotes, allTables } from './whole.ts';

/** Where a report is shown. */
interface Place {
  /** Level of the headings of rows: 2 for `h2`. */
  readonly heading: number;
  /** Whether the verdict stands above. */
  readonly hasVerdict: boolean;
}

/** Numbers of rows, ratios, tables, notes and charts of a report. */
export function benchElements(report: Report, { heading, hasVerdict }: Place): Element[] {
  const names = namesOf(report);
  const other = report.baseline === null ? 'direct' : names.baseline;
  const notes = allNotes({ ...report, failed_gates: [] });
  const found = foundLines(report.rows, names);
  const titled = (row: ChartRow | DuringView, ...elements: Element[]): Element[] => [
    element(`h${heading}`, {}, `${row.scenario} ${row.protocol}`),
    ...elements,
  ];
  return [
    ...listElement(report.failed_gates, 'bad'),
    ...report.rows.flatMap((row) => {
      const tiles = tileElements(row, names);
      return tiles.length > 0 ? titled(row, ...tiles) : [];
    }),
    ...ratioElements(report.rows, { ...names, baseline: other }),
    ...allTables(report).map((table) => scrolling(table.caption, tableElement(table))),
    ...(found.length > 0 ? [element('pre', {}, found.join('\n'))] : []),
    ...listElement(
      notes.filter((note) => !hasVerdict || note !== report.verdict),
      'notes',
    ),
    ...report.rows.flatMap((row) => {
      const charts = rowElements(row, names);
      const title = element(`h${heading}`, {}, `Charts of ${row.scenario} ${row.protocol}`);
      return charts.length > 0 ? [title, ...charts] : [];
    }),
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
