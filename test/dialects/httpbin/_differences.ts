import { readFileSync } from 'node:fs';
import type { Received } from '../../_client.ts';

/** A request of the table in docs/coming-from/httpbin.md, and what the cells of both services say of its response. */
export interface Difference {
  readonly path: string;
  /** The header fields of the row, such as `Cookie: a`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly there: string;
  readonly here: string;
}

function codes(cell: string): string[] {
  return Array.from(cell.matchAll(/`([^`]+)`/g), ([, code = '']) => code);
}

/** One for each path in the first cell of a row. */
function differencesIn(row: string): Difference[] {
  const [, request = '', there = '', here = ''] = row.split('|').map((cell) => cell.trim());
  const [paths, fields] = [codes(request).filter(isPath), codes(request).filter((x) => !isPath(x))];
  const headers = Object.fromEntries(fields.map((field) => field.split(': ')));
  return paths.map((path) => ({ path, headers, there, here }));
}

function isPath(code: string): boolean {
  return code.startsWith('/');
}

export function listedDifferences(): readonly Difference[] {
  const file = new URL('../../../docs/coming-from/httpbin.md', import.meta.url);
  const [, table = ''] = readFileSync(file, 'utf8').split(/<!-- \/?requests -->/);
  return table.split('\n').flatMap(differencesIn);
}

/** What a cell says that is not so: it has a status, and parts of the media type or the content. */
export function contradictions(
  cell: string,
  { status, headers, body }: Received,
): readonly string[] {
  const received = `${headers['content-type'] ?? ''}\n${body.toString()}`;
  const missing = codes(cell).filter((part) => !received.includes(part));
  return cell.startsWith(String(status)) ? missing : [`${status}, not ${cell}`, ...missing];
}
