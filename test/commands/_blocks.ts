import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A command as a page has it. */
export interface Command {
  /** With its continued lines, without its comment. */
  readonly text: string;
  /** What stands after `#` in its last line. */
  readonly comment: string;
  /** Both, with ` # ` between them. */
  readonly written: string;
  /** Where its block begins. */
  readonly line: number;
}

/** An indented block, or a fenced one. */
export interface Block {
  /** Of its first line. */
  readonly line: number;
  /** Of a fence: `sh`, `js`; undefined if the block is indented. */
  readonly language: string | undefined;
  readonly text: string;
}

export interface Page {
  /** Below the root. */
  readonly path: string;
  readonly text: string;
  readonly blocks: readonly Block[];
}

const INDENTED = /(?<=(?:^|\n)\n)(?: {4}.*\n)+/g;
const FENCED = /^( *)```(\w*)\n([^]*?)^ *```$/gm;

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}

/** Blocks of Markdown, but for indented ones within lists, which no page has. */
export function blocksOf(text: string): Block[] {
  const fenced = Array.from(
    text.matchAll(FENCED),
    ({ index, 1: indent = '', 2: tag, 3: body = '' }) => ({
      line: lineAt(text, index) + 1,
      language: tag,
      text: body.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  );
  // With as many lines as before.
  const others = text.replaceAll(FENCED, (fence) => fence.replaceAll(/.*/g, ''));
  const indented = Array.from(others.matchAll(INDENTED), ({ index, 0: body }) => ({
    line: lineAt(others, index),
    language: undefined,
    text: body.replaceAll(/^ {4}/gm, ''),
  }));
  return [...fenced, ...indented].toSorted((a, b) => a.line - b.line);
}

/** Words, strings and continued lines of a command, and then its comment. */
const COMMAND = /^((?:'[^']*'|"(?:\\[^]|[^"\\])*"|\\[^]|(?<=\S)#|[^'"\\\n#])+)(?:#(.*))?$/gm;

/** @throws if a line is neither a command nor a comment, as for an open quote */
export function commandsOf({ line, text }: Pick<Block, 'line' | 'text'>): Command[] {
  const rest = text.replaceAll(COMMAND, '').replaceAll(/^#.*$/gm, '').trim();
  if (rest !== '') throw new Error(`not a command: ${rest}`);
  return Array.from(text.matchAll(COMMAND), ([, words = '', after = '']) => {
    const [command, comment] = [words.trim(), after.trim()];
    return {
      line,
      text: command,
      comment,
      written: [command, comment].filter(Boolean).join(' # '),
    };
  }).filter((command) => command.text !== '');
}

const OTHERS = new Set(['node_modules', 'dist', '.git', 'coverage']);

function pagesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return OTHERS.has(entry.name) ? [] : pagesIn(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });
}

/** Every page of the project. */
export const pages: readonly Page[] = pagesIn('.').map((path) => {
  const text = readFileSync(join(ROOT, path), 'utf8');
  return { path, text, blocks: blocksOf(text) };
});
