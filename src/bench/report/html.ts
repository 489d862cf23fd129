import { htmlPage } from '../../check/report/html-page.ts';
import { STYLE } from '../../check/report/html-style.ts';
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
import { headLines } from './table.ts';
import { allNotes, allTables } from './whole.ts';

const CHART_STYLE = `
figure { margin: 1rem 0 1.5rem }
figcaption { font-weight: 600 }
h2 { display: block; margin-top: 1.5rem }
.legend { display: flex; flex-wrap: wrap; gap: 0 1rem; font-size: .875em }
.plot { height: 16.25rem; padding: .5rem 1rem 2rem 4rem }
.plot text { fill: var(--soft); font-size: .75rem }
`;

/** A report as one HTML file, with charts. */
export function htmlReport(report: Report): string {
  const names = namesOf(report);
  const found = foundLines(report.rows, names);
  return htmlPage({
    title: `wirebin bench ${report.target}`,
    style: STYLE + CHART_STYLE,
    facts: headLines(report),
    summary: report.verdict,
    elements: [
      ...allTables(report).map((table) => scrolling(table.caption, tableElement(table))),
      ...(found.length > 0 ? [element('pre', {}, found.join('\n'))] : []),
      ...listElement(allNotes(report), 'notes'),
      ...report.rows.flatMap((row) => rowElements(row, names)),
      ...(report.during ?? []).flatMap(duringElements),
    ],
  });
}

function rowElements(row: ChartRow, names: SideNames): Element[] {
  // The table and the plot are in the charts.
  const knees = sweepParagraphs(row, names).at(-1) ?? [];
  return [
    element('h2', {}, `${row.scenario} ${row.protocol}`),
    ...listElement(knees, 'knees'),
    ...chartElements(row, names),
  ];
}

function duringElements(view: DuringView): Element[] {
  const table = duringTable(view);
  return [
    element('h2', {}, `${view.scenario} ${view.protocol}`),
    scrolling(table.caption, tableElement(table)),
    ...listElement(duringNotes(view), 'notes'),
    duringElement(view),
  ];
}
