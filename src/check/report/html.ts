import { resultKey } from '../front.ts';
import { htmlPage } from './html-page.ts';
import { factLines, recordOf, summaryText, type Report } from './report.ts';
import { resultElements } from './results.ts';

/** A report as one HTML file, whose results can be filtered. */
export function htmlReport(report: Report): string {
  const { target, results, findings, known } = report;
  const run = {
    results,
    counted: new Set(findings.map(resultKey)),
    recorded: known?.findings ?? new Set<string>(),
    record: known ? recordOf(known) : '',
  };
  return htmlPage({
    title: `wirebin check ${target}`,
    facts: factLines(report),
    summary: summaryText(report),
    elements: resultElements(run, { heading: 2, fragment: '' }),
    hasFilter: true,
  });
}
