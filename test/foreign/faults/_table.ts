import { readFileSync, writeFileSync } from 'node:fs';
import { table } from '../../../scripts/markdown.ts';
import { section, withSections } from '../../../scripts/tables.ts';
import type { Report } from './_program.ts';

export const FAULTS_PAGE = new URL('../../../docs/measured/faults.md', import.meta.url);

/** What one proxy makes of every case. */
export interface Column {
  /** With the version: another one may do otherwise. */
  readonly title: string;
  readonly cells: readonly string[];
}

/** The number of requests that reached wirebin, by its journal. */
export async function attemptsOf(base: string, key: string): Promise<number> {
  const response = await fetch(`${base}/journal/${key}`);
  if (response.status === 404) return 0;
  const { entries } = (await response.json()) as { readonly entries: readonly unknown[] };
  return entries.length;
}

/** Above it, the number of attempts depends on the time limit. */
const MANY = 3;

/** Characters of an error that are shown. */
const MAX_WORDS = 120;

/** An error without the bytes that it quotes, which differ with each run. */
export function words(error: string): string {
  // The bytes may be quotes, too: what is left of them is removed below.
  const quoted =
    /(["'])(?:(?!\1).)*[^\x20-\x7e](?:(?!\1).)*(?:\1|$)|b'[^']*\\x[^']*(?:'|$)|"[^"]{60,}(?:"|$)|"[^"]*\\x.*/gs;
  const text = error
    .replaceAll(quoted, '…')
    .replaceAll(/\[\d+(?:, \d+){9,}.*/gs, '…')
    .replaceAll(/(["']).\1/g, '…')
    .replaceAll(/\([0-9]+\)/g, '(N)')
    .replaceAll(/[^\x20-\x7e…].*/gs, '…')
    .replaceAll(/ +/g, ' ')
    .replaceAll(/["'\\]*…+(?:.*\\x.*)?/gs, '…');
  return text.length > MAX_WORDS ? `${text.slice(0, MAX_WORDS)}…` : text;
}

/**
 * As a sentence for people: what came, and how it ended.
 *
 * @param isEcho whether the content is an echo, whose length differs with each run
 */
export function cellOf(
  { status, received, error }: Pick<Report, 'status' | 'received' | 'error'>,
  attempts: number,
  isEcho = false,
): string {
  // How much arrives before an error depends on the buffers on the way.
  const length = isEcho || error !== '' ? '' : `, ${received} bytes`;
  const came = status === '' ? [] : [status + length];
  const ended = error === '' ? [] : [words(error)];
  const tried = attempts === 1 ? [] : [`${attempts > MANY ? 'many' : attempts} attempts`];
  return [...came, ...ended, ...tried].join('; ');
}

/** Rows by their path, with the cells of each column. */
export type Table = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Between outcomes of a cell, where they differ from run to run. */
export const OR = ' _or_ ';

/**
 * The table of a page beside what was found, for the columns that the page has of the same version. With
 * WIREBIN_WRITE_DOCS=1 what was found is written to the page, beside other outcomes of the same version.
 */
export function comparedTable(
  page: URL,
  name: string,
  rows: readonly (readonly [method: string, path: string])[],
  columns: readonly Column[],
): { readonly expected: Table; readonly found: Table } {
  const text = readFileSync(page, 'utf8');
  const written = parse(section(text, name));
  const outcomesOf = ([method, path]: readonly [string, string], title: string): string[] =>
    written[rowTitle(method, path)]?.[title]?.split(OR) ?? [];
  if (process.env['WIREBIN_WRITE_DOCS'] === '1') {
    const joined = columns.map(({ title, cells }) => ({
      title,
      cells: rows.map((row, at) =>
        [...new Set([...outcomesOf(row, title), cells[at] ?? ''])].toSorted().join(OR),
      ),
    }));
    writeFileSync(page, withSections(text, { [name]: markdown(rows, joined) }));
    return { expected: tableOf(rows, joined), found: tableOf(rows, joined) };
  }
  const titles = new Set(Object.values(written).flatMap((cells) => Object.keys(cells)));
  const known = columns.filter(({ title }) => titles.has(title));
  for (const { title } of columns) {
    if (!titles.has(title)) console.log(`${title}: not on the page, so not compared`);
  }
  // A cell is as expected if it is one of the outcomes.
  const expected = known.map(({ title, cells }) => ({
    title,
    cells: rows.map((row, at) => {
      const outcomes = outcomesOf(row, title);
      return outcomes.find((outcome) => outcome === cells[at]) ?? outcomes.join(OR);
    }),
  }));
  return { expected: tableOf(rows, expected), found: tableOf(rows, known) };
}

function tableOf(
  rows: readonly (readonly [method: string, path: string])[],
  columns: readonly Column[],
): Table {
  return Object.fromEntries(
    rows.map(([method, path], at) => [
      rowTitle(method, path),
      Object.fromEntries(columns.map(({ title, cells }) => [title, cells[at] ?? ''])),
    ]),
  );
}

const rowTitle = (method: string, path: string): string =>
  method === 'GET' ? `\`${path}\`` : `\`${method} ${path}\``;

/** The cells of a row that `table` has made. */
function cellsOf(row: string): string[] {
  const cells = row.split(/(?<!\\)\|/).slice(1, -1);
  return cells.map((cell) => cell.trim().replaceAll(String.raw`\|`, '|'));
}

function markdown(
  rows: readonly (readonly [method: string, path: string])[],
  columns: readonly Column[],
): string {
  const titles = ['Request', ...columns.map(({ title }) => title)];
  const found = rows.map(([method, path], at) => [
    rowTitle(method, path),
    ...columns.map(({ cells }) => cells[at] ?? ''),
  ]);
  return table(titles, found);
}

/** Reads the table that `markdown` has made. */
export function parse(text: string): Table {
  const lines = text.split('\n').filter((line) => line.startsWith('|'));
  const [head = '', , ...rows] = lines;
  const [, ...titles] = cellsOf(head);
  return Object.fromEntries(
    rows.map((row) => {
      const [title = '', ...cells] = cellsOf(row);
      return [title, Object.fromEntries(titles.map((column, at) => [column, cells[at] ?? '']))];
    }),
  );
}
