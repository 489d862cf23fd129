import { createHash } from 'node:crypto';
import { element, listElement, type Element } from '../../pages/element.ts';
import { includedText } from '../../pages/home/assets.ts';
import { escapeHtml } from '../../pages/page.ts';
import { OUTCOMES, type Outcome } from '../check.ts';
import { countOutcomes } from './outcomes.ts';

/** What a page of a report has. All texts are escaped. */
export interface HtmlPage {
  readonly title: string;
  /** What follows the result, before the sentences. */
  readonly lead?: readonly Element[];
  /** Sentences about the run. */
  readonly facts: readonly string[];
  /** The result in a line. */
  readonly summary: string;
  /** Class of that line: how a run of check stands. */
  readonly look?: string;
  readonly elements: readonly Element[];
  /** Whether the page includes the script of the filter, and links to results open them. */
  readonly hasFilter?: boolean;
}

/** A page as one HTML file that loads nothing, and is readable without its script. */
export function htmlPage(page: HtmlPage): string {
  const { title, facts, summary, look = '', lead = [], elements, hasFilter = false } = page;
  const style = builtText('html-report.css');
  const script = hasFilter ? builtText('result-filter.js') : '';
  const policy = `default-src 'none'; base-uri 'none'; form-action 'none'; style-src ${digest(style)}; script-src ${digest(script)}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<header>
<h1>${escapeHtml(title)}</h1>
<p class="banner ${look}"><strong>${escapeHtml(summary)}</strong></p>
${[...lead, ...listElement(facts, 'facts')].map(htmlOf).join('')}
</header>
<main>
${elements.map(htmlOf).join('')}
</main>
${hasFilter ? `<script type="module">${script}</script>\n` : ''}</body>
</html>
`;
}

/** How many results have each outcome, in colors. @param about what they are counted on */
export function countElements(
  results: readonly { readonly outcome: Outcome }[],
  about: string,
): Element[] {
  const counts = countOutcomes(results);
  const items = OUTCOMES.filter((outcome) => counts[outcome] > 0).map((outcome) =>
    element('li', { class: outcome }, element('b', {}, String(counts[outcome])), ` ${outcome}`),
  );
  return items.length === 0
    ? []
    : [element('ul', { class: 'counts' }, ...items, element('li', { class: 'facts' }, about))];
}

/** The text of a file; empty if wirebin runs from source without a build. */
function builtText(name: Parameters<typeof includedText>[0]): string {
  try {
    return includedText(name);
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
