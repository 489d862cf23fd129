import { htmlPage } from '../../check/report/html-page.ts';
import { benchElements } from './elements.ts';
import type { Report } from './report.ts';
import { headLines } from './table.ts';

/** A report as one HTML file, with charts. */
export const htmlReport = (report: Report): string =>
  htmlPage({
    title: `wirebin bench ${report.target}`,
    facts: headLines(report),
    summary: report.verdict,
    elements: benchElements(report, 2),
  });
