// Makes what `/docs/` serves of docs/: `node scripts/docs.mjs [directory]`.
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, Renderer } from 'marked';
import { readCss, writeCompressed } from './compact.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const docs = join(root, 'docs');
const [directory = join(root, 'dist/docs')] = process.argv.slice(2);
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const pages = readdirSync(docs, { recursive: true })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.md'))
  .toSorted();
/** Paths below docs/ of all that is served: pages, and files that they link to. */
const served = new Set(pages);

function isServed(path) {
  // The verdicts are large, and for tests. What is outside of docs/ is not in every package.
  if (path.startsWith('..') || path.endsWith('/verdicts.json')) return false;
  if (!served.has(path) && statSync(join(docs, path)).isFile()) served.add(path);
  return served.has(path);
}

/** The reference of a page to what its source refers to, with `a` for `a.md`; undefined if that is not served. */
function referenceOf(href, source) {
  if (/^(?:[a-z]+:|#)/.test(href)) return href;
  const [path, anchor = ''] = href.split(/(?=#)/);
  if (!isServed(posix.join(posix.dirname(source), path))) return undefined;
  const page = path.replace(/(?:(?<=^|\/)README)?\.md$/, '');
  return (page === '' ? './' : page) + anchor;
}

function escapeHtml(text) {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Makes the HTML of one page, and collects what is around it. */
class PageRenderer extends Renderer {
  title = '';
  /** Links to sections. */
  sections = [];
  #source;
  #slugs = [];
  #tables = 0;

  constructor(source) {
    super();
    this.#source = source;
  }

  /** A heading links to itself, unless it already is a link to elsewhere. */
  heading({ tokens, depth }) {
    const text = this.parser.parseInline(tokens, this.parser.textRenderer).replaceAll('`', '');
    const id = this.#newId(text);
    const html = this.parser.parseInline(tokens);
    if (depth === 1) this.title = text;
    if (depth === 2) this.sections.push(`<a href="#${id}">${escapeHtml(text)}</a>`);
    const linked = html.includes('<a ') ? html : `<a href="#${id}">${html}</a>`;
    return `<h${depth} id="${id}">${linked}</h${depth}>\n`;
  }

  /** The id of a heading, as GitHub makes it. */
  #newId(text) {
    const slug = text
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-');
    const count = this.#slugs.filter((other) => other === slug).length;
    this.#slugs.push(slug);
    return count === 0 ? slug : `${slug}-${count}`;
  }

  link({ href, tokens }) {
    const html = this.parser.parseInline(tokens);
    const reference = referenceOf(href, this.#source);
    return reference === undefined ? html : `<a href="${escapeHtml(reference)}">${html}</a>`;
  }

  /** A block or table that is too wide scrolls, also by keys. */
  code({ text }) {
    return `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`;
  }

  table(token) {
    this.#tables++;
    return `<div role="region" aria-label="Table ${this.#tables}" tabindex="0">${super.table(token)}</div>\n`;
  }

  /** A cell without text is the header of nothing. A long name, such as of a variable, may be wrapped after each `_`. */
  tablecell(token) {
    const cell = super.tablecell(token.text === '' ? { ...token, header: false } : token);
    return cell.replaceAll(/(?<=<code>[^<]*)_/g, '_<wbr>');
  }

  /** Comments, which mark what is generated. */
  html() {
    return '';
  }
}

function documentOf(source, style) {
  const renderer = new PageRenderer(source);
  const html = parse(readFileSync(join(docs, source), 'utf8'), { renderer, async: false });
  const { title, sections } = renderer;
  const up = '../'.repeat(source.split('/').length - 1);
  const links =
    sections.length < 2
      ? ''
      : `<nav aria-label="On this page"><details><summary>On this page</summary>${sections.join('')}</details></nav>\n`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · wirebin</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${up}${style}">
</head>
<body>
<header><a href="${up}../">wirebin</a><a href="${up || './'}">Docs</a><span>version ${version}</span></header>
${links}<main>
${html}</main>
</body>
</html>
`;
}

/** The path of what is made, below the directory. */
function fileFor(path) {
  const file = join(directory, path);
  mkdirSync(dirname(file), { recursive: true });
  return file;
}

rmSync(directory, { recursive: true, force: true });
const style = readCss(join(root, 'src/browser/style/docs.css'));
const digest = createHash('sha256').update(style).digest('base64url').replaceAll(/\W/g, '');
const styleName = `${digest.slice(0, 12)}.css`;
writeFileSync(fileFor(styleName), style);
writeCompressed(fileFor(styleName), style);
for (const page of pages) writeCompressed(fileFor(`${page}.html`), documentOf(page, styleName));
for (const path of served) copyFileSync(join(docs, path), fileFor(path));
writeFileSync(fileFor('files.txt'), [...served, styleName].join('\n'));
