import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { table } from '../../../scripts/markdown.ts';
import { withSections } from '../../../scripts/tables.ts';
import { FAULTS_PAGE } from './_table.ts';

const FOLDER = new URL('../../../docs/measured/clients/', import.meta.url);

/** Writes the list of the pages of clients. */
export function writeIndex(): void {
  const rows = readdirSync(FOLDER)
    .toSorted()
    .map((file) => {
      const text = readFileSync(new URL(file, FOLDER), 'utf8');
      const [, title = ''] = /^# (.*)$/m.exec(text) ?? [];
      const [, date = ''] = /Measured on (\S+?),/.exec(text) ?? [];
      const [, before = '–'] = /^## Since (.*)$/m.exec(text) ?? [];
      return [`[${title}](clients/${file})`, before, date];
    });
  const list = table(['Client', 'Beside', 'Measured'], rows);
  writeFileSync(FAULTS_PAGE, withSections(readFileSync(FAULTS_PAGE, 'utf8'), { clients: list }));
}
