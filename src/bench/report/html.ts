import { htmlPage } from '../../check/report/html-page.ts';
import { STYLE } from '../../check/report/html-style.ts';
import { benchElements } from './elements.ts';
import type { Report } from './report.ts';
import { headLines } from './table.ts';

const CHART_STYLE = `

.bad { color: var(--bad) }
figure { margin: 1rem 0 1.5rem }
figcaption { font-weight: 600 }
h2 { display: block; margin-top: 1.5rem }
.legend { display: flex; flex-wrap: wrap; gap: 0 1rem; font-size: .875em }
.plot { height: 16.25rem; padding: .5rem 1rem 2rem 4rem }
.plot text { fill: var(--soft); font-size: .75rem }
`;

/** A report as one HTML file, with charts. */
export const htmlReport = (report: Report): string =>
  htmlPage({
    title: `wirebin bench ${report.target}`,
    style: STYLE + CHART_STYLE,
    facts: headLines(report),
    summary: report.verdict,
    elements: benchElements(report, 2),
  });
