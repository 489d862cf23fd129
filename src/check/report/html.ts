import { createHash } from 'node:crypto';
import { listElement, type Element } from '../../pages/element.ts';
import { assetText } from '../../pages/home/assets.ts';
import { escapeHtml } from '../../pages/page.ts';
import { isKnown } from '../known.ts';
import { STYLE } from './html-style.ts';
import { factLines, recordOf, summaryLine, type Report } from './report.ts';
import { resultElements } from './results.ts';

/** A report as one HTML file that loads nothing, and is readable without its script. */
export function htmlReport(report: Report): string {
  const { target, results, findings, known } = report;
  const title = `wirebin check ${escapeHtml(target)}`;
  const script = filterScript();
  const policy = `default-src 'none'; base-uri 'none'; form-action 'none'; style-src ${digest(STYLE)}; script-src ${digest(script)}`;
  const counting = new Set(findings);
  const run = {
    results,
    isCounted: counting.has.bind(counting),
    isRecorded: (finding: (typeof results)[number]) => isKnown(finding, known),
    record: known ? recordOf(known) : '',
  };
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>${title}</h1>
${listElement(factLines(report), 'facts').map(htmlOf).join('')}
<p><strong>${escapeHtml(summaryLine(report))}</strong></p>
</header>
<main>
${resultElements(run, { heading: 2, fragment: '' }).map(htmlOf).join('')}
</main>
<script type="module">${script}</script>
</body>
</html>
`;
}

/** The script that filters results; empty if wirebin runs from source without a build. */
function filterScript(): string {
  try {
    return assetText('result-filter.js');
  } catch (error) {
    if (!import.meta.url.endsWith('.ts')) throw error;
    return '';
  }
}

/** A source expression of a Content-Security-Policy that allows exactly this inline text. */
const digest = (text: string): string =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** An element as HTML. Each result (`details`) begins a new line. */
function htmlOf(node: Element | string): string {
  if (typeof node === 'string') return escapeHtml(node);
  const { name, attributes, children } = node;
  const start = name === 'details' ? '\n' : '';
  const pairs = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeHtml(value)}"`);
  const end = name === 'input' ? '' : `</${name}>`;
  return `${start}<${name}${pairs.join('')}>${children.map(htmlOf).join('')}${end}`;
}
