import { isKnown } from '../known.ts';
import { htmlPage } from './html-page.ts';
import { STYLE } from './html-style.ts';
import { factLines, recordOf, summaryLine, type Report } from './report.ts';
import { resultElements } from './results.ts';

/** A report as one HTML file, whose results can be filtered. */
export function htmlReport(report: Report): string {
  const { target, results, findings, known } = report;
  const counting = new Set(findings);
  const run = {
    results,
    isCounted: counting.has.bind(counting),
    isRecorded: (finding: (typeof results)[number]) => isKnown(finding, known),
    record: known ? recordOf(known) : '',
  };
  return htmlPage({
    title: `wirebin check ${target}`,
    style: STYLE,
    facts: factLines(report),
    summary: summaryLine(report),
    elements: resultElements(run, { heading: 2, fragment: '' }),
    hasFilter: true,
  });
}
