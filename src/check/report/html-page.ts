import { createHash } from 'node:crypto';
import { listElement, type Element } from '../../pages/element.ts';
import { includedText } from '../../pages/home/assets.ts';
import { escapeHtml } from '../../pages/page.ts';

/** What a page of a report has. All texts are escaped. */
export interface HtmlPage {
  readonly title: string;
  /** Sentences below the title. */
  readonly facts: readonly string[];
  /** The result in a line. */
  readonly summary: string;
  readonly elements: readonly Element[];
  /** Whether the page includes the script of the filter, and links to results open them. */
  readonly hasFilter?: boolean;
}

/** A page as one HTML file that loads nothing, and is readable without its script. */
export function htmlPage({ title, facts, summary, elements, hasFilter = false }: HtmlPage) {
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
${listElement(facts, 'facts').map(htmlOf).join('')}
<p><strong>${escapeHtml(summary)}</strong></p>
</header>
<main>
${elements.map(htmlOf).join('')}
</main>
${hasFilter ? `<script type="module">${script}</script>\n` : ''}</body>
</html>
`;
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
