import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { table } from '../../../scripts/markdown.ts';
import { section, withSections } from '../../../scripts/tables.ts';
import { FAULTS_PAGE, OR, parse } from './_table.ts';

const FOLDER = new URL('../../../docs/measured/clients/', import.meta.url);

interface Page {
  readonly link: string;
  readonly text: string;
}

const closed = '/respond/KEY?first=fault=close@start&then=body=done`';
const refused = '/respond/KEY?first=fault=rst-stream@start,code=REFUSED_STREAM&then=body=done`';
const goaway = '/respond/KEY?first=fault=goaway@start,last=previous,then=close&then=body=done`';

/** The columns of the comparison, each with a version of HTTP and a row of the pages. */
const COMPARED: readonly (readonly [title: string, version: string, row: string])[] = [
  ['GET, then FIN', 'HTTP/1.1', `\`${closed}`],
  ['The same on a kept connection', 'HTTP/1.1', `\`/healthz\`, then \`${closed}`],
  ['POST on a kept connection', 'HTTP/1.1', `\`/healthz\`, then \`POST ${closed}`],
  ['GET, REFUSED_STREAM', 'HTTP/2', `\`${refused}`],
  ['POST, REFUSED_STREAM', 'HTTP/2', `\`POST ${refused}`],
  ['GET, GOAWAY', 'HTTP/2', `\`${goaway}`],
  ['POST, GOAWAY', 'HTTP/2', `\`POST ${goaway}`],
];

const titleOf = (text: string): string => /^# (.*)$/m.exec(text)?.[1] ?? '';

/** The list of all pages. */
function listed(pages: readonly Page[]): string {
  const rows = pages.map(({ link, text }) => {
    const [, date = ''] = /Measured on (\S+?),/.exec(text) ?? [];
    const [, before = '–'] = /^## Since (.*)$/m.exec(text) ?? [];
    return [link, before, date];
  });
  return table(['Client', 'Compared with', 'Measured'], rows);
}

/** Which requests each client has sent again. */
function compared(pages: readonly Page[]): string {
  const rows = pages.flatMap(({ link, text }) => {
    if (!text.includes('<!-- again -->')) return [];
    const again = parse(section(text, 'again'));
    const cells = COMPARED.map(([, version, row]) => {
      // Some programs send no second request.
      const outcomes = (again[row]?.[version]?.split(OR) ?? []).filter(
        (outcome) => outcome.includes('then ') || !row.includes(', then '),
      );
      const words = outcomes.map((outcome) => (outcome.includes(' attempts ') ? 'again' : 'error'));
      return words.length === 0 ? '–' : [...new Set(words)].toSorted().join(OR);
    });
    return [[link, ...cells]];
  });
  return table(['Client', ...COMPARED.map(([title]) => title)], rows);
}

/** Writes the tables of all clients. */
export function writeIndex(): void {
  const pages = readdirSync(FOLDER)
    .toSorted()
    .map((file): Page => {
      const text = readFileSync(new URL(file, FOLDER), 'utf8');
      return { link: `[${titleOf(text)}](clients/${file})`, text };
    });
  const sections = { clients: listed(pages), again: compared(pages) };
  writeFileSync(FAULTS_PAGE, withSections(readFileSync(FAULTS_PAGE, 'utf8'), sections));
}
